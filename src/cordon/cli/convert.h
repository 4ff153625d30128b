#pragma once

// `cordon convert`: a value from one format to another.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cordon::cli {

struct ConvertArguments {
  std::string from;
  std::string to;
  bool graph = false;
  bool pretty = false;
  bool lines = false;
  bool allow_unsafe_regexp = false;
  std::string max_depth = "1000";
  std::string max_regexp_pattern_length = "1024";
  std::string symbol_policy = "allow-all";
  std::vector<std::string> allowed_types;  // each may be a list with commas
  bool has_allowed_types = false;
};

void add_convert(CLI::App& app, ConvertArguments& arguments);
int convert(const ConvertArguments& arguments);

}  // namespace cordon::cli
