#include "cordon/js/value_wire.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "guest/abi.h"

#include "cordon/base/utf8.h"
#include "cordon/value/value_builder.h"

namespace cordon::js {
namespace {

class WireReader {
 public:
  WireReader(Reader& in, const WireLimits& limits) : in_(in), limits_(limits) {}

  Result<Value> read() {
    ValueView node = CORDON_TRY(leaf_or_open());
    while (!open_.empty()) {
      Container& top = open_.back();
      if (top.left == 0) {
        node = close();
        continue;
      }
      --top.left;
      if (top.is_object) {
        const ValueView key = CORDON_TRY(string());
        builder_.push(key);
      }
      const std::size_t depth = open_.size();
      node = CORDON_TRY(leaf_or_open());
      if (open_.size() == depth) builder_.push(node);
    }
    return builder_.finish(node);
  }

 private:
  struct Container {
    bool is_object;
    std::uint32_t left;
    std::size_t mark;
  };

  Result<ValueView> leaf_or_open() {
    switch (CORDON_TRY(in_.u8())) {
      case TAG_UNDEFINED:
        return ValueView();
      case TAG_NULL:
        return ValueView(nullptr);
      case TAG_FALSE:
        return ValueView(false);
      case TAG_TRUE:
        return ValueView(true);
      case TAG_INT32:
        return ValueView(static_cast<std::int32_t>(CORDON_TRY(in_.u32())));
      case TAG_DOUBLE:
        return ValueView(CORDON_TRY(in_.f64()));
      case TAG_STRING:
        return string();
      case TAG_ARRAY:
        return open(false);
      case TAG_OBJECT:
        return open(true);
      default:
        return fail(Errc::protocol_violation, "unknown tag in a guest's value");
    }
  }

  Result<ValueView> string() {
    const std::uint32_t size = CORDON_TRY(in_.u32());
    return builder_.string_checked(CORDON_TRY(in_.text(size)));
  }

  Result<ValueView> open(bool is_object) {
    const std::uint32_t count = CORDON_TRY(in_.u32());
    // An element takes a byte at least, a member five: a count beyond the input is a lie.
    if (count > in_.left()) return fail(Errc::truncated, "container longer than its message");
    elements_ += count;
    if (elements_ > limits_.elements) return fail(Errc::too_large, "value with too many elements");
    if (open_.size() >= limits_.depth) return fail(Errc::too_deep, "value nested too deeply");
    open_.push_back({is_object, count, builder_.mark()});
    return ValueView();
  }

  ValueView close() {
    const Container container = open_.back();
    open_.pop_back();
    const ValueView node = container.is_object ? builder_.object_since(container.mark)
                                               : builder_.array_since(container.mark);
    if (!open_.empty()) builder_.push(node);
    return node;
  }

  Reader& in_;
  const WireLimits& limits_;
  ValueBuilder builder_;
  std::vector<Container> open_;
  std::size_t elements_ = 0;
};

class WireWriter {
 public:
  WireWriter(Writer& out, const WireLimits& limits) : out_(out), limits_(limits) {}

  // Recursion is bounded by the depth limit, which a cycle runs into as well.
  Result<> write(ValueView value, std::size_t depth) {
    switch (value.kind()) {
      case Kind::undefined:
        out_.u8(depth == 0 ? TAG_UNDEFINED : TAG_NULL);
        return {};
      case Kind::null:
        out_.u8(TAG_NULL);
        return {};
      case Kind::boolean:
        out_.u8(value.as_bool() ? TAG_TRUE : TAG_FALSE);
        return {};
      case Kind::number:
        return number(value.as_number());
      case Kind::string:
        out_.u8(TAG_STRING);
        text(value.as_string());
        return {};
      case Kind::array:
        return array(value, depth);
      case Kind::object:
        return object(value, depth);
      default:
        return fail(Errc::not_serializable,
                    "a guest cannot be given a " + std::string(name_of(value.kind())));
    }
  }

 private:
  Result<> number(double number) {
    if (!std::isfinite(number))
      return fail(Errc::not_serializable, "a guest cannot be given NaN or an infinity");
    const auto whole = static_cast<std::int32_t>(std::clamp(number, -2147483648.0, 2147483647.0));
    if (static_cast<double>(whole) == number && !(whole == 0 && std::signbit(number))) {
      out_.u8(TAG_INT32);
      out_.u32(static_cast<std::uint32_t>(whole));
    } else {
      out_.u8(TAG_DOUBLE);
      out_.f64(number);
    }
    return {};
  }

  void text(std::string_view text) {
    out_.u32(static_cast<std::uint32_t>(text.size()));
    out_.text(text);
  }

  Result<> enter(std::size_t count, std::size_t depth) {
    if (depth >= limits_.depth)
      return fail(Errc::not_serializable, "value nested too deeply, or cyclic");
    elements_ += count;
    if (elements_ > limits_.elements)
      return fail(Errc::not_serializable, "value with too many elements");
    return {};
  }

  Result<> array(ValueView value, std::size_t depth) {
    CORDON_TRY(enter(value.size(), depth));
    out_.u8(TAG_ARRAY);
    out_.u32(static_cast<std::uint32_t>(value.size()));
    for (const ValueView item : value.items()) CORDON_TRY(write(item, depth + 1));
    return {};
  }

  Result<> object(ValueView value, std::size_t depth) {
    CORDON_TRY(enter(value.size(), depth));
    std::uint32_t count = 0;
    for (const Member& member : value.members()) count += member.value.is_undefined() ? 0u : 1u;
    out_.u8(TAG_OBJECT);
    out_.u32(count);
    for (const Member& member : value.members()) {
      if (member.value.is_undefined()) continue;
      text(member.key());
      CORDON_TRY(write(member.value, depth + 1));
    }
    return {};
  }

  Writer& out_;
  const WireLimits& limits_;
  std::size_t elements_ = 0;
};

}  // namespace

Result<Value> read_value(Reader& in, const WireLimits& limits) {
  return WireReader(in, limits).read();
}

Result<> write_value(Writer& out, ValueView value, const WireLimits& limits) {
  return WireWriter(out, limits).write(value, 0);
}

}  // namespace cordon::js
