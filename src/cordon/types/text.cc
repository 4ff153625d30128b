#include "cordon/types/text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cordon/base/number_text.h"
#include "cordon/base/visible_text.h"
#include "cordon/codec/json/quote.h"

namespace cordon::types {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

bool is_bare_key(std::string_view key) {
  return !key.empty() && is_letter(key.front()) &&
         std::ranges::all_of(key, [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.replace(at, what.size(), with), at += with.size();
}

// The lines of a text that can stand in a comment, without blank ones at its ends.
std::vector<std::string> lines_of(std::string_view text) {
  std::string safe(text);
  replace_all(safe, "\r\n", "\n");
  std::ranges::replace(safe, '\r', '\n');
  safe = visible(safe, Lines::kept);
  replace_all(safe, "*/", "*\\/");
  std::vector<std::string> lines;
  for (std::size_t start = 0; start <= safe.size();) {
    const std::size_t end = std::min(safe.find('\n', start), safe.size());
    std::string line = safe.substr(start, end - start);
    line.resize(line.find_last_not_of(" \t") + 1);
    if (!line.empty() || !lines.empty()) lines.push_back(std::move(line));
    start = end + 1;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t max_escape = 6;
  std::string out;
  json::TextBuffer buffer(out, text.size() * max_escape + 2);
  if (json::write_quoted(buffer, text)) buffer.finish();
  return out;
}

std::string number_literal(double number) {
  if (!std::isfinite(number)) return "number";
  NumberBuffer buffer;
  return std::string(number_to_text(number, buffer));
}

std::string property_key(std::string_view key) {
  return is_bare_key(key) ? std::string(key) : quoted(key);
}

std::string doc_comment(std::string_view text, std::size_t level) {
  const std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) return {};
  const std::string margin = indentation(level);
  // The compiler obeys `@ts-ignore` and the like in the last line of a comment. So a text with
  // an @ gets a last line of its own.
  if (lines.size() == 1 && !lines.front().contains('@'))
    return margin + "/** " + lines.front() + " */\n";
  std::string comment = margin + "/**\n";
  for (const std::string& line : lines)
    comment += margin + (line.empty() ? " *" : " * " + line) + "\n";
  return comment + margin + " */\n";
}

std::string indentation(std::size_t level) { return std::string(2 * level, ' '); }

}  // namespace cordon::types
