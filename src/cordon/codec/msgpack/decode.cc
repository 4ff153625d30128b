#include "cordon/codec/msgpack/decode.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/base/number_text.h"
#include "cordon/base/utf8.h"
#include "cordon/codec/distinct.h"
#include "cordon/codec/msgpack/format.h"
#include "cordon/value/value_builder.h"

namespace cordon::msgpack {
namespace {

// Most text in messages is a word or two of ASCII, which needs no decoding.
bool is_short_ascii(const std::uint8_t* at, std::size_t size) {
  std::uint8_t all = 0;
  for (std::size_t i = 0; i < size; ++i) all |= at[i];
  return all < 0x80;
}

// Reads without recursion: `open_` holds the containers whose parts are still to come, and each
// round of run() reads one part of the innermost.
//
// A count is a claim of the sender's. Each part takes a byte at least, and so does each part that
// the containers around it still expect (`owed_`). A count is refused if the rest of the input
// could not hold all of them. So the memory that is reserved stays in proportion to the input,
// however the containers are nested. `start_` is where the value begins that is being read, for
// errors.
class Decoder {
 public:
  Decoder(BytesView in, const DecodeOptions& options)
      : begin_(in.data()),
        at_(begin_),
        end_(begin_ + in.size()),
        options_(options),
        elements_left_(options.max_elements),
        builder_(options.budget ? options.budget : Budget::for_message(in.size())) {}

  bool run() {
    if (!value()) return false;
    while (!open_.empty()) {
      if (open_.back().left == 0) {
        if (!close()) return false;
        continue;
      }
      --open_.back().left;
      --owed_;
      if (!value()) return false;
    }
    start_ = at_;
    return at_ == end_ || wrong(ErrorCode::malformed, "bytes after the value");
  }

  Value finish() { return builder_.finish(root_); }

  ErrorCode code() const { return code_; }
  const char* reason() const { return reason_; }
  std::size_t offset() const { return static_cast<std::size_t>(start_ - begin_); }

 private:
  // A container whose parts are still to come. They are put where they stay, since their number
  // comes first.
  struct Open {
    std::span<ValueView> parts;  // two for each entry of a map
    std::size_t left;            // how many parts are still to come
    const std::uint8_t* start;   // where its first byte lies, for errors
    bool map;
  };

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  // Reads one value, or the head of an array or map whose parts come next.
  bool value() {
    start_ = at_;
    if (at_ == end_) return cut();
    const std::uint8_t first = *at_++;
    if (first <= positive_fixint_last) return push(first);
    if (first >= negative_fixint) return push(static_cast<std::int8_t>(first));
    if (first < fixarray) return open_map(first & 0x0fu);
    if (first < fixstr) return open_array(first & 0x0fu);
    if (first < nil) return text(first & 0x1fu);

    switch (first) {
      case nil:
        return push(nullptr);
      case false_:
        return push(false);
      case true_:
        return push(true);
      case bin8:
        return sized<std::uint8_t>(&Decoder::bytes);
      case bin16:
        return sized<std::uint16_t>(&Decoder::bytes);
      case bin32:
        return sized<std::uint32_t>(&Decoder::bytes);
      case ext8:
        return sized<std::uint8_t>(&Decoder::extension);
      case ext16:
        return sized<std::uint16_t>(&Decoder::extension);
      case ext32:
        return sized<std::uint32_t>(&Decoder::extension);
      case float32: {
        std::uint32_t bits = 0;
        return take(bits) && floating(std::bit_cast<float>(bits));
      }
      case float64: {
        std::uint64_t bits = 0;
        return take(bits) && floating(std::bit_cast<double>(bits));
      }
      case uint8:
        return integer<std::uint8_t>();
      case uint16:
        return integer<std::uint16_t>();
      case uint32:
        return integer<std::uint32_t>();
      case uint64:
        return integer<std::uint64_t>();
      case int8:
        return integer<std::int8_t>();
      case int16:
        return integer<std::int16_t>();
      case int32:
        return integer<std::int32_t>();
      case int64:
        return integer<std::int64_t>();
      case fixext1:
        return extension(1);
      case fixext2:
        return extension(2);
      case fixext4:
        return extension(4);
      case fixext8:
        return extension(8);
      case fixext16:
        return extension(16);
      case str8:
        return sized<std::uint8_t>(&Decoder::text);
      case str16:
        return sized<std::uint16_t>(&Decoder::text);
      case str32:
        return sized<std::uint32_t>(&Decoder::text);
      case array16:
        return sized<std::uint16_t>(&Decoder::open_array);
      case array32:
        return sized<std::uint32_t>(&Decoder::open_array);
      case map16:
        return sized<std::uint16_t>(&Decoder::open_map);
      case map32:
        return sized<std::uint32_t>(&Decoder::open_map);
      default:
        return wrong(ErrorCode::malformed, "the byte 0xc1 begins no value");
    }
  }

