#include "cordon/codec/msgpack/encode.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/codec/msgpack/format.h"
#include "cordon/codec/tree_writing.h"

namespace cordon::msgpack {
namespace {

// Appends to a Bytes through a pointer, with one comparison per piece instead of one per byte.
class ByteBuffer {
 public:
  ByteBuffer(Bytes& out, std::size_t max_bytes)
      : out_(out), start_(out.size()), max_bytes_(max_bytes), cursor_(out.data() + start_) {}
  ~ByteBuffer() { out_.resize(finished_ ? start_ + size() : start_); }
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;

  // Makes room for `bytes` more. False if the limit does not allow it.
  [[nodiscard]] bool reserve(std::size_t bytes) {
    const auto room = static_cast<std::size_t>(out_.data() + out_.size() - cursor_);
    return bytes <= room || grow(bytes);
  }

  // Write only within the room that was reserved.
  void put(std::uint8_t byte) { *cursor_++ = byte; }
  void put(BytesView bytes) {
    if (!bytes.empty()) std::memcpy(cursor_, bytes.data(), bytes.size());
    cursor_ += bytes.size();
  }
  template <std::unsigned_integral T>
  void put_big_endian(T number) {
    if constexpr (std::endian::native == std::endian::little) number = std::byteswap(number);
    std::memcpy(cursor_, &number, sizeof number);
    cursor_ += sizeof number;
  }

  std::size_t size() const { return static_cast<std::size_t>(cursor_ - out_.data()) - start_; }
  // Keeps what was written; false if it passes the limit.
  bool finish() { return finished_ = size() <= max_bytes_; }

 private:
  bool grow(std::size_t bytes) {
    const std::size_t used = size();
    if (used > max_bytes_ || bytes > max_bytes_ - used + slack_bytes) return false;
    const std::size_t wanted =
        std::max(used + bytes, std::min(std::max(used * 2, first_bytes), max_bytes_ + slack_bytes));
    out_.resize(start_ + wanted);
    cursor_ = out_.data() + start_ + used;
    return true;
  }

  static constexpr std::size_t first_bytes = 256;
  // Room for the longest head.
  static constexpr std::size_t slack_bytes = 16;

  Bytes& out_;
  std::size_t start_;
  std::size_t max_bytes_;
  std::uint8_t* cursor_;
  bool finished_ = false;
};

constexpr std::size_t max_head = 9;

class Encoder {
 public:
  Encoder(Bytes& out, const EncodeOptions& options)
      : options_(options),
        out_(out, options.max_bytes),
        watch_(options.max_bytes, MapsAndSets::written) {}

  Result<> run(ValueView root) {
    if (!write(root)) return failure();
    while (!open_.empty()) {
      Open& open = open_.back();
      if (open.next == open.size) {
        open_.pop_back();
        continue;
      }
      if (!write(open.first[open.next++]) || watch_.is_hopeless(root, out_.size())) {
        return failure();
      }
    }
    if (!out_.finish()) return failure();
    return {};
  }

 private:
  struct Open {
    const void* identity;
    const ValueView* first;  // items, or keys and values in turn
    std::size_t size;
    Kind kind;
    std::size_t next = 0;
  };

