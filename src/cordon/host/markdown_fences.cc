#include "cordon/host/markdown_fences.h"

#include <algorithm>
#include <optional>

namespace cordon::host {
namespace {

constexpr std::string_view blanks = " \t";

std::size_t count_leading(std::string_view text, std::string_view characters) {
  return std::min(text.find_first_not_of(characters), text.size());
}

// The size of `- ` or `12. ` at the beginning of an item of a list.
std::size_t size_of_list_mark(std::string_view line) {
  const std::size_t digits = count_leading(line, "0123456789");
  const std::string_view rest = line.substr(digits);
  if (rest.size() < 2 || !blanks.contains(rest[1])) return 0;
  const std::string_view marks = digits == 0 ? "-*+" : ".)";
  if (digits > 9 || !marks.contains(rest[0])) return 0;
  return digits + 1 + count_leading(rest.substr(1), blanks);
}

struct Opening {
  char mark = '`';
  std::size_t count = 0;
  std::size_t indent = 0;
  std::string_view language = {};
};

// How many of '`' or '~' the line begins with.
std::size_t count_marks(std::string_view line) {
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return 0;
  return count_leading(line, line.substr(0, 1));
}

// `line` is without its line end.
std::optional<Opening> opening_of(std::string_view line) {
  std::size_t indent = count_leading(line, blanks);
  indent += size_of_list_mark(line.substr(indent));
  line.remove_prefix(indent);
  const std::size_t count = count_marks(line);
  if (count < 3) return std::nullopt;
  std::string_view language = line.substr(count);
  // `` ```js ``` `` is code within a line.
  if (line[0] == '`' && language.contains('`')) return std::nullopt;
  language.remove_prefix(count_leading(language, blanks));
  language = language.substr(0, language.find_first_of(" \t\r{:,"));
  return Opening{line[0], count, indent, language};
}

bool closes(const Opening& opening, std::string_view line) {
  line.remove_prefix(count_leading(line, blanks));
  const std::size_t count = count_marks(line);
  if (count < opening.count || line[0] != opening.mark) return false;
  return line.find_first_not_of(" \t\r", count) == std::string_view::npos;
}

}  // namespace

std::vector<MarkdownFence> fences_in(std::string_view text, std::size_t max) {
  std::vector<MarkdownFence> fences;
  std::optional<Opening> open;
  std::uint32_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t next = std::min(end + 1, text.size());
    ++number;
    if (open && closes(*open, line)) {
      MarkdownFence& fence = fences.back();
      fence.text =
          fence.text.substr(0, begin - static_cast<std::size_t>(fence.text.data() - text.data()));
      fence.is_closed = true;
      open.reset();
    } else if (!open && (open = opening_of(line))) {
      if (fences.size() == max) return fences;
      fences.push_back(
          {open->language, text.substr(next), number, begin, open->indent, open->mark});
    }
    begin = next;
  }
  return fences;
}

}  // namespace cordon::host
