#include "cordon/host/foreign_text.h"

#include <algorithm>
#include <initializer_list>

namespace cordon::host {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";
constexpr std::size_t max_bytes_read = 16'384;

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_not_of(letters));
}

std::string_view last_word(std::string_view text) {
  return text.substr(text.find_last_not_of(letters) + 1);
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// `{"tool": …`, which JavaScript reads as a block with a text in it.
bool is_json(std::string_view text) {
  if (!text.starts_with('{')) return false;
  text = without_blanks(text.substr(1, max_bytes_read));
  if (!text.starts_with('"')) return false;
  const std::size_t end = text.find('"', 1);
  return end != std::string_view::npos && without_blanks(text.substr(end + 1)).starts_with(':');
}

// `<p>…</p>` where a value begins.
bool is_markup(std::string_view line) {
  if (!line.contains("</") && !line.contains("/>") && !line.contains("<!")) return false;
  for (std::size_t at = line.find('<'); at != std::string_view::npos; at = line.find('<', at + 1)) {
    const std::string_view before = without_blanks(line.substr(0, at));
    const bool is_value = before.empty() ||
                          is_one_of(before.substr(before.size() - 1), {"=", "("}) ||
                          before.ends_with("=>") || last_word(before) == "return";
    const bool is_tag =
        !first_word(line.substr(at + 1)).empty() || line.substr(at).starts_with("<!");
    if (is_value && is_tag) return true;
  }
  return false;
}

// `def total(rows):`, `if x is None:`, `from datetime import date`
bool is_python(std::string_view line) {
  line = without_blanks(line);
  const std::string_view word = first_word(line);
  const std::string_view rest = without_blanks(line.substr(word.size()));
  if (word == "from") return rest.contains(" import ");
  if (word == "import")
    return !rest.empty() && rest.find_first_not_of(letters) == std::string_view::npos;
  if (word == "def") return line.ends_with(':');
  return line.ends_with(':') && !rest.starts_with('(') &&
         is_one_of(word, {"async", "class", "elif", "else", "except", "finally", "for", "if", "try",
                          "while", "with"});
}

bool has_python_line(std::string_view lines) {
  for (std::size_t end = 0; !lines.empty(); lines.remove_prefix(std::min(end + 1, lines.size()))) {
    end = std::min(lines.find('\n'), lines.size());
    if (is_python(lines.substr(0, end))) return true;
  }
  return false;
}

std::string_view advice_on_word(const WrongPlace& place) {
  const std::string_view word = first_word(place.rest());
  const std::string_view before = without_blanks(place.before());
  if (word == "and") return "write && for and";
  if (word == "or") return "write || for or";
  if (word == "is") return "write === for is";
  if (last_word(before) == "not") return "write ! for not";
  if (word == "for" && before.contains('['))
    return "write list.map((item) => …) for a list made from another";
  if (last_word(place.before()) == "f" &&
      (place.rest().starts_with('"') || place.rest().starts_with('\'')))
    return "write `…${value}…` for a text with values in it";
  if (word == "elif" || place.before().contains("} elif ")) return "write else if for elif";
  if (word == "except" || place.before().contains("} except "))
    return "write catch (error) for except";
  return {};
}

}  // namespace

std::string_view advice_on_foreign_text(std::string_view text, const WrongPlace& place) {
  if (has_python_line(place.lines_above) || is_python(place.line))
    return "it looks like Python, and a program is JavaScript or TypeScript";
  if (is_json(without_blanks(text.substr(0, max_bytes_read))))
    return "it looks like JSON: a statement that begins with an object needs parentheses, ({…})";
  if (is_markup(place.line))
    return "it looks like HTML or JSX, which is not supported: write it as a text, "
           "`<p>${value}</p>`";
  return advice_on_word(place);
}

}  // namespace cordon::host
