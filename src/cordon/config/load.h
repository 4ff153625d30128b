#pragma once

// cordon.json to a Configuration, with everything that is wrong in it at once.

#include <string>
#include <string_view>
#include <vector>

#include "cordon/config/configuration.h"
#include "cordon/config/reader.h"
#include "cordon/value.h"

namespace cordon::config {

struct Mistake {
  std::size_t line = 1;
  std::size_t column = 1;
  bool is_warning = false;
  std::string text;  // what is wrong; a suggestion
};

// "FILE:LINE:COLUMN: what; suggestion", with "warning: " before the text of one.
std::string to_text(const Mistake& mistake, std::string_view file);

// A file that the configuration names, and where it does.
struct NamedFile {
  std::string file;  // absolute
  std::size_t line = 1;
  std::size_t column = 1;
};

// The entry of a provider, or of one of its tools, and where its key is.
struct NamedTool {
  std::string provider;
  std::string function;  // empty: the provider
  std::size_t offset = 0;
};

struct Loaded {
  Configuration configuration;    // whole only where nothing is wrong
  std::vector<Mistake> mistakes;  // in the order of the file, warnings among them
  std::vector<NamedFile> files;   // scripts, plugins, certificates and logs
  std::vector<NamedTool> tools;   // of `providers`

  std::string text;  // of the file

  bool is_right() const;
  // A mistake at the entry of a tool, or else of its provider, that is found when it is loaded.
  void add_mistake(std::string_view provider, std::string_view function, std::string what);
};

// `file` is the name of the text, where relative paths begin.
Loaded read_configuration(std::string_view text, const std::string& file,
                          const Surroundings& surroundings);
// The error is a file that cannot be read.
Result<Loaded> load_configuration(const std::string& file);

// The JSON Schema of the file, for editors.
Value editor_schema();

}  // namespace cordon::config
