#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "guest/abi.h"

#include "cordon/js/value_wire.h"

namespace cordon::js {
namespace {

// Writes what values_in.c in the guest reads without a check, so it must never write a count that
// is wrong, a number that was not given, or a kind that the guest does not know.
//
// Shared nodes and cycles. With rich kinds, each node that has identity gets the next number when
// it begins, and TAG_SAME refers to it afterwards. Writer and reader count alike, so every such
// node must take a number, even one that can never be met again (empty bytes). With plain kinds a
// shared node is written each time it is met. A small value can then be endless when written out,
// so the size is checked at every node; a cycle ends at the depth limit.
class WireWriter {
 public:
  WireWriter(Writer& out, const WireLimits& limits)
      : out_(out), limits_(limits), end_(out.size() + limits.bytes) {}

  // This recurses. The depth limit is at most 1,000 levels here, which the stack bears.
  Result<> write(ValueView value, std::size_t depth) {
    // With plain kinds a small value may be endless; see above.
    if (out_.size() > end_)
      return fail(ErrorCode::serialization_error, "value larger than a message may be");
    if (is_rich() && is_same(value)) return {};
    switch (value.kind()) {
      case Kind::undefined:
        undefined(value, depth);
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
        return list(TAG_ARRAY, value, depth);
      case Kind::object:
        out_.u8(TAG_OBJECT);
        return members(value.members(), depth);
      default:
        if (is_rich()) return rich(value, depth);
        return fail(ErrorCode::serialization_error,
                    "a guest cannot be given a " + std::string(name_of(value.kind())));
    }
  }

 private:
  bool is_rich() const { return limits_.kinds == WireKinds::rich; }

  void undefined(ValueView value, std::size_t depth) {
    if (is_rich() && value.is_hole()) {
      out_.u8(TAG_HOLE);
    } else {
      out_.u8(depth == 0 || is_rich() ? TAG_UNDEFINED : TAG_NULL);
    }
  }

  // Whether the node was written before; else it gets the next number.
  bool is_same(ValueView value) {
    // Empty bytes may have the address of what was made after them, so they are never the same.
    if (value.is_bytes() && value.empty()) {
      ++next_number_;
      return false;
    }
    const void* identity = value.identity();
    if (identity == nullptr) return false;
    const auto [met, is_new] = numbers_.try_emplace(identity, next_number_);
    if (is_new) {
      ++next_number_;
      return false;
    }
    out_.u8(TAG_SAME);
    out_.u32(met->second);
    return true;
  }

  Result<> rich(ValueView value, std::size_t depth) {
    switch (value.kind()) {
      case Kind::bigint:
        out_.u8(TAG_BIGINT);
        text(value.bigint_text());
        return {};
      case Kind::symbol:
        out_.u8(TAG_SYMBOL);
        out_.u8(value.symbol_kind() == SymbolKind::global ? SYMBOL_GLOBAL : SYMBOL_WELL_KNOWN);
        text(value.symbol_key());
        return {};
      case Kind::date:
        out_.u8(TAG_DATE);
        out_.f64(value.date_ms());
        return {};
      case Kind::regexp:
        out_.u8(TAG_REGEXP);
        text(value.regexp_source());
        text(value.regexp_flags());
        return {};
      case Kind::url:
        out_.u8(TAG_URL);
        text(value.url_text());
        return {};
      case Kind::url_search_params:
        out_.u8(TAG_URL_SEARCH_PARAMS);
        text(value.url_search_params_text());
        return {};
      case Kind::map:
        return map(value, depth);
      case Kind::set:
        return list(TAG_SET, value, depth);
      case Kind::error:
        return error(value, depth);
      default:
        return bytes(value);
    }
  }

  Result<> number(double number) {
    if (!std::isfinite(number) && !is_rich())
      return fail(ErrorCode::serialization_error, "a guest cannot be given NaN or an infinity");
    const auto whole =
        std::isnan(number)
            ? 0
            : static_cast<std::int32_t>(std::clamp(number, -2147483648.0, 2147483647.0));
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

  Result<> bytes(ValueView value) {
    out_.u8(TAG_BYTES);
    switch (value.kind()) {
      case Kind::array_buffer:
        out_.u8(BYTES_ARRAY_BUFFER);
        break;
      case Kind::data_view:
        out_.u8(BYTES_DATA_VIEW);
        break;
      case Kind::buffer:
        out_.u8(BYTES_BUFFER);
        break;
      default:
        out_.u8(static_cast<std::uint8_t>(BYTES_INT8 + static_cast<int>(value.element_type())));
    }
    out_.u32(static_cast<std::uint32_t>(value.size()));
    out_.bytes(value.as_bytes());
    return {};
  }

  Result<> enter(std::size_t count, std::size_t depth) {
    if (depth >= limits_.depth)
      return fail(ErrorCode::serialization_error,
                  is_rich() ? "value nested too deeply" : "value nested too deeply, or cyclic");
    elements_ += count;
    if (elements_ > limits_.elements)
      return fail(ErrorCode::serialization_error, "value with too many elements");
    return {};
  }

  Result<> list(std::uint8_t tag, ValueView value, std::size_t depth) {
    CORDON_TRY(enter(value.size(), depth));
    out_.u8(tag);
    out_.u32(static_cast<std::uint32_t>(value.size()));
    for (const ValueView item : value.items()) CORDON_TRY(write(item, depth + 1));
    return {};
  }

  Result<> map(ValueView value, std::size_t depth) {
    CORDON_TRY(enter(value.size(), depth));
    out_.u8(TAG_MAP);
    out_.u32(static_cast<std::uint32_t>(value.size()));
    for (const Entry& entry : value.entries()) {
      CORDON_TRY(write(entry.key, depth + 1));
      CORDON_TRY(write(entry.value, depth + 1));
    }
    return {};
  }

  bool is_written(const Member& member) const { return is_rich() || !member.value.is_undefined(); }

  Result<> members(std::span<const Member> members, std::size_t depth) {
    CORDON_TRY(enter(members.size(), depth));
    std::uint32_t count = 0;
    for (const Member& member : members) count += is_written(member) ? 1u : 0u;
    out_.u32(count);
    for (const Member& member : members) {
      if (!is_written(member)) continue;
      text(member.key());
      CORDON_TRY(write(member.value, depth + 1));
    }
    return {};
  }

  Result<> error(ValueView value, std::size_t depth) {
    out_.u8(TAG_ERROR);
    text(value.error_name());
    text(value.error_message());
    CORDON_TRY(write(value.error_stack(), depth + 1));
    const bool has_cause = !value.error_cause().is_hole();
    out_.u8(has_cause);
    if (has_cause) {
      CORDON_TRY(enter(1, depth));
      CORDON_TRY(write(value.error_cause(), depth + 1));
    }
    return members(value.error_fields(), depth);
  }

  Writer& out_;
  const WireLimits& limits_;
  const std::size_t end_;  // the size of `out_` at which the value is too large
  std::size_t elements_ = 0;
  // With rich kinds: the numbers of the nodes that were written.
  std::unordered_map<const void*, std::uint32_t> numbers_;
  std::uint32_t next_number_ = 0;
};

}  // namespace

Result<> write_value(Writer& out, ValueView value, const WireLimits& limits) {
  return WireWriter(out, limits).write(value, 0);
}

}  // namespace cordon::js