  bool push(ValueView node) {
    if (open_.empty()) {
      root_ = node;
    } else {
      const Open& parent = open_.back();
      parent.parts[parent.parts.size() - parent.left - 1] = node;
    }
    return true;
  }

  bool floating(double number) {
    if (options_.not_finite == NotFinite::refused && !std::isfinite(number)) {
      return wrong(ErrorCode::unsupported, "a number that is not finite");
    }
    return push(number);
  }

  template <std::unsigned_integral T>
  bool take(T& number) {
    if (left() < sizeof(T)) return cut();
    std::memcpy(&number, at_, sizeof(T));
    if constexpr (std::endian::native == std::endian::little) number = std::byteswap(number);
    at_ += sizeof(T);
    return true;
  }

  template <class T>
  bool sized(bool (Decoder::*read)(std::size_t)) {
    T size = 0;
    return take(size) && (this->*read)(size);
  }

  template <class T>
  bool integer() {
    std::make_unsigned_t<T> bits = 0;
    if (!take(bits)) return false;
    const auto number = static_cast<T>(bits);
    if constexpr (sizeof(T) == 8) {
      constexpr auto safe = static_cast<T>(max_safe_integer);
      const bool large = number > safe || (std::signed_integral<T> && number < T{0} - safe);
      if (large && options_.large_integers == LargeIntegers::bigint) {
        char digits[24];
        const char* const digits_end = std::to_chars(digits, digits + sizeof digits, number).ptr;
        return push(*builder_.bigint({digits, digits_end}));
      }
    }
    return push(number);
  }

  bool text(std::size_t size) {
    if (size > left()) return cut();
    const std::string_view content = as_text({at_, size});
    if (size > 32 || !is_short_ascii(at_, size)) {
      const std::size_t valid = valid_wtf8_prefix(content);
      if (valid != size) {
        start_ = at_ + valid;
        return wrong(ErrorCode::invalid_utf8, "bytes that are not UTF-8");
      }
    }
    at_ += size;
    return push(builder_.string(content));
  }

  bool bytes(std::size_t size) {
    if (size > left()) return cut();
    const BytesView content(at_, size);
    at_ += size;
    return push(builder_.typed_array(ElementType::uint8, content));
  }

  bool open_array(std::size_t count) {
    // An element takes a byte at least, and so does each that the containers around this one still
    // expect.
    if (count > left() - std::min(owed_, left()))
      return wrong(ErrorCode::truncated, "array longer than its input");
    return open(count, count, false);
  }

  bool open_map(std::size_t count) {
    if (count > (left() - std::min(owed_, left())) / 2)
      return wrong(ErrorCode::truncated, "map longer than its input");
    return open(count, 2 * count, true);
  }

  bool open(std::size_t elements, std::size_t nodes, bool map) {
    if (open_.size() >= options_.max_depth) return wrong(ErrorCode::too_deep, "nested too deeply");
    if (elements > elements_left_) return wrong(ErrorCode::too_large, "more elements than allowed");
    elements_left_ -= elements;
    owed_ += nodes;
    open_.push_back({builder_.room_for(nodes), nodes, start_, map});
    return true;
  }

  bool close() {
    const Open closed = open_.back();
    open_.pop_back();
    if (!closed.map) return push(filled(Kind::array, closed.parts));

    const auto has_other_key = [parts = closed.parts] {
      for (std::size_t i = 0; i < parts.size(); i += 2)
        if (!parts[i].is_string()) return true;
      return false;
    };
    start_ = closed.start;
    if (!has_other_key()) return push_object(closed.parts);

    switch (options_.other_keys) {
      case OtherKeys::map:
        return push(map(closed.parts));
      case OtherKeys::text:
        return keys_to_text(closed.parts) && push_object(closed.parts);
      case OtherKeys::refused:
        break;
    }
    return wrong(ErrorCode::unsupported, "a map's key is no string");
  }

  ValueView filled(Kind kind, std::span<ValueView> parts) {
    const ValueView node = builder_.open(kind);
    builder_.fill_in(node, parts, Keys::any, options_.key_order);
    return node;
  }

  bool push_object(std::span<ValueView> parts) {
    const ValueView object = filled(Kind::object, parts);
    // Filling it has dropped the duplicates.
    const bool has_duplicates = object.size() < parts.size() / 2;
    if (has_duplicates && options_.duplicate_keys == DuplicateKeys::refused) {
      return wrong(ErrorCode::unsupported, "a map has one key twice");
    }
    return push(object);
  }

