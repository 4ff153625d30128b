#include "cordon/host/source_excerpt.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cordon/base/utf8.h"

namespace cordon::host {
namespace {

constexpr std::uint32_t lines_before = 2;
constexpr std::size_t max_bytes = 160;  // of a line; the rest is not shown
constexpr std::size_t bytes_before = 80;

// Lines as the engine counts them: "\r" alone ends a line too.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  text.remove_prefix(text.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, text.size()));
  return line;
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The byte at which the UTF-16 unit `column` (from 1) begins; line.size() behind its end.
std::size_t byte_of(std::string_view line, std::uint32_t column) {
  std::size_t at = 0;
  for (std::uint32_t unit = 1; at < line.size() && unit < column;) {
    unit += static_cast<unsigned char>(line[at]) >= 0xF0 ? 2u : 1u;
    do ++at;
    while (at < line.size() && is_continuation(line[at]));
  }
  return at;
}

std::size_t whole_characters(std::string_view line, std::size_t at) {
  while (at > 0 && at < line.size() && is_continuation(line[at])) --at;
  return std::min(at, line.size());
}

std::string cut(std::string_view line, std::size_t from) {
  const std::size_t end = whole_characters(line, from + max_bytes);
  std::string text = from > 0 ? "…" : "";
  text += to_utf8_lossy(line.substr(from, end - from));
  if (end < line.size()) text += "…";
  return text;
}

}  // namespace

SourceExcerpt excerpt_of(std::string_view text, std::uint32_t first_line,
                         const SourceLocation& location) {
  SourceExcerpt excerpt;
  if (location.line < first_line || location.column == 0) return excerpt;
  const std::uint32_t first =
      std::max(first_line, location.line - std::min(location.line, lines_before));
  for (std::uint32_t number = first_line; number <= location.line; ++number) {
    if (text.empty() && number > first_line) return {};
    const std::string_view line = take_line(text);
    if (number < first) continue;
    if (number < location.line) {
      excerpt.lines.push_back(cut(line, 0));
      continue;
    }
    const std::size_t at = byte_of(line, location.column);
    // Text that is not UTF-8 may have no beginning of a character for a long stretch.
    const std::size_t from = line.size() > max_bytes && at > bytes_before
                                 ? whole_characters(line, at - bytes_before)
                                 : 0;
    excerpt.lines.push_back(cut(line, from));
    excerpt.before =
        (from > 0 ? "…" : "") + to_utf8_lossy(line.substr(from, std::min(at - from, max_bytes)));
  }
  excerpt.first_line = first;
  return excerpt;
}

}  // namespace cordon::host