  bool write(ValueView value) {
    if (!out_.reserve(max_head)) return false;
    switch (value.kind()) {
      case Kind::undefined:
      case Kind::null:
        out_.put(nil);
        return true;
      case Kind::boolean:
        out_.put(value.as_bool() ? true_ : false_);
        return true;
      case Kind::number:
        if (options_.not_finite == NotFinite::refused && !std::isfinite(value.as_number())) {
          return wrong(ErrorCode::serialization_error, "a number that is not finite");
        }
        number(value.as_number());
        return true;
      case Kind::string:
        return text(value.as_string());
      case Kind::bigint:
        return bigint(value.bigint_text());
      case Kind::date:
        return date(value.date_ms());
      case Kind::array_buffer:
      case Kind::typed_array:
      case Kind::data_view:
      case Kind::buffer:
        return bytes(value.as_bytes());
      case Kind::array:
        head(value.size(), {.fix = fixarray, .fix_most = 15, .form16 = array16});
        return open(value, value.items().data(), value.size());
      case Kind::object:
        head(value.size(), {.fix = fixmap, .fix_most = 15, .form16 = map16});
        return open(value, pairs(value.members().data()), 2 * value.size());
      case Kind::map:
        head(value.size(), {.fix = fixmap, .fix_most = 15, .form16 = map16});
        return open(value, pairs(value.entries().data()), 2 * value.size());
      case Kind::symbol:
      case Kind::regexp:
      case Kind::url:
      case Kind::url_search_params:
      case Kind::set:
      case Kind::error:
        break;
    }
    std::string reason(name_of(value.kind()));
    std::ranges::replace(reason, '_', ' ');
    return wrong(ErrorCode::serialization_error, reason + " has no MessagePack form");
  }

  // A Member and an Entry are two nodes side by side.
  template <class Pair>
  static const ValueView* pairs(const Pair* pair) {
    static_assert(sizeof(Pair) == 2 * sizeof(ValueView));
    return reinterpret_cast<const ValueView*>(pair);
  }

  bool open(ValueView container, const ValueView* first, std::size_t size) {
    if (open_.size() >= options_.max_depth) return wrong(ErrorCode::too_deep, "nested too deeply");
    if (closes_cycle(open_, container.identity())) return wrong(ErrorCode::cyclic, cyclic);
    open_.push_back({container.identity(), first, size, container.kind()});
    return true;
  }

  struct HeadForms {
    std::uint8_t fix;
    std::size_t fix_most;
    std::uint8_t form16;     // the form with 32 bits is the next number
    std::uint8_t form8 = 0;  // 0 if there is none
  };

  // Sizes fit 32 bits, as in every Value.
  void head(std::size_t size, const HeadForms& forms) {
    if (size <= forms.fix_most) {
      out_.put(static_cast<std::uint8_t>(forms.fix | size));
    } else if (forms.form8 != 0 && size <= 0xff) {
      out_.put(forms.form8);
      out_.put(static_cast<std::uint8_t>(size));
    } else if (size <= 0xffff) {
      out_.put(forms.form16);
      out_.put_big_endian(static_cast<std::uint16_t>(size));
    } else {
      out_.put(static_cast<std::uint8_t>(forms.form16 + 1));
      out_.put_big_endian(static_cast<std::uint32_t>(size));
    }
  }

  bool text(std::string_view content) {
    head(content.size(), {.fix = fixstr, .fix_most = 31, .form16 = str16, .form8 = str8});
    return raw(as_bytes(content));
  }

  bool bytes(BytesView content) {
    if (content.size() <= 0xff) {
      out_.put(bin8);
      out_.put(static_cast<std::uint8_t>(content.size()));
    } else {
      head(content.size(), {.fix = 0, .fix_most = 0, .form16 = bin16});
    }
    return raw(content);
  }

  bool raw(BytesView content) {
    if (!out_.reserve(content.size())) return false;
    out_.put(content);
    return true;
  }

  void number(double number) {
    if (std::fabs(number) <= max_safe_integer && number == std::trunc(number)) {
      if (number >= 0) {
        positive(static_cast<std::uint64_t>(number));
      } else {
        negative(static_cast<std::int64_t>(number));
      }
      return;
    }
    out_.put(float64);
    out_.put_big_endian(std::bit_cast<std::uint64_t>(number));
  }

  void positive(std::uint64_t number) {
    if (number <= positive_fixint_last) {
      out_.put(static_cast<std::uint8_t>(number));
    } else if (number <= 0xff) {
      out_.put(uint8);
      out_.put(static_cast<std::uint8_t>(number));
    } else if (number <= 0xffff) {
      out_.put(uint16);
      out_.put_big_endian(static_cast<std::uint16_t>(number));
    } else if (number <= 0xffffffff) {
      out_.put(uint32);
      out_.put_big_endian(static_cast<std::uint32_t>(number));
    } else {
      out_.put(uint64);
      out_.put_big_endian(number);
    }
  }

