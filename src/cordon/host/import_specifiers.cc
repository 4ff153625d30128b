#include "cordon/host/import_specifiers.h"

#include <algorithm>
#include <optional>

namespace cordon::host {
namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";
constexpr std::string_view quotes = "'\"`";

bool is_in_name(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '$' || (byte & 0x80) != 0;
}

// Calls `see` with the text after each `word`, until it returns false.
template <class See>
void each_word(std::string_view text, std::string_view word, See see) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;) {
    const std::size_t end = at + word.size();
    const bool is_whole =
        (at == 0 || !is_in_name(text[at - 1])) && (end == text.size() || !is_in_name(text[end]));
    if (is_whole && !see(text.substr(end))) return;
    at = text.find(word, end);
  }
}

// The text without blanks and comments at its beginning.
std::string_view trimmed(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    const bool is_block = text.starts_with("/*");
    if (!is_block && !text.starts_with("//")) return text;
    const std::size_t end = is_block ? text.find("*/", 2) : text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + (is_block ? 2 : 1));
  }
}

// Takes a plain string off the front of the text, one without escapes or placeholders.
std::optional<std::string_view> take_string(std::string_view& text) {
  if (text.empty() || !quotes.contains(text[0])) return std::nullopt;
  const std::size_t end = text.find(text[0], 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view content = text.substr(1, end - 1);
  if (content.find_first_of("\\\n$") != std::string_view::npos) return std::nullopt;
  text.remove_prefix(end + 1);
  return content;
}

bool has_in_quotes(std::string_view text, std::string_view word) {
  bool found = false;
  each_word(text, word, [&](std::string_view rest) {
    const std::size_t at = text.size() - rest.size() - word.size();
    found = at > 0 && !rest.empty() && quotes.contains(rest[0]) && text[at - 1] == rest[0];
    return !found;
  });
  return found;
}

}  // namespace

ImportSpecifiers import_specifiers(std::string_view text, std::size_t most) {
  ImportSpecifiers found;
  found.has_data = has_in_quotes(text, "text") || has_in_quotes(text, "bytes");
  const auto add = [&](std::optional<std::string_view> name) {
    if (name) found.names.push_back(*name);
    return found.names.size() < most;
  };
  each_word(text, "import", [&](std::string_view rest) {
    rest = trimmed(rest);
    if (!rest.starts_with('(')) return add(take_string(rest));
    rest = trimmed(rest.substr(1));
    const auto name = take_string(rest);
    rest = trimmed(rest);
    if (name && (rest.starts_with(')') || rest.starts_with(','))) return add(name);
    found.has_computed = true;
    return true;
  });
  if (found.names.size() < most) {
    each_word(text, "from", [&](std::string_view rest) {
      rest = trimmed(rest);
      return add(take_string(rest));
    });
  }
  return found;
}

}  // namespace cordon::host
