#pragma once

// `cordon convert`: a value from one format to another.

#include <string>
#include <vector>

#include "cordon/cli/converter.h"

namespace CLI {
class App;
}

namespace cordon::cli {

struct ConvertArguments {
  ConverterOptions options;
  bool pretty = false;
  bool lines = false;
  bool allow_unsafe_regexp = false;
  std::vector<std::string> allowed_types;  // each may be a list with commas
  bool has_allowed_types = false;
};

void bind_convert(CLI::App& command, ConvertArguments& arguments);
int convert(const ConvertArguments& arguments);

}  // namespace cordon::cli
