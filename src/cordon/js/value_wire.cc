#include "cordon/js/value_wire.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "guest/abi.h"

#include "cordon/base/utf8.h"
#include "cordon/value/value_builder.h"

namespace cordon::js {
namespace {

// JavaScript's range of dates; what is beyond it is an invalid date.
constexpr double most_date_ms = 8.64e15;

class WireReader {
 public:
  WireReader(Reader& in, const WireLimits& limits)
      : in_(in), limits_(limits), builder_(limits.budget) {}

  Result<Value> read() {
    // Our own code in the guest has refused such a value before: somebody else speaks there.
    if (in_.left() > limits_.bytes)
      return fail(Errc::protocol_violation, "value larger than a message may be");
    ValueView root = CORDON_TRY(leaf_or_open());
    while (!open_.empty()) {
      Container& top = open_.back();
      if (top.set == top.parts.size()) {
        if (CORDON_TRY(begins_fields(top))) continue;
        const ValueView node = close();
        if (open_.empty()) root = node;
        continue;
      }
      if (top.has_keys) top.put(CORDON_TRY(string()));
      owed_ -= top.has_keys ? 2 : 1;
      const std::size_t depth = open_.size();
      const ValueView node = CORDON_TRY(leaf_or_open());
      if (open_.size() == depth) open_.back().put(node);
    }
    return builder_.finish(root);
  }

 private:
  // Its parts are set where they stay, since their number comes first.
  struct Container {
    Kind kind;
    bool has_keys;                    // its parts are pairs of a string and a value
    std::span<ValueView> parts = {};  // two for each pair
    std::size_t set = 0;              // how many of them are
    ValueView node = {};  // where kinds are rich: what TAG_SAME may mean before it is complete
    // Of an error, whose cause comes before its fields.
    ValueView name = {};
    ValueView message = {};
    ValueView stack = {};
    ValueView cause = ValueBuilder::hole();
    bool has_cause = false;

    void put(ValueView part) { parts[set++] = part; }
  };

  bool is_rich() const { return limits_.kinds == WireKinds::rich; }

  Result<ValueView> leaf_or_open() {
    const std::uint8_t tag = CORDON_TRY(in_.u8());
    switch (tag) {
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
        return open(Kind::array);
      case TAG_OBJECT:
        return open(Kind::object);
      default:
        if (is_rich()) return rich(tag);
        return unknown_tag();
    }
  }

  static std::unexpected<Error> unknown_tag() {
    return fail(Errc::protocol_violation, "unknown tag in a guest's value");
  }

  Result<ValueView> rich(std::uint8_t tag) {
    switch (tag) {
      case TAG_SAME:
        return same();
      case TAG_HOLE:
        return ValueBuilder::hole();
      case TAG_BIGINT:
        return builder_.bigint(CORDON_TRY(text()));
      case TAG_SYMBOL:
        return symbol();
      case TAG_DATE:
        return date();
      case TAG_REGEXP:
        return regexp();
      case TAG_URL:
        return builder_.url(CORDON_TRY(checked_text()));
      case TAG_URL_SEARCH_PARAMS:
        return builder_.url_search_params(CORDON_TRY(checked_text()));
      case TAG_BYTES:
        return bytes();
      case TAG_MAP:
        return open(Kind::map);
      case TAG_SET:
        return open(Kind::set);
      case TAG_ERROR:
        return error();
      default:
        return unknown_tag();
    }
  }

  Result<std::string_view> text() {
    const std::uint32_t size = CORDON_TRY(in_.u32());
    return in_.text(size);
  }

  // Text that goes into a node as it is.
  Result<std::string_view> checked_text() {
    const ValueView checked = CORDON_TRY(string());
    return checked.as_string();
  }

  Result<ValueView> string() { return builder_.string_checked(CORDON_TRY(text())); }

  Result<ValueView> same() {
    const std::uint32_t number = CORDON_TRY(in_.u32());
    if (number >= numbered_.size())
      return fail(Errc::protocol_violation, "reference to nothing in a guest's value");
    return numbered_[number];
  }

  Result<ValueView> symbol() {
    const std::uint8_t sort = CORDON_TRY(in_.u8());
    const std::string_view key = CORDON_TRY(checked_text());
    if (sort == SYMBOL_GLOBAL) return builder_.symbol(SymbolKind::global, key);
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (sort != SYMBOL_WELL_KNOWN || key.empty() || !std::ranges::all_of(key, is_letter))
      return fail(Errc::protocol_violation, "unknown symbol in a guest's value");
    return builder_.symbol(SymbolKind::well_known, key);
  }

  Result<ValueView> date() {
    const double ms = CORDON_TRY(in_.f64());
    return ValueBuilder::date(std::abs(ms) <= most_date_ms ? ms : std::nan(""));
  }

  Result<ValueView> regexp() {
    const std::string_view source = CORDON_TRY(checked_text());
    const std::string_view flags = CORDON_TRY(checked_text());
    if (flags.size() > 8 || flags.find_first_not_of("dgimsuvy") != std::string_view::npos)
      return fail(Errc::protocol_violation, "unknown flags in a guest's value");
    return builder_.regexp(source, flags);
  }

