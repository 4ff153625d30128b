#include "cordon/host/module_names.h"

#include <algorithm>
#include <utility>

#include "cordon/base/utf8.h"
#include "cordon/host/import_endings.h"
#include "cordon/js/guest.h"

namespace cordon::host {
namespace {

using js::ImportKind;

constexpr std::size_t max_listed = 20;
constexpr std::size_t max_shown = 200;

bool is_relative(std::string_view specifier) {
  return specifier.starts_with("./") || specifier.starts_with("../");
}

// Appends the parts of `path` without `.` and `..`. False if the path leads above its root.
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

// Finds a given text by the specifier itself or by the name that it resolves to.
const std::string* find_given(const ModuleTexts& texts, std::string_view specifier,
                              std::string_view name) {
  if (const auto same = texts.find(specifier); same != texts.end()) return &same->first;
  if (name.empty()) return nullptr;
  for (const auto& [given, source] : texts)
    if (normalized("", given) == name) return &given;
  return nullptr;
}

const std::string* text_of(const ModuleTexts& texts, std::string_view name) {
  const auto found = texts.find(name);
  return found == texts.end() ? nullptr : &found->second;
}

// Cuts it, since the guest chooses its length.
std::string shown(std::string_view specifier) {
  if (specifier.size() <= max_shown) return std::string(specifier);
  return to_utf8_lossy(specifier.substr(0, max_shown)) + "…";
}

// "there is ./a.js, ./lib/b.js"
std::string listed(const ModuleSources& sources, ImportKind kind) {
  const std::vector<std::string> names = some_modules(sources, max_listed + 1, kind);
  if (names.empty())
    return kind == ImportKind::module ? "there are no modules to import"
                                      : "there are no files to import";
  std::string text = "there is";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == max_listed) return text + ", …";
    text += (i == 0 ? " " : ", ") + names[i];
  }
  return text;
}

std::unexpected<Error> missing(const ModuleSources& sources, std::string_view specifier,
                               ImportKind kind, std::string_view why = {}) {
  std::string text = "Cannot find module '" + shown(specifier) + "': ";
  if (!why.empty()) text += std::string(why) + "; ";
  return fail(ErrorCode::not_found, text + listed(sources, kind));
}

// What was given, as an import of this kind gets it.
Result<std::string> taken_as(ImportKind kind, std::string text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (kind == ImportKind::bytes) return text;
  if (!is_utf8(text)) {
    return fail(ErrorCode::invalid_utf8, kind == ImportKind::text
                                             ? "it is not UTF-8; import it with { type: 'bytes' }"
                                             : "it is not UTF-8");
  }
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

Result<std::string> content_of(const ModuleSources& sources, std::string_view name,
                               std::size_t max_bytes, ImportKind kind) {
  if (const std::string* given = text_of(sources.texts, name)) return *given;
  const std::string* const saved =
      sources.saved == nullptr ? nullptr : text_of(*sources.saved, name);
  if (saved != nullptr && !sources.folder.exists()) return *saved;
  Result<std::string> text = sources.folder.read(std::string(name), kind, max_bytes);
  if (!text && saved != nullptr) return *saved;
  return text;
}

}  // namespace

std::vector<std::string> some_modules(const ModuleSources& sources, std::size_t max,
                                      ImportKind kind) {
  std::vector<std::string> names;
  for (const auto& [name, source] : sources.texts) {
    if (names.size() == max) return names;
    if (kind != ImportKind::module || !is_data_name(name)) names.push_back(name);
  }
  if (sources.folder.exists()) {
    for (const std::string& name : sources.folder.some_names(max - names.size(), kind))
      names.push_back("./" + name);
  }
  if (sources.saved == nullptr) return names;
  for (const auto& [name, source] : *sources.saved) {
    if (names.size() >= max) return names;
    if (kind == ImportKind::module && is_data_name(name)) continue;
    std::string shown = is_relative(name) ? name : "./" + name;
    // A saved file may still be in the folder.
    if (std::ranges::find(names, shown) == names.end()) names.push_back(std::move(shown));
  }
  return names;
}

Result<std::string> locate_module(const ModuleSources& sources, std::string_view base,
                                  std::string_view specifier, ImportKind kind) {
  // Check this first: the program chooses the texts.
  if (std::max(base.size(), specifier.size()) > js::max_module_name_bytes)
    return fail(ErrorCode::not_found, "a name has 4096 bytes at most");
  const std::string name = normalized(base, specifier);
  if (const std::string* given = find_given(sources.texts, specifier, name)) return *given;
  std::string why;
  if (sources.folder.exists()) {
    if (!is_relative(specifier)) {
      why = "a file's name begins with ./ or ../";
    } else if (name.empty()) {
      why = "it is outside of the program's folder";
    } else {
      const Result<> found = sources.folder.find(name, kind);
      if (found) return name;
      why = found.error().message;
    }
  }
  if (sources.saved != nullptr) {
    if (const std::string* given = find_given(*sources.saved, specifier, name)) return *given;
  }
  return fail(ErrorCode::not_found, std::move(why));
}

Result<std::string> resolve_module(const ModuleSources& sources, std::string_view base,
                                   std::string_view specifier, ImportKind kind) {
  Result<std::string> name = locate_module(sources, base, specifier, kind);
  return name ? name : missing(sources, specifier, kind, name.error().message);
}

Result<std::string> load_module(const ModuleSources& sources, std::string_view name,
                                std::size_t max_bytes, ImportKind kind) {
  if (name.size() > js::max_module_name_bytes) return missing(sources, name, kind);
  Result<std::string> content = content_of(sources, name, max_bytes, kind);
  if (!content && !sources.folder.exists()) return missing(sources, name, kind);
  if (content) content = taken_as(kind, *std::move(content));
  if (content) return content;
  return fail(content.error().code,
              "Cannot load module '" + shown(name) + "': " + content.error().message);
}

}  // namespace cordon::host
