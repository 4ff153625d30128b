#include "cordon/host/source_text.h"

#include <algorithm>

namespace cordon::host {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::size_t count_backticks(std::string_view text) {
  return std::min(text.find_first_not_of('`'), text.size());
}

std::string_view first_word(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  return line.substr(0, line.find_first_of(" \t\r{"));
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  // Some tools write two byte order marks. The stripper of types would drop one and move the line.
  while (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text;
}

SourceText without_fence(std::string_view text) {
  text = without_byte_order_mark(text);
  const SourceText whole{text, 1, {}};
  const std::size_t start = text.find_first_not_of(blanks);
  if (start == std::string_view::npos) return whole;
  std::string_view inner = text.substr(start, text.find_last_not_of(blanks) + 1 - start);

  const std::size_t ticks = count_backticks(inner);
  const std::size_t first_end = inner.find('\n');
  if (ticks < 3 || first_end == std::string_view::npos) return whole;
  // The opening line has no further backtick: `` ```js ``, but not a template literal.
  if (inner.substr(ticks, first_end - ticks).contains('`')) return whole;

  const std::size_t last_start = inner.rfind('\n') + 1;
  std::string_view last = inner.substr(last_start);
  last.remove_prefix(std::min(last.find_first_not_of(" \t"), last.size()));
  if (last_start <= first_end || count_backticks(last) < ticks ||
      count_backticks(last) != last.size())
    return whole;

  const auto lines_before = std::ranges::count(text.substr(0, start), '\n');
  return {inner.substr(first_end + 1, last_start - first_end - 1),
          static_cast<std::uint32_t>(lines_before) + 2,
          first_word(inner.substr(ticks, first_end - ticks))};
}

}  // namespace cordon::host
