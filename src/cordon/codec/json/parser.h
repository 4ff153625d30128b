#pragma once

// The grammar of JSON, separate from what is made of it: decode builds a Value, validate builds
// nothing.
//
// A Sink has begin_array/begin_object/end_array/end_object, null/boolean/number/text for values,
// and for keys `expected_key` (a guess that spares the scan; returns the end of the key with its
// quote, or nullptr) and `key`. `keeps_text` says whether strings with escapes must be unescaped
// for it.
//
// Some functions are optional. `stopped` ends the run. `skips_text` says that the next string means
// nothing to the sink, so that it need not be unescaped. `take_object` recognises objects by their
// first bytes and returns how far it has read. `number_text` replaces `number` and gets the
// number's text. `at` gets the offset of each value and key before the sink gets the value or key
// itself.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "cordon/base/utf8.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/number.h"
#include "cordon/codec/json/scan.h"

namespace cordon::json {

// What a sink's take_object has read of an object, from its brace on.
struct TakenObject {
  enum class Part : std::uint8_t {
    nothing,
    head,  // up to the value of a member
    all,
  };
  Part part = Part::nothing;
  const char* end = nullptr;
};

// For a sink's expected_key: the place past the key and its quote, if the text continues with them;
// otherwise nullptr. The key holds no character that text would escape, so equal bytes and a quote
// are the key.
inline const char* past_key(const char* at, const char* end, std::string_view key) {
  const bool is_next = static_cast<std::size_t>(end - at) > key.size() && at[key.size()] == '"' &&
                       std::memcmp(at, key.data(), key.size()) == 0;
  return is_next ? at + key.size() + 1 : nullptr;
}

template <class Sink>
class Parser {
 public:
  Parser(std::string_view text, const DecodeOptions& options, Sink& sink)
      : begin_(text.data()),
        at_(text.data()),
        end_(text.data() + text.size()),
        max_depth_(options.max_depth),
        comments_(options.comments == Comments::allowed),
        sink_(sink) {}

  // False if the text is not JSON; then error, reason and offset tell why.
  bool run() {
    if (!skip_blanks()) return false;
    while (true) {
      const Step step = value();
      if (step == Step::failed) return false;
      if (step == Step::opened) continue;
      if constexpr (requires { sink_.stopped(); }) {
        if (sink_.stopped()) return false;
      }
      const Step next = after_value();
      if (next == Step::failed) return false;
      if (next == Step::finished) return true;
    }
  }

  ErrorCode error() const { return error_; }
  const char* reason() const { return reason_; }
  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  enum class Step : std::uint8_t {
    failed,
    opened,    // a value comes next
    complete,  // a value has just ended
    finished,  // the last one
  };

  Step value() {
    if (at_ == end_) return ended("expected a value");
    if constexpr (requires { sink_.at(offset()); }) sink_.at(offset());
    switch (*at_) {
      case '{':
        if constexpr (requires { sink_.take_object(at_, end_); }) {
          const TakenObject taken = sink_.take_object(at_, end_);
          if (taken.part == TakenObject::Part::all) {
            at_ = taken.end;
            return Step::complete;
          }
          if (taken.part == TakenObject::Part::head) {
            if (!enter(object)) return Step::failed;
            at_ = taken.end;
            return skip_blanks() ? Step::opened : Step::failed;
          }
        }
        return open_object();
      case '[':
        return open_array();
      case '"': {
        ++at_;
        Text text;
        if (!string(text)) return Step::failed;
        sink_.text(text.content);
        return Step::complete;
      }
      case 't':
        return literal("true", [this] { sink_.boolean(true); });
      case 'f':
        return literal("false", [this] { sink_.boolean(false); });
      case 'n':
        return literal("null", [this] { sink_.null(); });
      case '-':
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9': {
        const char* const start = at_;
        const NumberText number = read_number(at_, end_);
        at_ = number.end;
        if (number.problem != nullptr) return wrong(number.problem);
        if constexpr (requires { sink_.number_text(std::string_view(), 0.0); }) {
          sink_.number_text({start, number.end}, number.number);
        } else {
          sink_.number(number.number);
        }
        return Step::complete;
      }
      default:
        return wrong("expected a value");
    }
  }

