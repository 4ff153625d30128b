#include "cordon/base/visible_text.h"

#include <algorithm>
#include <cstdint>

#include "cordon/base/utf8.h"

namespace cordon {
namespace {

void append_hex(std::string& text, std::string_view prefix, std::uint32_t number, int digits) {
  text += prefix;
  while (digits-- > 0) text += "0123456789abcdef"[number >> (4 * digits) & 15];
}

// What a terminal obeys instead of showing, or cannot show, where `text` begins with it: a C1
// control, a line or paragraph separator, one that turns the direction of the text after it, or
// half of a surrogate pair. Otherwise 0.
std::uint32_t hidden_code_point(std::string_view text) {
  const auto at = [text](std::size_t index) -> std::uint32_t {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : 0;
  };
  if (at(0) == 0xC2 && at(1) < 0xA0) return at(1);
  if (at(0) == 0xD8 && at(1) == 0x9C) return 0x61C;
  if (at(0) == 0xED && at(1) >= 0xA0) return 0xD000 | (at(1) & 0x3F) << 6 | (at(2) & 0x3F);
  if (at(0) != 0xE2) return 0;
  const std::uint32_t code_point = 0x2000 | (at(1) & 0x3F) << 6 | (at(2) & 0x3F);
  const bool is_hidden = (code_point >= 0x200E && code_point <= 0x200F) ||
                         (code_point >= 0x2028 && code_point <= 0x202E) ||
                         (code_point >= 0x2066 && code_point <= 0x2069);
  return is_hidden ? code_point : 0;
}

}  // namespace

std::string visible(std::string_view text, Lines lines) {
  const std::string wtf8 = to_wtf8_lossy(text);
  std::string shown;
  shown.reserve(wtf8.size());
  for (std::size_t i = 0; i < wtf8.size();) {
    const std::string_view rest = std::string_view(wtf8).substr(i);
    const auto byte = static_cast<unsigned char>(rest.front());
    const bool is_kept = byte == '\t' || (byte == '\n' && lines == Lines::kept);
    const std::uint32_t hidden = hidden_code_point(rest);
    if (!is_kept && (byte < 0x20 || byte == 0x7F)) {
      append_hex(shown, "\\x", byte, 2);
      ++i;
    } else if (hidden != 0) {
      append_hex(shown, hidden < 0x100 ? "\\x" : "\\u", hidden, hidden < 0x100 ? 2 : 4);
      i += hidden < 0x800 ? 2 : 3;
    } else {
      shown += rest.front();
      ++i;
    }
  }
  return shown;
}

std::string visible_json(std::string_view json) {
  std::string shown;
  shown.reserve(json.size());
  for (std::size_t i = 0; i < json.size();) {
    const std::string_view rest = json.substr(i);
    // JSON has escaped what comes before the blank.
    const std::uint32_t hidden = rest.front() == 0x7F ? 0x7F : hidden_code_point(rest);
    if (hidden == 0) {
      shown += rest.front();
      ++i;
      continue;
    }
    append_hex(shown, "\\u", hidden, 4);
    i += hidden < 0x80 ? 1 : hidden < 0x800 ? 2 : 3;
  }
  return shown;
}

std::string visible_block(std::string_view text, Margin margin) {
  constexpr std::string_view blanks = "    ";
  const std::string shown = visible(text, Lines::kept);
  std::string lines;
  for (std::size_t start = 0; start <= shown.size();) {
    const std::size_t end = std::min(shown.find('\n', start), shown.size());
    const std::string_view line = std::string_view(shown).substr(start, end - start);
    if (start > 0) lines += '\n';
    const bool has_margin = margin == Margin::ensured && line.starts_with(blanks);
    if (start > 0 && !has_margin) lines += blanks;
    lines += line;
    start = end + 1;
  }
  return lines;
}

}  // namespace cordon
