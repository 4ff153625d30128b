#include "cordon/tools/safe_name.h"

#include <algorithm>
#include <array>

#include "cordon/tools/global_names.h"

namespace cordon::tools {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_reserved(std::string_view text) {
  static constexpr std::array words = std::to_array<std::string_view>({
      "arguments", "await",      "break",   "case",    "catch",      "class",     "const",
      "continue",  "debugger",   "default", "delete",  "do",         "else",      "enum",
      "eval",      "export",     "extends", "false",   "finally",    "for",       "function",
      "if",        "implements", "import",  "in",      "instanceof", "interface", "let",
      "new",       "null",       "package", "private", "protected",  "public",    "return",
      "static",    "super",      "switch",  "this",    "throw",      "true",      "try",
      "typeof",    "undefined",  "var",     "void",    "while",      "with",      "yield",
  });
  return std::ranges::find(words, text) != words.end();
}

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && !is_reserved(text) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

std::string identifier_like(std::string_view text) {
  std::string name;
  bool in_run = false;  // of other characters
  for (const char c : text) {
    const bool is_other = !is_letter(c) && !is_digit(c);
    if (!is_other) {
      name += c;
    } else if (!in_run) {
      name += '_';
    }
    in_run = is_other;
  }
  const std::size_t first = name.find_first_not_of('_');
  if (first == std::string::npos) return "_";
  name = name.substr(first, name.find_last_not_of('_') - first + 1);
  if (is_digit(name.front())) name.insert(0, 1, '_');
  if (is_reserved(name)) name += '_';
  return name;
}

std::string safe_name(std::string_view text) {
  std::string name = identifier_like(text);
  if (is_guest_global(name)) name += '_';
  return name;
}

std::string SafeNames::next(std::string_view text) const {
  const std::string safe = safe_name(text);
  const auto known = last_.find(safe);
  if (known == last_.end()) return safe;
  for (std::size_t number = known->second + 1;; ++number) {
    std::string unique = safe + "__" + std::to_string(number);
    if (!last_.contains(unique)) return unique;
  }
}

std::string SafeNames::take(std::string_view text) { return take_identifier(safe_name(text)); }

std::string SafeNames::take_identifier(const std::string& name) {
  std::size_t& last = last_[name];  // stays where it is when others are added
  if (++last == 1) return name;
  // A text may also have been `name__2` by itself.
  for (;; ++last) {
    std::string unique = name + "__" + std::to_string(last);
    if (last_.try_emplace(unique, 1).second) return unique;
  }
}

}  // namespace cordon::tools
