#include "front_matter.h"

#include <algorithm>

namespace cordon::test262 {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t from = text.find_first_not_of(blanks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

// The text up to the next end of a line, which it takes with it.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find_first_of("\r\n");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

void add_items(std::string_view list, std::vector<std::string>& items) {
  while (!list.empty()) {
    const std::size_t end = list.find_first_of(",]");
    if (const std::string_view item = trimmed(list.substr(0, end)); !item.empty())
      items.emplace_back(item);
    if (end == std::string_view::npos) return;
    list.remove_prefix(end + 1);
  }
}

std::string_view between_marks(std::string_view text) {
  const std::size_t begin = text.find("/*---");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + 5);
  return text.substr(0, text.find("---*/"));
}

}  // namespace

bool FrontMatter::has_flag(std::string_view flag) const {
  return std::ranges::find(flags, flag) != flags.end();
}

FrontMatter parse_front_matter(std::string_view text) {
  FrontMatter matter;
  std::vector<std::string>* list = nullptr;  // that the lines with a dash belong to
  bool in_negative = false;
  bool in_brackets = false;
  for (std::string_view rest = between_marks(text); !rest.empty();) {
    const std::string_view line = take_line(rest);
    const std::string_view content = trimmed(line);
    if (content.empty()) continue;
    if (in_brackets) {
      add_items(content, *list);
      in_brackets = !content.contains(']');
      continue;
    }
    if (list != nullptr && content.starts_with('-')) {
      list->emplace_back(trimmed(content.substr(1)));
      continue;
    }
    const std::size_t colon = content.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = content.substr(0, colon);
    std::string_view value = trimmed(content.substr(colon + 1));
    if (line.front() == ' ' || line.front() == '\t') {
      if (in_negative && key == "phase") matter.negative_phase = value;
      if (in_negative && key == "type") matter.negative_type = value;
      continue;
    }
    in_negative = key == "negative";
    list = key == "flags"      ? &matter.flags
           : key == "includes" ? &matter.includes
           : key == "features" ? &matter.features
                               : nullptr;
    if (list == nullptr || !value.starts_with('[')) continue;
    in_brackets = !value.contains(']');
    value.remove_prefix(1);
    add_items(value, *list);
  }
  return matter;
}

}  // namespace cordon::test262
