#include "cordon/runners/plain_program.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cordon/base/utf8.h"

// A parser that builds nothing and accepts a part of the language. It must never accept what an
// engine refuses, so it refuses whatever needs a rule of its own: types, classes, generators,
// functions but arrows and declarations, regular expressions, `var`, labels, `switch`, `**`,
// escapes that may be wrong, and anything that is not ASCII outside of strings, templates and
// comments. What it accepts it has checked for the early errors that are left: names that are
// declared twice, `await` outside of async functions, `break` outside of loops, and what may not be
// assigned to.

namespace cordon::runners {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

template <std::size_t count>
bool is_among(std::string_view word, const std::array<std::string_view, count>& words) {
  return std::ranges::find(words, word) != words.end();
}

// Words that are no names, or not everywhere.
bool is_special(std::string_view word) {
  static constexpr std::array words = std::to_array<std::string_view>(
      {"arguments", "async",    "await",      "break",   "case",    "catch",      "class",
       "const",     "continue", "debugger",   "default", "delete",  "do",         "else",
       "enum",      "eval",     "export",     "extends", "false",   "finally",    "for",
       "function",  "if",       "implements", "import",  "in",      "instanceof", "interface",
       "let",       "new",      "null",       "of",      "package", "private",    "protected",
       "public",    "return",   "static",     "super",   "switch",  "this",       "throw",
       "true",      "try",      "typeof",     "using",   "var",     "void",       "while",
       "with",      "yield"});
  static_assert(std::ranges::is_sorted(words));
  return word[0] >= 'a' && std::ranges::binary_search(words, word);
}

// A carriage return that does not stand before a line feed, or one of the two other characters that
// end a line.
bool has_other_line_end(std::string_view comment) {
  if (comment.contains("\xe2\x80\xa8") || comment.contains("\xe2\x80\xa9")) return true;
  for (std::size_t at = comment.find('\r'); at != std::string_view::npos;
       at = comment.find('\r', at + 1))
    if (at + 1 < comment.size() && comment[at + 1] != '\n') return true;
  return false;
}

enum class Kind : std::uint8_t { end, word, number, string, template_text, sign, unknown };

struct Token {
  Kind kind = Kind::end;
  std::string_view text = {};
  bool is_on_new_line = false;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  void go_back(std::size_t at) { at_ = at; }

  Token next() {
    bool is_on_new_line = false;
    if (!skip_blanks(is_on_new_line)) return {Kind::unknown, {}, is_on_new_line};
    const std::size_t start = at_;
    const Kind kind = at_ == text_.size() ? Kind::end : scan();
    return {kind, text_.substr(start, at_ - start), is_on_new_line};
  }

  // The rest of a template after its backquote or after an expression: true if it ends here, false
  // if an expression follows, nothing if it is refused.
  std::optional<bool> rest_of_template() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '`') return ++at_, true;
      if (c == '$' && next_is(1, '{')) return at_ += 2, false;
      if (c == '\\' && !skip_escape()) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  bool next_is(std::size_t after, char c) const {
    return at_ + after < text_.size() && text_[at_ + after] == c;
  }