  Step open_array() {
    if (!enter(array)) return Step::failed;
    sink_.begin_array();
    if (!skip_blanks()) return Step::failed;
    if (at_ == end_ || *at_ != ']') return Step::opened;
    return close();
  }

  Step open_object() {
    if (!enter(object)) return Step::failed;
    sink_.begin_object();
    if (!skip_blanks()) return Step::failed;
    if (at_ != end_ && *at_ == '}') return close();
    return member("expected a key or '}'");
  }

  // A key and its colon.
  Step member(const char* expected) {
    if (at_ == end_) return ended(expected);
    if (*at_ != '"') return wrong(expected);
    if constexpr (requires { sink_.at(offset()); }) sink_.at(offset());
    ++at_;
    if (const char* const after = sink_.expected_key(at_, end_)) {
      at_ = after;
    } else {
      Text text;
      if (!string(text)) return Step::failed;
      sink_.key(text.content, text.escaped);
    }
    if (!skip_blanks()) return Step::failed;
    if (at_ == end_) return ended("expected ':' after a key");
    if (*at_ != ':') return wrong("expected ':' after a key");
    ++at_;
    return skip_blanks() ? Step::opened : Step::failed;
  }

  // What may follow a value: the ends of containers, or a comma and the way to the next value.
  Step after_value() {
    while (true) {
      if (!skip_blanks()) return Step::failed;
      if (depth_ == 0) {
        return at_ == end_ ? Step::finished : wrong("expected nothing after the value");
      }
      const bool in_object = containers_[depth_ - 1] == object;
      const char* const expected = in_object ? "expected ',' or '}'" : "expected ',' or ']'";
      if (at_ == end_) return ended(expected);
      if (*at_ == ',') {
        ++at_;
        if (!skip_blanks()) return Step::failed;
        return in_object ? member("expected a key") : Step::opened;
      }
      if (*at_ != (in_object ? '}' : ']')) return wrong(expected);
      close();
    }
  }

  static constexpr char array = '[';
  static constexpr char object = '{';

  bool enter(char container) {
    if (depth_ >= max_depth_) {
      fail(ErrorCode::too_deep, "nested too deeply");
      return false;
    }
    ++at_;
    if (depth_ == containers_.size()) containers_.push_back(container);
    containers_[depth_++] = container;
    return true;
  }

  Step close() {
    ++at_;
    if (containers_[--depth_] == object) {
      sink_.end_object();
    } else {
      sink_.end_array();
    }
    return Step::complete;
  }

  template <class Deliver>
  Step literal(std::string_view word, Deliver deliver) {
    const std::string_view rest(at_, end_);
    if (!rest.starts_with(word)) {
      if (word.starts_with(rest)) return ended("expected a value");
      return wrong("expected a value");
    }
    at_ += word.size();
    deliver();
    return Step::complete;
  }

  struct Text {
    std::string_view content;
    bool escaped = false;
  };

  // From after the opening quote to after the closing one. The content lies in the input, or in
  // scratch_ until the next string.
  bool string(Text& text) {
    const char* const start = at_;
    bool not_ascii = false;
    const char* const stop = find_special(start, end_, not_ascii);
    if (stop == end_ || *stop != '"') return string_with_escapes(start, text);
    if (not_ascii && !check_utf8(start, stop)) return false;
    text.content = std::string_view(start, stop);
    at_ = stop + 1;
    return true;
  }

  bool keeps_text() const {
    if constexpr (requires { sink_.skips_text(); }) return Sink::keeps_text && !sink_.skips_text();
    return Sink::keeps_text;
  }

  bool string_with_escapes(const char* start, Text& text) {
    scratch_.clear();
    text.escaped = true;
    while (true) {
      bool not_ascii = false;
      const char* const stop = find_special(start, end_, not_ascii);
      if (not_ascii && !check_utf8(start, stop)) return false;
      if (keeps_text()) scratch_.append(start, stop);
      at_ = stop;
      if (stop == end_) {
        ended("string without its end");
        return false;
      }
      if (*stop == '"') {
        ++at_;
        text.content = scratch_;
        return true;
      }
      if (*stop != '\\') {
        wrong("control character in a string");
        return false;
      }
      if (!escape()) return false;
      start = at_;
    }
  }

