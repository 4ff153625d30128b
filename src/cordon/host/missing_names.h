#pragma once

// Names that programs use because other places have them, such as `fetch` and `lodash`: what there
// is instead, said with what the program was given.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/js/guest.h"

namespace cordon::host {

enum class InputGiven : std::uint8_t {
  yes,
  no,
  as_argument,  // of the function that is called
  never,        // programs of this kind have none
};

// What one program was given.
struct Given {
  std::span<const js::Namespace> tools = {};
  InputGiven input = InputGiven::no;
  // Up to `max` of the modules that it may import: "./lib/total.js".
  std::function<std::vector<std::string>(std::size_t max)> modules = {};
};

struct MissingName {
  std::string_view name;
  // What to write instead. `{network}`, `{files}`, `{tools}`, `{values}` and `{modules}` stand for
  // what the program was given.
  std::string_view advice;
  bool is_common = false;  // programs have variables of such a name, or of one like it
};

// Globals of browsers, of Node and of packages. No guest has any of them, which a test checks.
std::span<const MissingName> missing_globals();
// What programs import: Node's own modules without `node:`, and packages.
std::span<const MissingName> missing_packages();

// What to write instead of a global. Empty if there is nothing to say.
std::string advice_on_global(const MissingName& global, const Given& given);
// The same for an import that was refused. Empty for what can only be a file.
std::string advice_on_import(std::string_view specifier, const Given& given);
// For a name that was used like a namespace of tools.
std::string advice_on_namespace(const Given& given);
// For a tool's name without its namespace: "write mail.send". Empty if no tool is called so.
std::string advice_on_bare_tool(std::string_view name, const Given& given);

// Null if there is no such row.
const MissingName* find_missing_global(std::string_view name);

}  // namespace cordon::host
