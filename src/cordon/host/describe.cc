#include "cordon/describe.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cordon/base/utf8.h"
#include "cordon/base/visible_text.h"
#include "cordon/host/failure.h"

namespace cordon {
namespace {

// All but the message and the stack have a limit of their own, in UTF-16 units. Together they leave
// the message several hundred.
constexpr std::size_t max_name = 64;
constexpr std::size_t max_file = 120;
constexpr std::size_t max_lines = 3;
constexpr std::size_t max_line = 170;
constexpr std::size_t max_line_before = 100;
constexpr std::size_t max_before_caret = 100;
constexpr std::size_t max_hint = 440;
constexpr std::size_t max_cause = 160;
constexpr std::size_t max_causes = 320;
// More of a text is never shown: a character of three bytes is one unit.
constexpr std::size_t max_bytes_read = 3 * max_description_units;

constexpr std::string_view margin = "    ";
constexpr std::string_view cut_mark = "…";

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The first bytes of UTF-8 text that are no more than `units` UTF-16 units.
std::size_t bytes_of_first(std::string_view text, std::size_t units) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t width = static_cast<unsigned char>(text[at]) >= 0xF0 ? 2 : 1;
    if (width > units) break;
    units -= width;
    do ++at;
    while (at < text.size() && is_continuation(text[at]));
  }
  return at;
}

// Where the last bytes begin that are no more than `units` UTF-16 units.
std::size_t begin_of_last(std::string_view text, std::size_t units) {
  std::size_t at = text.size();
  while (at > 0) {
    std::size_t begin = at - 1;
    while (begin > 0 && is_continuation(text[begin])) --begin;
    const std::size_t width = static_cast<unsigned char>(text[begin]) >= 0xF0 ? 2 : 1;
    if (width > units) break;
    units -= width;
    at = begin;
  }
  return at;
}

std::string cut_end(std::string text, std::size_t units) {
  if (utf16_length(text) <= units) return text;
  text.resize(bytes_of_first(text, units - 1));
  return text.append(cut_mark);
}

// Takes out the middle: what something is about stands at the beginning, and often at the end.
std::string cut_middle(std::string text, std::size_t units) {
  if (utf16_length(text) <= units) return text;
  const std::size_t tail = (units - 1) / 3;
  std::string cut = text.substr(0, bytes_of_first(text, units - 1 - tail));
  // The mark would stand at the beginning of a line, where nothing of a guest's may.
  while (cut.ends_with(' ') || cut.ends_with('\n')) cut.pop_back();
  return cut.append(cut_mark).append(text, begin_of_last(text, tail));
}

// Texts of a guest have up to a megabyte.
std::string read(std::string_view text) {
  if (text.size() <= 2 * max_bytes_read) return std::string(text);
  return std::string(cut_before(text, max_bytes_read)) +
         std::string(text.substr(text.size() - max_bytes_read));
}

std::string one_line(std::string_view text) { return visible(read(text), Lines::escaped); }

std::string block(std::string_view text) { return visible_block(read(text), Margin::ensured); }

class Text {
 public:
  void add(TextPart part, std::string text) {
    units_ += utf16_length(text);
    spans_.push_back({part, std::move(text)});
  }
  void add(std::string text) { add(TextPart::plain, std::move(text)); }
  std::size_t units() const { return units_; }
  bool empty() const { return spans_.empty(); }

  void append_to(std::string& all, const TextStyle& style) const {
    for (const auto& [part, text] : spans_)
      all += style && part != TextPart::plain ? style(part, text) : text;
  }

 private:
  struct Span {
    TextPart part;
    std::string text;
  };
  std::vector<Span> spans_;
  std::size_t units_ = 0;
};

Text head_of(const ExecutionError& error) {
  Text text;
  text.add(TextPart::error_label, "error");
  text.add(": ");
  text.add(TextPart::code, cut_end(one_line(error.code_text()), max_name));
  text.add(": ");
  if (!error.name.empty() && error.is(ErrorCode::runtime_error))
    text.add(cut_end(one_line(error.name), max_name) + ": ");
  return text;
}

// As wide as the text: a tab stays one.
std::string blanks_for(std::string_view text) {
  std::string blanks;
  for (const char byte : text)
    if (!is_continuation(byte)) blanks += byte == '\t' ? '\t' : ' ';
  return blanks;
}

