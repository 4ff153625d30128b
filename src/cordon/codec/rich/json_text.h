#pragma once

// JSON text, compact or pretty, for the two writers of the Runner serializer. Every function
// returns false once the buffer's limit is passed.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include "cordon/base/number_text.h"
#include "cordon/bytes.h"
#include "cordon/codec/json/quote.h"
#include "cordon/codec/json/text_buffer.h"
#include "cordon/codec/rich/serializer.h"

namespace cordon::rich {

class JsonText {
 public:
  JsonText(std::string& out, std::size_t max_bytes, Layout layout)
      : buffer_(out, max_bytes), pretty_(layout == Layout::pretty) {}

  bool raw(std::string_view text) {
    if (!buffer_.reserve(text.size())) return false;
    buffer_.put(text);
    return true;
  }

  bool raw(char byte) {
    if (!buffer_.reserve(1)) return false;
    buffer_.put(byte);
    return true;
  }

  bool quoted(std::string_view text) { return json::write_quoted(buffer_, text); }

  bool number(double number) {
    if (!buffer_.reserve(max_number)) return false;
    buffer_.advance_to(write_number(number, buffer_.cursor()));
    return true;
  }

  // Begins a line: for a part of a container at `level - 1`, or for the end of one at `level`.
  bool line(std::size_t level) { return !pretty_ || pretty_line(level); }

  // A key that needs no escapes, and its colon.
  bool plain_key(std::string_view key) {
    if (!buffer_.reserve(key.size() + 4)) return false;
    buffer_.put('"');
    buffer_.put(key);
    buffer_.put(pretty_ ? std::string_view("\": ") : std::string_view("\":"));
    return true;
  }

  bool colon() { return pretty_ ? raw(": ") : raw(':'); }

  // Writes {"__type":"ID","value": for a record at `level`. end_record() ends it.
  bool begin_record(std::string_view id, std::size_t level) {
    if (pretty_) {
      return raw('{') && line(level + 1) && plain_key("__type") && quoted(id) && raw(',') &&
             line(level + 1) && plain_key("value");
    }
    return raw(R"({"__type":)") && quoted(id) && raw(R"(,"value":)");
  }
  bool end_record(std::size_t level) { return line(level) && raw('}'); }

  // A record whose id and text need no escapes.
  bool plain_record(std::string_view id, std::string_view text, std::size_t level) {
    if (pretty_) return begin_record(id, level) && quoted(text) && end_record(level);
    if (!buffer_.reserve(id.size() + text.size() + 32)) return false;
    buffer_.put(R"({"__type":")");
    buffer_.put(id);
    buffer_.put(R"(","value":")");
    buffer_.put(text);
    buffer_.put(R"("})");
    return true;
  }

  // The bytes as an array of numbers.
  bool byte_array(BytesView bytes, std::size_t level) {
    if (!raw('[')) return false;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if ((i > 0 && !raw(',')) || !line(level + 1) || !number(bytes[i])) return false;
    }
    return (bytes.empty() || line(level)) && raw(']');
  }

  // An object of texts, in this order.
  struct Field {
    std::string_view key;
    std::string_view text;
  };
  bool text_object(std::initializer_list<Field> fields, std::size_t level) {
    bool first = true;
    if (!raw('{')) return false;
    for (const Field& field : fields) {
      if ((!first && !raw(',')) || !line(level + 1) || !plain_key(field.key) ||
          !quoted(field.text)) {
        return false;
      }
      first = false;
    }
    return line(level) && raw('}');
  }

  std::size_t size() const { return buffer_.size(); }
  // The text from `start` on, and a function that drops it.
  std::string_view since(std::size_t start) const {
    return {buffer_.cursor() - (size() - start), size() - start};
  }
  void cut(std::size_t start) { buffer_.advance_to(buffer_.cursor() - (size() - start)); }

  bool finish() { return buffer_.finish(); }

 private:
  static constexpr std::size_t max_number = 32;

  [[gnu::noinline]] bool pretty_line(std::size_t level) {
    const std::size_t spaces = 2 * level;
    if (!buffer_.reserve(spaces + 1)) return false;
    buffer_.put('\n');
    std::memset(buffer_.cursor(), ' ', spaces);
    buffer_.advance_to(buffer_.cursor() + spaces);
    return true;
  }

  json::TextBuffer buffer_;
  bool pretty_;
};

}  // namespace cordon::rich
