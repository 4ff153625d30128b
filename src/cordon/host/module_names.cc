#include "cordon/host/module_names.h"

#include <algorithm>
#include <vector>

#include "cordon/base/utf8.h"

namespace cordon::host {
namespace {

constexpr std::size_t most_listed = 20;
constexpr std::size_t most_shown = 200;

bool is_relative(std::string_view specifier) {
  return specifier.starts_with("./") || specifier.starts_with("../");
}

// The parts of `path` without `.` and `..`; false where it leads above its root.
bool append_parts(std::vector<std::string_view>& parts, std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return false;
    } else {
      parts.pop_back();
    }
  }
  return true;
}

std::string normalized(std::string_view base, std::string_view specifier) {
  std::vector<std::string_view> parts;
  if (is_relative(specifier)) append_parts(parts, base.substr(0, base.rfind('/') + 1));
  if (!append_parts(parts, specifier)) return {};
  std::string name;
  for (const std::string_view part : parts) {
    if (!name.empty()) name += '/';
    name += part;
  }
  return name;
}

// The guest chooses how long it is.
std::string shown(std::string_view specifier) {
  if (specifier.size() <= most_shown) return std::string(specifier);
  return to_utf8_lossy(specifier.substr(0, most_shown)) + "…";
}

std::string listed(const ModuleTexts& modules) {
  if (modules.empty()) return "there are no modules to import";
  std::string text = "there is";
  std::size_t count = 0;
  for (const auto& [name, source] : modules) {
    if (++count > most_listed) return text + ", …";
    text += (count == 1 ? " " : ", ") + name;
  }
  return text;
}

}  // namespace

Result<std::string> resolve_module(const ModuleTexts& modules, std::string_view base,
                                   std::string_view specifier) {
  if (modules.contains(specifier)) return std::string(specifier);
  const std::string name = normalized(base, specifier);
  for (const auto& [given, source] : modules) {
    if (!name.empty() && normalized("", given) == name) return given;
  }
  return fail(Errc::not_found, "Cannot find module '" + shown(specifier) + "': " + listed(modules));
}

}  // namespace cordon::host