  // False at a character that may or may not be a blank.
  bool skip_blanks(bool& is_on_new_line) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        is_on_new_line = true;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        if (c == '\r' && !next_is(1, '\n')) return false;
        ++at_;
      } else if (c == '/' && next_is(1, '/')) {
        const std::size_t start = at_;
        at_ = std::min(text_.find('\n', at_), text_.size());
        if (has_other_line_end(text_.substr(start, at_ - start))) return false;
      } else if (c == '/' && next_is(1, '*')) {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return false;
        const std::string_view comment = text_.substr(at_, end + 2 - at_);
        if (has_other_line_end(comment)) return false;
        is_on_new_line = is_on_new_line || comment.contains('\n');
        at_ = end + 2;
      } else {
        return true;
      }
    }
    return true;
  }

  Kind scan() {
    const char c = text_[at_];
    if (is_name_start(c)) {
      while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
      return ends_well() ? Kind::word : Kind::unknown;
    }
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])))
      return number();
    if (c == '"' || c == '\'') return string(c);
    if (c == '`') return ++at_, Kind::template_text;
    return sign();
  }

  // A name or a number ends here: no escape, and no letter that is not ASCII.
  bool ends_well() const {
    return at_ == text_.size() ||
           (text_[at_] != '\\' && static_cast<unsigned char>(text_[at_]) < 0x80);
  }

  Kind number() {
    const std::size_t start = at_;
    skip_digits();
    if (text_[start] == '0' && at_ - start > 1) return Kind::unknown;
    if (next_is(0, '.')) {
      ++at_;
      skip_digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (next_is(0, '-') || next_is(0, '+')) ++at_;
      if (!skip_digits()) return Kind::unknown;
    }
    const bool is_followed = at_ < text_.size() && (is_name_part(text_[at_]) || text_[at_] == '.');
    return is_followed || !ends_well() ? Kind::unknown : Kind::number;
  }
  bool skip_digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ > start;
  }

  Kind string(char quote) {
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == quote) return ++at_, Kind::string;
      if (c == '\n' || c == '\r') return Kind::unknown;
      if (c == '\\' && !skip_escape()) return Kind::unknown;
    }
    return Kind::unknown;
  }

  // Stops at its second character. Hexadecimal and octal ones may be wrong.
  bool skip_escape() {
    ++at_;
    return at_ < text_.size() && std::string_view("\\'\"`nrtbfv$/").contains(text_[at_]);
  }

  Kind sign() {
    const std::size_t size = size_of_sign(text_.substr(at_));
    at_ += size;
    return size == 0 ? Kind::unknown : Kind::sign;
  }

  // 0 for what is not known here.
  static std::size_t size_of_sign(std::string_view rest) {
    const auto after = [rest](std::size_t at) { return at < rest.size() ? rest[at] : '\0'; };
    const char c = rest[0];
    switch (c) {
      case '{':
      case '}':
      case '(':
      case ')':
      case '[':
      case ']':
      case ';':
      case ',':
      case ':':
        return 1;
      case '.':
        return after(1) == '.' ? (after(2) == '.' ? 3 : 0) : 1;
      case '=':
        if (after(1) == '>') return 2;
        [[fallthrough]];
      case '!':
        return after(1) != '=' ? 1 : after(2) == '=' ? 3 : 2;
      case '<':
      case '>':
        // Shifts, and what was a comment once.
        if (after(1) == c || after(1) == '!') return 0;
        return after(1) == '=' ? 2 : 1;
      case '-':
        if (rest.starts_with("-->")) return 0;
        [[fallthrough]];
      case '+':
        return after(1) == c || after(1) == '=' ? 2 : 1;
      case '*':
        if (after(1) == '*') return 0;
        [[fallthrough]];
      case '/':
      case '%':
        return after(1) == '=' ? 2 : 1;
      case '&':
      case '|':
        if (after(1) == '=') return 0;
        return after(1) != c ? 1 : after(2) == '=' ? 3 : 2;
      case '^':
        return after(1) == '=' ? 0 : 1;
      case '?':
        // In `a?.5:1` it is a condition.
        if (after(1) == '.') return is_digit(after(2)) ? 0 : 2;
        return after(1) != '?' ? 1 : after(2) == '=' ? 3 : 2;
      default:
        return 0;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// What an expression has turned out to be, as far as it matters to what may follow it.
struct Found {
  bool is_good = false;
  bool may_be_assigned = false;
};
constexpr Found refused{};

class Checker {
 public:
  explicit Checker(std::string_view text) : scanner_(text) { take(); }

  bool run() {
    // A directive stands in a string at the front, and what begins as a function may be one.
    const bool may_be_lone = is("(") || is_word("async") || is_word("function") ||
                             token_.kind == Kind::string ||
                             (token_.kind == Kind::word && peek().text == "=>");
    if (may_be_lone) return false;
    const Block block(*this);
    while (token_.kind != Kind::end)
      if (!statement(Place::list)) return false;
    return true;
  }

 private:
  static constexpr std::size_t max_depth = 200;
  enum class Place : std::uint8_t { list, alone };

  // The names that a block declares.
  class Block {
   public:
    explicit Block(Checker& checker) : checker_(checker), outer_(checker.block_begin_) {
      checker.block_begin_ = checker.names_.size();
    }
    ~Block() {
      checker_.names_.resize(checker_.block_begin_);
      checker_.block_begin_ = outer_;
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

   private:
    Checker& checker_;
    const std::size_t outer_;
  };

  class Depth {
   public:
    explicit Depth(Checker& checker) : checker_(checker) { ++checker.depth_; }
    ~Depth() { --checker_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    bool is_too_large() const { return checker_.depth_ > max_depth; }

   private:
    Checker& checker_;
  };

  // --- tokens

  void take() { token_ = scanner_.next(); }
  Token peek() {
    const std::size_t at = scanner_.at();
    const Token next = scanner_.next();
    scanner_.go_back(at);
    return next;
  }
  bool is(std::string_view sign) const { return token_.kind == Kind::sign && token_.text == sign; }
  bool is_word(std::string_view word) const {
    return token_.kind == Kind::word && token_.text == word;
  }
  bool eat(std::string_view sign) {
    if (!is(sign)) return false;
    take();
    return true;
  }
  bool eat_word(std::string_view word) {
    if (!is_word(word)) return false;
    take();
    return true;
  }
  bool is_name() const { return token_.kind == Kind::word && !is_special(token_.text); }

  // Also where a line end or the end stands for it.
  bool end_of_statement() {
    return eat(";") || is("}") || token_.kind == Kind::end || token_.is_on_new_line;
  }

  // --- statements

  bool statement(Place place) {
    const Depth depth(*this);
    if (depth.is_too_large()) return false;
    if (eat(";")) return true;
    if (is("{")) return block();
    if (token_.kind != Kind::word || !is_special(token_.text)) return expression_statement();
    if (is_word("const") || is_word("let")) return place == Place::list && declaration();
    if (is_word("function") || (is_word("async") && peek().text == "function"))
      return place == Place::list && function();
    if (eat_word("if")) return condition();
    if (eat_word("for")) return loop();
    if (eat_word("while")) return in_parentheses() && body_of_loop();
    if (eat_word("try")) return attempt();
    if (eat_word("return")) {
      if (is(";") || is("}") || token_.kind == Kind::end || token_.is_on_new_line)
        return end_of_statement();
      return expression() && end_of_statement();
    }
    if (eat_word("throw")) return !token_.is_on_new_line && expression() && end_of_statement();
    if (is_word("break") || is_word("continue")) {
      take();
      return loops_ > 0 && end_of_statement();
    }
    return expression_statement();
  }

  bool expression_statement() { return expression() && end_of_statement(); }

  bool block() {
    const Block names(*this);
    return statements_in_braces();
  }
  bool statements_in_braces() {
    if (!eat("{")) return false;
    while (!is("}"))
      if (token_.kind == Kind::end || !statement(Place::list)) return false;
    take();
    return true;
  }

  bool in_parentheses() { return eat("(") && expression() && eat(")"); }

  bool condition() {
    if (!in_parentheses() || !statement(Place::alone)) return false;
    return !eat_word("else") || statement(Place::alone);
  }

  bool body_of_loop() {
    ++loops_;
    const bool is_good = statement(Place::alone);
    --loops_;
    return is_good;
  }

  // for (const a of b), for (let i = 0; …; …)
  bool loop() {
    const Block names(*this);
    if (!eat("(")) return false;
    if (!is_word("const") && !is_word("let")) return false;
    const bool is_constant = is_word("const");
    take();
    const bool is_pattern = !is_name();
    if (!binding()) return false;
    if (eat_word("of")) return assignment().is_good && eat(")") && body_of_loop();
    const bool has_value = eat("=");
    if (has_value ? !assignment().is_good : is_constant || is_pattern) return false;
    while (eat(",")) {
      if (!is_name() || !binding() || !eat("=") || !assignment().is_good) return false;
    }
    if (!eat(";") || (!is(";") && !expression()) || !eat(";")) return false;
    return (is(")") || expression()) && eat(")") && body_of_loop();
  }

  bool attempt() {
    if (!block()) return false;
    const bool has_catch = eat_word("catch");
    if (has_catch) {
      const Block names(*this);
      if (eat("(") && !(binding() && eat(")"))) return false;
      if (!statements_in_braces()) return false;
    }
    if (eat_word("finally")) return block();
    return has_catch;
  }

  bool declaration() {
    const bool is_constant = is_word("const");
    take();
    do {
      const bool is_pattern = !is_name();
      if (!binding()) return false;
      if (eat("=")) {
        if (!assignment().is_good) return false;
      } else if (is_constant || is_pattern) {
        return false;
      }
    } while (eat(","));
    return end_of_statement();
  }

  // A name, or a pattern of names.
  bool binding() {
    const Depth depth(*this);
    if (depth.is_too_large()) return false;
    if (eat("{")) return rest_of_object_pattern();
    if (eat("[")) return rest_of_array_pattern();
    return is_name() && declare();
  }
  bool declare() {
    const std::span<const std::string_view> own = std::span(names_).subspan(block_begin_);
    // Linear only where a block has few names.
    constexpr std::size_t max_names = 200;
    if (own.size() == max_names || std::ranges::find(own, token_.text) != own.end()) return false;
    names_.push_back(token_.text);
    take();
    return true;
  }
  bool with_default() { return !eat("=") || assignment().is_good; }
  bool rest_of_object_pattern() {
    while (!eat("}")) {
      if (eat("...")) return is_name() && declare() && eat("}");
      if (token_.kind == Kind::word && peek().text == ":") {
        take();
        take();
        if (!binding()) return false;
      } else if (!is_name() || !declare()) {
        return false;
      }
      if (!with_default() || (!is("}") && !eat(","))) return false;
    }
    return true;
  }
  bool rest_of_array_pattern() {
    while (!eat("]")) {
      if (eat("...")) return is_name() && declare() && eat("]");
      if (!binding() || !with_default() || (!is("]") && !eat(","))) return false;
    }
    return true;
  }

  // --- expressions

  bool expression() {
    do {
      if (!assignment().is_good) return false;
    } while (eat(","));
    return true;
  }

  Found assignment() {
    const Depth depth(*this);
    if (depth.is_too_large()) return refused;
    if (begins_arrow()) return {.is_good = arrow()};
    const Found left = operators();
    if (!left.is_good) return refused;
    static constexpr std::array assigning =
        std::to_array<std::string_view>({"=", "+=", "-=", "*=", "/=", "%=", "&&=", "||=", "?\?="});
    if (token_.kind == Kind::sign && is_among(token_.text, assigning)) {
      take();
      return {.is_good = left.may_be_assigned && assignment().is_good};
    }
    if (!eat("?")) return {.is_good = true};
    return {.is_good = assignment().is_good && eat(":") && assignment().is_good};
  }

  // Operands and what stands between them. Which binds stronger does not matter, but for `??`
  // beside `||` and `&&`.
  Found operators() {
    bool has_nullish = false;
    bool has_logical = false;
    Found found = operand();
    while (found.is_good && is_between()) {
      has_nullish = has_nullish || is("??");
      has_logical = has_logical || is("||") || is("&&");
      take();
      found = operand();
      found.may_be_assigned = false;
    }
    return has_nullish && has_logical ? refused : found;
  }
  bool is_between() const {
    static constexpr std::array between =
        std::to_array<std::string_view>({"===", "!==", "==", "!=", "<=", ">=", "<", ">", "&&", "||",
                                         "??", "+", "-", "*", "/", "%", "&", "|", "^"});
    return is_word("instanceof") || (token_.kind == Kind::sign && is_among(token_.text, between));
  }

  Found operand() {
    const Depth depth(*this);
    if (depth.is_too_large()) return refused;
    if (is("!") || is("-") || is("+") || is_word("typeof") || is_word("void")) {
      take();
      return {.is_good = operand().is_good};
    }
    if (is_word("await")) {
      take();
      return {.is_good = may_await_ && operand().is_good};
    }
    if (is("++") || is("--")) {
      take();
      const Found found = operand();
      return {.is_good = found.is_good && found.may_be_assigned};
    }
    Found found = chain();
    // On another line it belongs to what follows.
    if (found.is_good && (is("++") || is("--")) && !token_.is_on_new_line) {
      if (!found.may_be_assigned) return refused;
      take();
      found.may_be_assigned = false;
    }
    return found;
  }

  // A value, and members and calls of it.
  Found chain() {
    const bool is_new = eat_word("new");
    if (is_new && !constructed()) return refused;
    Found found = is_new ? Found{.is_good = true} : value();
    bool has_optional = false;
    while (found.is_good) {
      if (is("?.")) {
        has_optional = true;
        take();
        if (token_.kind == Kind::word) {
          take();
        } else if (!(is("(") ? arguments() : is("[") && index())) {
          return refused;
        }
        found.may_be_assigned = false;
      } else if (eat(".")) {
        if (token_.kind != Kind::word) return refused;
        take();
        found.may_be_assigned = !has_optional;
      } else if (is("[")) {
        if (!index()) return refused;
        found.may_be_assigned = !has_optional;
      } else if (is("(")) {
        if (!arguments()) return refused;
        found.may_be_assigned = false;
      } else {
        // A tag is not known here.
        if (token_.kind == Kind::template_text) return refused;
        break;
      }
    }
    return found;
  }
  // new A.B(…)
  bool constructed() {
    if (!is_name()) return false;
    take();
    while (eat(".")) {
      if (token_.kind != Kind::word) return false;
      take();
    }
    return is("(") && arguments();
  }
  bool index() { return eat("[") && expression() && eat("]"); }
  bool arguments() { return eat("(") && elements(")"); }
  // Up to `end`, without holes.
  bool elements(std::string_view end) {
    while (!eat(end)) {
      (void)eat("...");
      if (!assignment().is_good || (!is(end) && !eat(","))) return false;
    }
    return true;
  }

  Found value() {
    switch (token_.kind) {
      case Kind::number:
      case Kind::string:
        take();
        return {.is_good = true};
      case Kind::template_text:
        return {.is_good = template_text()};
      case Kind::word: {
        const bool is_variable = is_name();
        static constexpr std::array constants =
            std::to_array<std::string_view>({"true", "false", "null", "this"});
        if (!is_variable && !is_among(token_.text, constants)) return refused;
        take();
        return {.is_good = true, .may_be_assigned = is_variable};
      }
      case Kind::sign:
        if (eat("(")) return {.is_good = expression() && eat(")")};
        if (eat("[")) return {.is_good = elements("]")};
        if (eat("{")) return {.is_good = rest_of_object()};
        return refused;
      default:
        return refused;
    }
  }

  // The token is its backquote, and the scanner stands behind it.
  bool template_text() {
    while (true) {
      const std::optional<bool> is_over = scanner_.rest_of_template();
      if (!is_over) return false;
      take();
      if (*is_over) return true;
      // After the brace the text goes on, so no token is taken.
      if (!expression() || !is("}")) return false;
    }
  }

  bool rest_of_object() {
    while (!eat("}")) {
      if (eat("...")) {
        if (!assignment().is_good) return false;
      } else if (!member()) {
        return false;
      }
      if (!is("}") && !eat(",")) return false;
    }
    return true;
  }
  bool member() {
    const bool is_shorthand = is_name();
    if (is("[")) {
      if (!(eat("[") && assignment().is_good && eat("]"))) return false;
      return eat(":") && assignment().is_good;
    }
    if (token_.kind != Kind::word && token_.kind != Kind::number && token_.kind != Kind::string)
      return false;
    // It may come once only.
    if (token_.text.contains("__proto__")) return false;
    take();
    if (eat(":")) return assignment().is_good;
    return is_shorthand && (is(",") || is("}"));
  }

  // --- arrow functions

  bool begins_arrow() {
    if (is_word("async")) return true;  // nothing else that begins so is known here
    if (token_.kind == Kind::word) return is_name() && peek().text == "=>";
    return is("(") && closes_before_arrow();
  }

  // Whether `=>` follows the parenthesis that closes this one. It looks ahead each time, so it
  // gives up where it would look too often.
  bool closes_before_arrow() {
    const std::size_t at = scanner_.at();
    std::size_t open = 1;
    Token token;
    while (open > 0 && looked_at_ < max_looked_at_) {
      ++looked_at_;
      token = scanner_.next();
      // The text of a template is none of tokens, and a function has no template in its head.
      if (token.kind == Kind::end || token.kind == Kind::unknown ||
          token.kind == Kind::template_text)
        break;
      if (token.kind != Kind::sign) continue;
      if (token.text == "(") ++open;
      if (token.text == ")") --open;
    }
    const Token after = open == 0 ? scanner_.next() : Token{};
    scanner_.go_back(at);
    return after.kind == Kind::sign && after.text == "=>";
  }

  bool arrow() {
    const bool is_async = eat_word("async");
    if (is_async && token_.is_on_new_line) return false;
    return inside([this, is_async] {
      return parameters() && !token_.is_on_new_line && eat("=>") && body(is_async);
    });
  }
  // A declaration, whose name belongs to the block around it.
  bool function() {
    const bool is_async = eat_word("async");
    if ((is_async && token_.is_on_new_line) || !eat_word("function")) return false;
    if (!is_name() || !declare()) return false;
    return inside(
        [this, is_async] { return is("(") && parameters() && is("{") && body(is_async); });
  }
  // Its parameters and its body are in none of the loops around it.
  template <class Read>
  bool inside(Read read) {
    const Block names(*this);
    const bool could_await = std::exchange(may_await_, false);  // not in parameters
    const std::size_t loops = std::exchange(loops_, 0);
    const bool is_good = read();
    may_await_ = could_await;
    loops_ = loops;
    return is_good;
  }
  bool parameters() {
    if (!eat("(")) return is_name() && declare();
    while (!eat(")")) {
      if (eat("...")) return binding() && eat(")");
      if (!binding() || !with_default() || (!is(")") && !eat(","))) return false;
    }
    return true;
  }
  bool body(bool is_async) {
    may_await_ = is_async;
    if (!is("{")) return assignment().is_good;
    // Its parameters are names of its block. Directives may refuse some of them.
    return peek().kind != Kind::string && statements_in_braces();
  }

  Scanner scanner_;
  Token token_;
  std::vector<std::string_view> names_;  // of the blocks around this place
  std::size_t block_begin_ = 0;
  std::size_t depth_ = 0;
  std::size_t loops_ = 0;
  bool may_await_ = true;
  std::size_t looked_at_ = 0;  // tokens
  static constexpr std::size_t max_looked_at_ = 100'000;
};

}  // namespace

bool is_plain_program(std::string_view text) {
  return Checker(text).run() && !text.contains('\0') && is_utf8(text);
}

}  // namespace cordon::runners