  void negative(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    if (number >= -32) {
      out_.put(static_cast<std::uint8_t>(bits));
    } else if (number >= std::numeric_limits<std::int8_t>::min()) {
      out_.put(int8);
      out_.put(static_cast<std::uint8_t>(bits));
    } else if (number >= std::numeric_limits<std::int16_t>::min()) {
      out_.put(int16);
      out_.put_big_endian(static_cast<std::uint16_t>(bits));
    } else if (number >= std::numeric_limits<std::int32_t>::min()) {
      out_.put(int32);
      out_.put_big_endian(static_cast<std::uint32_t>(bits));
    } else {
      out_.put(int64);
      out_.put_big_endian(bits);
    }
  }

  bool bigint(std::string_view decimal) {
    const char* const end = decimal.data() + decimal.size();
    if (decimal.starts_with('-')) {
      std::int64_t number = 0;
      if (std::from_chars(decimal.data(), end, number).ec == std::errc()) {
        negative(number);
        return true;
      }
    } else {
      std::uint64_t number = 0;
      if (std::from_chars(decimal.data(), end, number).ec == std::errc()) {
        positive(number);
        return true;
      }
    }
    return wrong(ErrorCode::serialization_error, "a bigint past 64 bits has no MessagePack form");
  }

  bool date(double ms) {
    if (options_.extensions != Extensions::timestamp) {
      return wrong(ErrorCode::serialization_error,
                   "a date has no MessagePack form without extensions");
    }
    if (std::isnan(ms))
      return wrong(ErrorCode::serialization_error, "an invalid date has no timestamp");
    if (!out_.reserve(15)) return false;
    const double seconds = std::floor(ms / 1e3);
    const auto whole = static_cast<std::int64_t>(seconds);
    const auto nanoseconds = static_cast<std::uint32_t>((ms - seconds * 1e3) * 1e6);
    const auto type = static_cast<std::uint8_t>(timestamp_type);
    if (whole >= 0 && whole <= 0xffffffff && nanoseconds == 0) {
      out_.put(fixext4);
      out_.put(type);
      out_.put_big_endian(static_cast<std::uint32_t>(whole));
    } else if (whole >= 0 && whole <= 0x3ffffffff) {
      out_.put(fixext8);
      out_.put(type);
      out_.put_big_endian((std::uint64_t{nanoseconds} << 34) | static_cast<std::uint64_t>(whole));
    } else {
      out_.put(ext8);
      out_.put(12);
      out_.put(type);
      out_.put_big_endian(nanoseconds);
      out_.put_big_endian(static_cast<std::uint64_t>(whole));
    }
    return true;
  }

  static constexpr const char* cyclic = "a cycle has no MessagePack form";

  bool wrong(ErrorCode code, std::string reason) {
    error_ = Error{code, std::move(reason)};
    return false;
  }

  std::unexpected<Error> failure() {
    // A step that fails without a reason has met the buffer's limit.
    if (error_.message.empty()) error_ = Error{ErrorCode::too_large, "MessagePack past its limit"};
    blame_cycle(open_, error_, cyclic);
    const std::string path = path_of(open_, [](std::string& way, const Open& open) {
      if (open.kind == Kind::object) {
        append_path(way, open.first[(open.next - 1) & ~std::size_t{1}].as_string());
      } else {
        append_path(way, (open.next - 1) / (open.kind == Kind::map ? 2 : 1));
      }
    });
    return fail(with_place(std::move(error_), path));
  }

  EncodeOptions options_;
  ByteBuffer out_;
  ExpansionWatch watch_;
  std::vector<Open> open_;
  Error error_;
};

}  // namespace

Result<> encode_to(Bytes& out, const ValueView& value, const EncodeOptions& options) {
  return Encoder(out, options).run(value);
}

Result<Bytes> encode(const ValueView& value, const EncodeOptions& options) {
  Bytes out;
  CORDON_TRY(encode_to(out, value, options));
  return out;
}

}  // namespace cordon::msgpack
