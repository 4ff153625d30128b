#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "guest/abi.h"

#include "cordon/js/value_wire.h"
#include "cordon/value/value_builder.h"

namespace cordon::js {
namespace {

// JavaScript's range of dates; what is beyond it is an invalid date.
constexpr double max_date_ms = 8.64e15;

// Reads bytes that a hostile guest wrote. It does not recurse: `open_` holds the containers whose
// parts are still to come, and each round of read() takes one part of the innermost.
//
// A container says first how many parts it has, so that they can be put where they stay. A count is
// a claim of the guest's. `owed_` is how many nodes all open containers still expect, and each
// takes a byte at least. A count is refused if the rest of the message could not hold it beside
// what is owed already. So the memory that is reserved never exceeds a fixed multiple of the
// message, however the containers are nested.
//
// Identity. With rich kinds a container's node is opened before its parts are read and gets its
// number there (`numbered_`). TAG_SAME may refer to it from the inside, which is how a cycle comes
// about. The node is filled when it closes. With plain kinds there are no numbers, and the node is
// made at its end.
//
// leaf_or_open() returns a value, or opens a container and returns nothing of use. Its caller tells
// the two apart by the size of `open_`.
class WireReader {
 public:
  WireReader(Reader& in, const WireLimits& limits)
      : in_(in), limits_(limits), builder_(limits.budget) {}

  Result<Value> read() {
    // The code that we put into the guest refuses such a value, so other code must have sent this
    // one.
    if (in_.left() > limits_.bytes)
      return fail(ErrorCode::protocol_violation, "value larger than a message may be");
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
  // A container whose parts are still to come. They are put where they stay, since their number
  // comes first.
  struct Container {
    Kind kind;
    bool has_keys;                    // its parts are pairs of a string and a value
    std::span<ValueView> parts = {};  // two for each pair
    std::size_t set = 0;              // how many parts are there
    ValueView node = {};              // with rich kinds: what TAG_SAME gets before it is complete
    // For an error, whose cause comes before its fields.
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
    return fail(ErrorCode::protocol_violation, "unknown tag in a guest's value");
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
      return fail(ErrorCode::protocol_violation, "reference to nothing in a guest's value");
    return numbered_[number];
  }

  Result<ValueView> symbol() {
    const std::uint8_t sort = CORDON_TRY(in_.u8());
    const std::string_view key = CORDON_TRY(checked_text());
    if (sort == SYMBOL_GLOBAL) return builder_.symbol(SymbolKind::global, key);
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (sort != SYMBOL_WELL_KNOWN || key.empty() || !std::ranges::all_of(key, is_letter))
      return fail(ErrorCode::protocol_violation, "unknown symbol in a guest's value");
    return builder_.symbol(SymbolKind::well_known, key);
  }

  Result<ValueView> date() {
    const double ms = CORDON_TRY(in_.f64());
    return ValueBuilder::date(std::abs(ms) <= max_date_ms ? ms : std::nan(""));
  }

  Result<ValueView> regexp() {
    const std::string_view source = CORDON_TRY(checked_text());
    const std::string_view flags = CORDON_TRY(checked_text());
    if (flags.size() > 8 || flags.find_first_not_of("dgimsuvy") != std::string_view::npos)
      return fail(ErrorCode::protocol_violation, "unknown flags in a guest's value");
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
        return fail(ErrorCode::protocol_violation, "half an element in a guest's value");
      node = builder_.typed_array(type, content);
    } else if (sort <= BYTES_BUFFER) {
      constexpr Kind kinds[] = {Kind::array_buffer, Kind::data_view, Kind::buffer};
      node = builder_.bytes(kinds[sort], content);
    } else {
      return fail(ErrorCode::protocol_violation, "unknown bytes in a guest's value");
    }
    numbered_.push_back(node);
    return node;
  }

  Result<> enter(Container container) {
    if (open_.size() >= limits_.depth) return fail(ErrorCode::too_deep, "value nested too deeply");
    if (is_rich()) {
      container.node = builder_.open(container.kind);
      numbered_.push_back(container.node);
    }
    open_.push_back(container);
    return {};
  }

  // Room for the parts that follow, with `nodes_each` nodes for each. Refuses a count that the rest
  // of the input cannot hold; see above.
  Result<std::span<ValueView>> parts(std::size_t nodes_each) {
    const std::uint32_t count = CORDON_TRY(in_.u32());
    const std::uint64_t nodes = std::uint64_t{count} * nodes_each;
    if (nodes + owed_ > in_.left())
      return fail(ErrorCode::truncated, "container longer than its message");
    elements_ += count;
    if (elements_ > limits_.elements)
      return fail(ErrorCode::too_large, "value with too many elements");
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
  std::vector<ValueView> numbered_;  // with rich kinds
  std::size_t elements_ = 0;
  std::uint64_t owed_ = 0;  // how many nodes all open containers still expect
};

}  // namespace

Result<Value> read_value(Reader& in, const WireLimits& limits) {
  try {
    return WireReader(in, limits).read();
  } catch (const OverBudget&) {
    return fail(ErrorCode::memory_limit, "value past what the host may hold for the guest");
  }
}

}  // namespace cordon::js