  // Equal keys of a Map are one, as JavaScript compares them.
  ValueView map(std::span<ValueView> parts) {
    if (are_distinct(parts, 2, builder_.budget())) return filled(Kind::map, parts);
    DistinctNodes keys(parts.size() / 2, builder_.budget());
    std::size_t count = 0;
    for (std::size_t i = 0; i < parts.size(); i += 2) {
      // There -0 is 0.
      const ValueView key = parts[i].is_number() ? ValueView(parts[i].as_number() + 0.0) : parts[i];
      const std::size_t number = keys.add(key);
      if (number == count) parts[2 * count++] = key;
      parts[2 * number + 1] = parts[i + 1];
    }
    return filled(Kind::map, parts.first(2 * count));
  }

  bool keys_to_text(std::span<ValueView> parts) {
    for (std::size_t i = 0; i < parts.size(); i += 2) {
      ValueView& key = parts[i];
      if (key.is_string()) continue;
      if (key.is_bigint()) {
        key = builder_.string(key.bigint_text());
      } else if (key.is_number()) {
        NumberBuffer buffer;
        key = builder_.string(number_to_text(key.as_number(), buffer));
      } else {
        return wrong(ErrorCode::unsupported, "a map's key is neither a string nor a number");
      }
    }
    return true;
  }

  bool extension(std::size_t size) {
    if (left() == 0) return cut();
    const auto type = static_cast<std::int8_t>(*at_++);
    if (size > left()) return cut();
    if (options_.extensions == Extensions::refused) {
      return wrong(ErrorCode::unsupported, "an extension is not allowed here");
    }
    if (type != timestamp_type) return wrong(ErrorCode::unsupported, "unknown extension type");
    return timestamp(size);
  }

  bool timestamp(std::size_t size) {
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    if (size == 4) {
      std::uint32_t number = 0;
      take(number);
      seconds = number;
    } else if (size == 8) {
      std::uint64_t number = 0;
      take(number);
      seconds = static_cast<std::int64_t>(number & ((std::uint64_t{1} << 34) - 1));
      nanoseconds = static_cast<std::int64_t>(number >> 34);
    } else if (size == 12) {
      std::uint32_t fraction = 0;
      std::uint64_t number = 0;
      take(fraction);
      take(number);
      nanoseconds = fraction;
      seconds = static_cast<std::int64_t>(number);
    } else {
      return wrong(ErrorCode::malformed, "timestamp of a wrong length");
    }
    if (nanoseconds >= ns_per_second)
      return wrong(ErrorCode::malformed, "timestamp past its second");
    // As JavaScript's Date: whole milliseconds, and invalid far from 1970.
    const double ms =
        std::trunc(static_cast<double>(seconds) * 1e3 + static_cast<double>(nanoseconds) / 1e6);
    constexpr double max_ms = 8.64e15;
    const bool valid = std::fabs(ms) <= max_ms;
    return push(ValueBuilder::date(valid ? ms + 0.0 : std::numeric_limits<double>::quiet_NaN()));
  }

  bool cut() { return wrong(ErrorCode::truncated, "value without its end"); }

  bool wrong(ErrorCode code, const char* reason) {
    code_ = code;
    reason_ = reason;
    return false;
  }

  const std::uint8_t* begin_;
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  const std::uint8_t* start_ = begin_;  // where the value that is being read begins
  const DecodeOptions& options_;
  std::size_t elements_left_;
  std::size_t owed_ = 0;  // how many nodes all open containers still expect
  ValueBuilder builder_;
  std::vector<Open> open_;
  ValueView root_;
  ErrorCode code_ = ErrorCode::malformed;
  const char* reason_ = "";
};

std::unexpected<Error> failure(ErrorCode code, const char* reason, std::size_t offset,
                               std::size_t* failed_at) {
  if (failed_at != nullptr) *failed_at = offset;
  return fail(code, std::string(reason).append(" at byte ").append(std::to_string(offset)));
}

}  // namespace

Result<Value> decode(BytesView in, const DecodeOptions& options, std::size_t* failed_at) {
  if (in.size() > options.max_bytes) {
    return failure(ErrorCode::too_large, "MessagePack past its limit", options.max_bytes,
                   failed_at);
  }
  try {
    Decoder decoder(in, options);
    if (!decoder.run()) {
      return failure(decoder.code(), decoder.reason(), decoder.offset(), failed_at);
    }
    return decoder.finish();
  } catch (const OverBudget&) {
    if (failed_at != nullptr) *failed_at = 0;
    return fail(ErrorCode::too_large, "the value takes more memory than it may");
  }
}

}  // namespace cordon::msgpack