// The lines around the place, with a caret below it:
//
//     2 | const b = a.c.d;
//       |             ^
void add_frame(Text& text, const SourceExcerpt& excerpt) {
  if (excerpt.lines.empty()) return;
  const std::size_t last = excerpt.first_line + excerpt.lines.size() - 1;
  const std::size_t first = last + 1 - std::min(excerpt.lines.size(), max_lines);
  const std::size_t width = std::to_string(last).size();
  const auto add_margin = [&](const std::string& number) {
    text.add("\n");
    text.add(TextPart::margin,
             std::string(margin) + std::string(width - number.size(), ' ') + number + " | ");
  };
  for (std::size_t number = first; number < last; ++number) {
    add_margin(std::to_string(number));
    text.add(cut_end(one_line(excerpt.lines[number - excerpt.first_line]), max_line_before));
  }
  std::string line = one_line(excerpt.lines.back());
  std::string before = one_line(excerpt.before);
  if (utf16_length(before) > max_before_caret && line.starts_with(before)) {
    const std::size_t from = begin_of_last(before, max_before_caret - 1);
    line.replace(0, from, cut_mark);
    before.replace(0, from, cut_mark);
  }
  add_margin(std::to_string(last));
  text.add(cut_end(std::move(line), max_line));
  if (utf16_length(before) >= max_line) return;  // what it would point at was cut off
  add_margin("");
  text.add(blanks_for(before));
  text.add(TextPart::caret, "^");
}

Text place_of(const ExecutionError& error) {
  Text text;
  if (!error.location) return text;
  const auto& [file, line, column] = *error.location;
  text.add("\n  at " + cut_middle(one_line(file), max_file) + ":" + std::to_string(line) + ":" +
           std::to_string(column));
  add_frame(text, error.excerpt);
  return text;
}

Text hint_of(const ExecutionError& error) {
  Text text;
  if (error.hint.empty()) return text;
  text.add("\n  ");
  text.add(TextPart::hint_label, "hint");
  text.add(": " + cut_end(one_line(error.hint), max_hint));
  return text;
}

Text causes_of(const ExecutionError& error) {
  Text text;
  for (const ErrorCause& cause : error.causes) {
    std::string line =
        "\n  caused by " +
        cut_middle(block(cause.name.empty() ? cause.message : cause.name + ": " + cause.message),
                   max_cause);
    if (text.units() + utf16_length(line) > max_causes) {
      text.add("\n  …");
      break;
    }
    text.add(std::move(line));
  }
  return text;
}

// The frames alone: some engines' stacks begin with the name and the message, which stand above.
std::string_view frames_of(const ExecutionError& error) {
  std::string_view stack = error.stack;
  const std::string header = error.name.empty() || error.message.empty()
                                 ? error.name + error.message
                                 : error.name + ": " + error.message;
  if (!header.empty() && stack.starts_with(header)) stack.remove_prefix(header.size());
  while (stack.starts_with('\n')) stack.remove_prefix(1);
  while (stack.ends_with('\n')) stack.remove_suffix(1);
  return stack;
}

// A stack of one frame without a name is the place once more.
bool says_no_more(std::string_view stack, const ExecutionError& error) {
  return error.location && error.function.empty() && !stack.contains('\n');
}

// As many lines of the stack as there is room for.
Text stack_of(const ExecutionError& error, std::size_t units) {
  Text text;
  const std::string_view frames = frames_of(error);
  if (frames.empty() || says_no_more(frames, error)) return text;
  constexpr std::string_view more = "\n    …";
  const bool is_cut = frames.size() > max_bytes_read;
  const std::string lines = block("\n" + std::string(cut_before(frames, max_bytes_read)));
  std::size_t shown_bytes = 0;
  std::size_t used = 0;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at + 1), lines.size());
    const bool is_last = end == lines.size() && !is_cut;
    used += utf16_length(std::string_view(lines).substr(at, end - at));
    if (used + (is_last ? 0 : utf16_length(more)) > units) break;
    shown_bytes = end;
    at = end;
  }
  if (shown_bytes == 0) return text;
  std::string shown = lines.substr(0, shown_bytes);
  if (is_cut || shown_bytes < lines.size()) shown += more;
  text.add(TextPart::stack, std::move(shown));
  return text;
}

}  // namespace

std::string describe(const ExecutionError& error, const TextStyle& style) {
  const Text head = head_of(error);
  const Text place = place_of(error);
  const Text hint = hint_of(error);
  const Text causes = causes_of(error);
  std::size_t left =
      max_description_units - head.units() - place.units() - hint.units() - causes.units();
  Text message;
  message.add(cut_middle(block(host::message_with_place(error)), left));
  left -= message.units();
  const Text stack = stack_of(error, left);

  std::string all;
  head.append_to(all, style);
  message.append_to(all, style);
  place.append_to(all, style);
  hint.append_to(all, style);
  causes.append_to(all, style);
  stack.append_to(all, style);
  return all;
}

std::string describe(const Warning& warning) {
  std::string text = warning.message;
  if (const auto& at = warning.location) {
    text += " (" + cut_middle(at->file, max_file) + ":" + std::to_string(at->line) + ":" +
            std::to_string(at->column) + ")";
  }
  return one_line(text);
}

}  // namespace cordon