  Result<ValueView> bytes() {
    const std::uint8_t sort = CORDON_TRY(in_.u8());
    const std::uint32_t size = CORDON_TRY(in_.u32());
    const BytesView content = CORDON_TRY(in_.bytes(size));
    ValueView node;
    if (sort >= BYTES_INT8 && sort <= BYTES_BIGUINT64) {
      const auto type = static_cast<ElementType>(sort - BYTES_INT8);
      if (size % element_bytes(type) != 0)
        return fail(Errc::protocol_violation, "half an element in a guest's value");
      node = builder_.typed_array(type, content);
    } else if (sort <= BYTES_BUFFER) {
      constexpr Kind kinds[] = {Kind::array_buffer, Kind::data_view, Kind::buffer};
      node = builder_.bytes(kinds[sort], content);
    } else {
      return fail(Errc::protocol_violation, "unknown bytes in a guest's value");
    }
    numbered_.push_back(node);
    return node;
  }

  Result<> enter(Container container) {
    if (open_.size() >= limits_.depth) return fail(Errc::too_deep, "value nested too deeply");
    if (is_rich()) {
      container.node = builder_.open(container.kind);
      numbered_.push_back(container.node);
    }
    open_.push_back(container);
    return {};
  }

  // Room for the parts that follow, so many nodes for each. A part takes a byte at least, and so do
  // all that are owed to the containers around this one: a count beyond the input is a lie.
  Result<std::span<ValueView>> parts(std::size_t nodes_each) {
    const std::uint32_t count = CORDON_TRY(in_.u32());
    const std::uint64_t nodes = std::uint64_t{count} * nodes_each;
    if (nodes + owed_ > in_.left())
      return fail(Errc::truncated, "container longer than its message");
    elements_ += count;
    if (elements_ > limits_.elements) return fail(Errc::too_large, "value with too many elements");
    owed_ += nodes;
    return builder_.room_for(nodes);
  }

  Result<ValueView> open(Kind kind) {
    Container container{.kind = kind, .has_keys = kind == Kind::object};
    container.parts = CORDON_TRY(parts(kind == Kind::object || kind == Kind::map ? 2 : 1));
    CORDON_TRY(enter(container));
    return ValueView();
  }

  Result<ValueView> error() {
    Container container{.kind = Kind::error, .has_keys = false};
    container.name = CORDON_TRY(string());
    container.message = CORDON_TRY(string());
    const std::uint8_t stack = CORDON_TRY(in_.u8());
    if (stack == TAG_STRING) {
      container.stack = CORDON_TRY(string());
    } else if (stack != TAG_UNDEFINED) {
      return unknown_tag();
    }
    container.has_cause = CORDON_TRY(in_.u8()) != 0;
    if (container.has_cause) {
      container.parts = builder_.room_for(1);
      ++owed_;
    }
    CORDON_TRY(enter(container));
    return ValueView();
  }

  // An error's fields follow its cause.
  Result<bool> begins_fields(Container& container) {
    if (container.kind != Kind::error || container.has_keys) return false;
    if (container.has_cause) container.cause = container.parts[0];
    container.has_keys = true;
    container.set = 0;
    container.parts = CORDON_TRY(parts(2));
    return true;
  }

  ValueView close() {
    const Container container = open_.back();
    open_.pop_back();
    const ValueView node = is_rich() ? container.node : builder_.open(container.kind);
    if (container.kind == Kind::error) {
      fill_error(container);
    } else {
      builder_.fill_in(node, container.parts);
    }
    if (!open_.empty()) open_.back().put(node);
    return node;
  }

  void fill_error(const Container& container) {
    const std::span<const Member> fields(reinterpret_cast<const Member*>(container.parts.data()),
                                         container.parts.size() / 2);
    builder_.fill(container.node, ErrorParts{.name = container.name,
                                             .message = container.message,
                                             .stack = container.stack,
                                             .cause = container.cause,
                                             .fields = fields});
  }

  Reader& in_;
  const WireLimits& limits_;
  ValueBuilder builder_;
  std::vector<Container> open_;
  std::vector<ValueView> numbered_;  // where kinds are rich
  std::size_t elements_ = 0;
  std::uint64_t owed_ = 0;  // nodes to come, of all open containers
};

class WireWriter {
 public:
  WireWriter(Writer& out, const WireLimits& limits)
      : out_(out), limits_(limits), end_(out.size() + limits.bytes) {}

  // Recursion is bounded by the depth limit, which a cycle runs into as well.
  Result<> write(ValueView value, std::size_t depth) {
    // Shared nodes are written each time where kinds are plain, so a small value may be without
    // end.
    if (out_.size() > end_)
      return fail(Errc::not_serializable, "value larger than a message may be");
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
        return fail(Errc::not_serializable,
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
      return fail(Errc::not_serializable, "a guest cannot be given NaN or an infinity");
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
      return fail(Errc::not_serializable,
                  is_rich() ? "value nested too deeply" : "value nested too deeply, or cyclic");
    elements_ += count;
    if (elements_ > limits_.elements)
      return fail(Errc::not_serializable, "value with too many elements");
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
  // Where kinds are rich: the numbers of the nodes that were written.
  std::unordered_map<const void*, std::uint32_t> numbers_;
  std::uint32_t next_number_ = 0;
};

}  // namespace

Result<Value> read_value(Reader& in, const WireLimits& limits) {
  try {
    return WireReader(in, limits).read();
  } catch (const OverBudget&) {
    return fail(Errc::memory_limit, "value past what the host may hold for the guest");
  }
}

Result<> write_value(Writer& out, ValueView value, const WireLimits& limits) {
  return WireWriter(out, limits).write(value, 0);
}

}  // namespace cordon::js