  // From the backslash on.
  bool escape() {
    if (end_ - at_ < 2) {
      at_ = end_;
      ended("string without its end");
      return false;
    }
    char simple = 0;
    switch (at_[1]) {
      case '"':
      case '\\':
      case '/':
        simple = at_[1];
        break;
      case 'b':
        simple = '\b';
        break;
      case 'f':
        simple = '\f';
        break;
      case 'n':
        simple = '\n';
        break;
      case 'r':
        simple = '\r';
        break;
      case 't':
        simple = '\t';
        break;
      case 'u':
        return unicode_escape();
      default:
        wrong("unknown escape in a string");
        return false;
    }
    at_ += 2;
    if (keeps_text()) scratch_.push_back(simple);
    return true;
  }

  bool unicode_escape() {
    char32_t code_point = 0;
    if (!hex4(at_ + 2, code_point)) return false;
    at_ += 6;
    // A pair is one code point; half a pair stays what it is. Raw text holds no surrogates, so a
    // pair can come from two escapes in a row only.
    if (code_point >= 0xd800 && code_point < 0xdc00 && end_ - at_ >= 6 && at_[0] == '\\' &&
        at_[1] == 'u') {
      char32_t low = 0;
      if (!hex4(at_ + 2, low)) return false;
      if (low >= 0xdc00 && low < 0xe000) {
        at_ += 6;
        code_point = 0x10000 + ((code_point - 0xd800) << 10) + (low - 0xdc00);
      }
    }
    if (keeps_text()) {
      char bytes[4];
      scratch_.append(bytes, write_code_point(bytes, code_point));
    }
    return true;
  }

  bool hex4(const char* digits, char32_t& number) {
    number = 0;
    for (int i = 0; i < 4; ++i) {
      const char* const digit = digits + i;
      if (digit >= end_) {
        at_ = end_;
        ended("string without its end");
        return false;
      }
      const char lower = static_cast<char>(*digit | 0x20);
      if (*digit >= '0' && *digit <= '9') {
        number = number * 16 + static_cast<char32_t>(*digit - '0');
      } else if (lower >= 'a' && lower <= 'f') {
        number = number * 16 + static_cast<char32_t>(lower - 'a' + 10);
      } else {
        at_ = digit;
        wrong("\\u needs four hexadecimal digits");
        return false;
      }
    }
    return true;
  }

  bool check_utf8(const char* start, const char* stop) {
    const std::string_view text(start, stop);
    const std::size_t valid = valid_utf8_prefix(text);
    if (valid == text.size()) return true;
    at_ = start + valid;
    fail(ErrorCode::invalid_utf8, "bytes that are not UTF-8");
    return false;
  }

  bool skip_blanks() {
    if (at_ == end_ || (static_cast<unsigned char>(*at_) > ' ' && !(comments_ && *at_ == '/')))
      return true;
    return skip_many_blanks();
  }

  bool skip_many_blanks() {
    while (true) {
      while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
      if (!comments_ || at_ == end_ || *at_ != '/') return true;
      if (!skip_comment()) return false;
    }
  }

  bool skip_comment() {
    const std::string_view rest(at_, end_);
    const bool block = rest.starts_with("/*");
    if (!block && !rest.starts_with("//")) {
      wrong("expected a comment");
      return false;
    }
    const std::size_t end = block ? rest.find("*/", 2) : rest.find('\n');
    if (end == rest.npos && block) {
      at_ = end_;
      ended("comment without its end");
      return false;
    }
    const std::size_t size = end == rest.npos ? rest.size() : end + (block ? 2 : 1);
    if (!check_utf8(at_, at_ + size)) return false;
    at_ += size;
    return true;
  }

  Step wrong(const char* reason) {
    // If the text ends here, for example within a number, more of it could have been right.
    fail(at_ == end_ ? ErrorCode::truncated : ErrorCode::malformed, reason);
    return Step::failed;
  }

  Step ended(const char* reason) {
    at_ = end_;
    fail(ErrorCode::truncated, reason);
    return Step::failed;
  }

  void fail(ErrorCode error, const char* reason) {
    error_ = error;
    reason_ = reason;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t max_depth_;
  std::size_t depth_ = 0;
  bool comments_;
  Sink& sink_;
  std::string containers_;  // of array and object; a few need no allocation
  std::string scratch_;
  ErrorCode error_ = ErrorCode::malformed;
  const char* reason_ = "";
};

}  // namespace cordon::json
