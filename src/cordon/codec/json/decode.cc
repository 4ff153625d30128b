#include "cordon/codec/json/decode.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "cordon/codec/json/parser.h"
#include "cordon/value/value_builder.h"

namespace cordon::json {
namespace {

// Builds the Value.
//
// JSON repeats itself: the objects of a list mostly have the same keys in the same order. So the
// keys of the last object at each level are taken as a guess for the next one. Where the guess is
// right, a key is neither scanned nor copied, and the object is known to have no duplicates, as the
// one before had none.
class BuildingSink {
 public:
  static constexpr bool keeps_text = true;

  BuildingSink() { open_.reserve(16); }

  void begin_array() { open_.push_back({builder_.mark(), {}, false, false}); }

  void begin_object() {
    const std::size_t level = open_.size();
    open_.push_back({builder_.mark(),
                     level < shapes_.size() ? shapes_[level] : std::span<const Member>(), true,
                     true});
  }

  void end_array() {
    const ValueView array = builder_.array_since(open_.back().mark);
    open_.pop_back();
    builder_.push(array);
  }

  void end_object() {
    const Open open = open_.back();
    open_.pop_back();
    const ValueView object =
        builder_.object_since(open.mark, open.as_expected ? Keys::distinct : Keys::any);
    if (!open.as_expected && open_.size() < shapes_.size()) {
      shapes_[open_.size()] = open.plain_keys ? object.members() : std::span<const Member>();
    }
    builder_.push(object);
  }

  // A guessed key holds no character that text would escape, so equal bytes and a quote are the
  // key.
  const char* expected_key(const char* at, const char* end) {
    Open& open = open_.back();
    if (!open.as_expected) return nullptr;
    const std::size_t position = (builder_.mark() - open.mark) / 2;
    if (position < open.shape.size()) {
      const ValueView name = open.shape[position].name;
      const std::string_view key = name.as_string();
      if (static_cast<std::size_t>(end - at) > key.size() && at[key.size()] == '"' &&
          std::memcmp(at, key.data(), key.size()) == 0) {
        builder_.push(name);
        return at + key.size() + 1;
      }
    }
    open.as_expected = false;
    return nullptr;
  }

  void key(std::string_view key, bool escaped) {
    if (escaped) open_.back().plain_keys = false;
    builder_.push(builder_.string(key));
  }

  void text(std::string_view text) { builder_.push(builder_.string(text)); }
  void number(double number) { builder_.push(number); }
  void boolean(bool boolean) { builder_.push(boolean); }
  void null() { builder_.push(nullptr); }

  Value finish() { return builder_.finish(builder_.since(0)[0]); }

 private:
  struct Open {
    std::size_t mark;
    std::span<const Member> shape;
    bool as_expected;
    bool plain_keys;
  };

  static constexpr std::size_t levels_with_shapes = 16;

  ValueBuilder builder_;
  std::vector<Open> open_;
  std::array<std::span<const Member>, levels_with_shapes> shapes_;
};

class ValidatingSink {
 public:
  static constexpr bool keeps_text = false;

  void begin_array() {}
  void begin_object() {}
  void end_array() {}
  void end_object() {}
  const char* expected_key(const char*, const char*) { return nullptr; }
  void key(std::string_view, bool) {}
  void text(std::string_view) {}
  void number(double) {}
  void boolean(bool) {}
  void null() {}
};

std::unexpected<Error> failure(std::string_view text, std::size_t offset, Errc code,
                               std::string_view reason, Position* failed_at) {
  const Position at = position_of(text, offset);
  if (failed_at != nullptr) *failed_at = at;
  std::string detail(reason);
  detail.append(" at line ").append(std::to_string(at.line));
  detail.append(", column ").append(std::to_string(at.column));
  detail.append(" (byte ").append(std::to_string(at.offset)).append(")");
  return fail(code, std::move(detail));
}

template <class Sink>
Result<> parse(std::string_view text, const DecodeOptions& options, Position* failed_at,
               Sink& sink) {
  if (text.size() > options.max_bytes) {
    return failure(text, options.max_bytes, Errc::too_large, "JSON text past its limit", failed_at);
  }
  Parser<Sink> parser(text, options, sink);
  if (!parser.run()) {
    return failure(text, parser.offset(), parser.error(), parser.reason(), failed_at);
  }
  return {};
}

}  // namespace

Result<Value> decode(std::string_view text, const DecodeOptions& options, Position* failed_at) {
  BuildingSink sink;
  CORDON_TRY(parse(text, options, failed_at, sink));
  return sink.finish();
}

Result<> validate(std::string_view text, const DecodeOptions& options, Position* failed_at) {
  ValidatingSink sink;
  return parse(text, options, failed_at, sink);
}

Position position_of(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const std::string_view line = newline == before.npos ? before : before.substr(newline + 1);
  const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return {
      .line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n')),
      .column = 1 + static_cast<std::size_t>(std::ranges::count_if(line, is_start)),
      .offset = offset,
  };
}

}  // namespace cordon::json
