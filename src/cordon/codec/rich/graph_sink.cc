#include "cordon/codec/rich/graph_sink.h"

#include <algorithm>

#include "cordon/codec/distinct.h"
#include "cordon/codec/rich/date_parse.h"
#include "cordon/codec/rich/expected_key.h"
#include "cordon/codec/rich/keys.h"

// What the sink expects, as roles of the containers that are open (`open_`, innermost last):
//
//   document
//     envelope            {"__graph":true,"version":1,"root":R,"nodes":{...}}, in this order
//       nodes             "obj_1":N,"obj_2":N,...
//         array_node      {"kind":"array","value":[P,...]}             holds items
//         object_node     {"kind":"object","value":{"key":P,...}}      holds members
//         typed_node      {"kind":"type","type":"Map","value":P}       Map, Set and Error only
//
//   R and P are a primitive, a reference {"__ref":"obj_7"}, or a record
//   {"__type":"Date","value":P}.
//
// Any other text stops the sink. Stopping is always safe, since the text is then read the exact
// way, and it is never an answer: the parser ends after the next value, and finish() gives nothing.
// So a function may continue after stop() as long as it stays within its memory. It must never be
// less strict than the exact way; the fuzzer compares the two.
//
// Nodes are not nested in the text. So one node is being read at a time (`number_`, `has_marks_`),
// and its edges lie side by side in `edges_`. The root comes before the nodes: its edges are the
// first ones.
//
// Marks. A reference to a node that is not made yet is pushed as a mark, a symbol that no text can
// spell. A mark must not outlive the sink. Each list of parts that may hold one is noted in
// `marked_` when it is made, and so is each copy of such a list (the entries of a Map). Where the
// value of a part is looked at (a Map's key, an element of a Set, a field of an Error, the payload
// of a record), a mark stops the sink. resolve_marks() replaces all of them in the end. Nodes lie
// in the builder's arena and do not move, so the addresses of the parts stay good until then.

namespace cordon::rich {
namespace {

using Taken = json::TakenObject;

// Text of a fixed size, compared without a call.
template <std::size_t size>
bool is_text(const char* at, const char* end, const char (&text)[size]) {
  return static_cast<std::size_t>(end - at) >= size - 1 && std::memcmp(at, text, size - 1) == 0;
}

// Past the text if it is there, else nullptr.
template <std::size_t size>
const char* past(const char* at, const char* end, const char (&text)[size]) {
  return is_text(at, end, text) ? at + size - 1 : nullptr;
}

// A Member and an Entry are two nodes side by side.
template <class Pair>
std::span<const ValueView> nodes_of(std::span<const Pair> pairs) {
  static_assert(sizeof(Pair) == 2 * sizeof(ValueView));
  return {reinterpret_cast<const ValueView*>(pairs.data()), 2 * pairs.size()};
}

}  // namespace

GraphSink::GraphSink(ValueBuilder& builder, const Registry& registry, const Options& options,
                     Reviver& reviver, std::size_t text_bytes)
    : builder_(builder),
      registry_(registry),
      reviver_(reviver),
      max_depth_(options.max_depth),
      // A node takes more text than this. So a higher number means that there are gaps, which
      // serializers do not leave; and a small text cannot ask for a large table.
      max_nodes_(text_bytes / 32 + 2),
      open_(builder.budget()),
      nodes_(builder.budget()),
      edges_(builder.budget()),
      marked_(builder.budget()) {
  nodes_.resize(1);
  open_.reserve(8);
  open_.push_back({.role = Role::document});
}

const char* GraphSink::node_id(const char* at, const char* end, NodeNumber& number) {
  at = past(at, end, "obj_");
  if (at == nullptr) return nullptr;
  const char* const digits = at;
  std::uint64_t read = 0;
  while (at != end && *at >= '0' && *at <= '9' && at - digits < 10) {
    read = read * 10 + static_cast<std::uint64_t>(*at++ - '0');
  }
  if (at == digits || *digits == '0' || at == end || *at != '"' || read >= max_nodes_) {
    return nullptr;
  }
  if (read >= nodes_.size()) nodes_.resize(std::min(max_nodes_, 2 * read + 16));
  number = static_cast<NodeNumber>(read);
  return at + 1;
}

// What stands at a brace is told from its first bytes, as serializers write them. An object that
// this function does not take comes as begin_object(), which knows only the envelope, the table of
// nodes and the members of an object node.
json::TakenObject GraphSink::take_object(const char* at, const char* end) {
  const Open& parent = open_.back();
  switch (parent.role) {
    case Role::document:
    case Role::object_node:
      return {};
    case Role::nodes:
      return take_node(at, end);
    case Role::envelope:
      if (parent.count == 4) return {};
      if (parent.count == 3) break;
      [[fallthrough]];
    case Role::array_node:
      stop();
      return {};
    default:
      break;
  }
  // A part of a node, the payload of a record, or the root.
  if (const char* const id = past(at, end, R"({"__ref":")")) {
    NodeNumber number = 0;
    const char* const after = node_id(id, end, number);
    if (after != nullptr && after != end && *after == '}') {
      reference(number);
      return {Taken::Part::all, after + 1};
    }
  } else if (parent.role == Role::items || parent.role == Role::members ||
             parent.role == Role::envelope) {
    return take_record(at, end);
  }
  stop();
  return {};
}

json::TakenObject GraphSink::take_node(const char* at, const char* end) {
  if (const char* const value = past(at, end, R"({"kind":"object","value":)")) {
    open_node(Role::object_node, next_number_);
    return {Taken::Part::head, value};
  }
  if (const char* const value = past(at, end, R"({"kind":"array","value":)")) {
    open_node(Role::array_node, next_number_);
    return {Taken::Part::head, value};
  }
  if (const char* const id = past(at, end, R"({"kind":"type","type":")")) {
    const char* value = nullptr;
    const Type* type = nullptr;
    if (is_text(id, end, R"(Map","value":)")) {
      type = registry_.find("Map");
      value = id + sizeof R"(Map","value":)" - 1;
    } else if (is_text(id, end, R"(Set","value":)")) {
      type = registry_.find("Set");
      value = id + sizeof R"(Set","value":)" - 1;
    } else if (is_text(id, end, R"(Error","value":)")) {
      type = registry_.find("Error");
      value = id + sizeof R"(Error","value":)" - 1;
    }
    if (type != nullptr) {
      open_node(Role::typed_node, next_number_, type);
      return {Taken::Part::head, value};
    }
  }
  stop();
  return {};
}

json::TakenObject GraphSink::take_record(const char* at, const char* end) {
  constexpr std::ptrdiff_t max_id = 24;
  if (const char* const id = past(at, end, R"({"__type":")")) {
    const auto* const quote = static_cast<const char*>(
        std::memchr(id, '"', static_cast<std::size_t>(std::min(end - id, max_id))));
    const char* const value = quote == nullptr ? nullptr : past(quote, end, R"(","value":)");
    const Type* const type = value == nullptr ? nullptr : registry_.find({id, quote});
    if (type != nullptr && type->kind != TypeKind::custom) {
      open_.push_back({.role = Role::record, .mark = builder_.mark(), .data = type});
      return {Taken::Part::head, value};
    }
  }
  stop();
  return {};
}

void GraphSink::open_node(Role role, NodeNumber number, const void* data) {
  number_ = number;
  has_marks_ = false;
  if (nodes_[number].made) stop();
  nodes_[number].first_edge = static_cast<std::uint32_t>(edges_.size());
  open_.push_back({.role = role, .number = number, .mark = builder_.mark(), .data = data});
}

void GraphSink::reference(NodeNumber number) {
  const bool in_record = open_.back().role == Role::record;
  const bool at_root = open_[1].count < 4;
  // From the reference to a node to its parts there are two levels. The root itself has none above.
  const std::uint32_t depth = (at_root ? 0U : 2U) + (in_record ? 1U : 0U);
  edges_.push_back({number, depth});
  Node& node = nodes_[number];
  if (in_record) node.is_payload = true;
  if (!node.made) {
    if (in_record) stop();
    has_marks_ = true;
    builder_.push(mark_of(number));
    return;
  }
  if (in_record && node.has_marks) stop();
  builder_.push(node.value);
}

// A value that is written in place. Only a root, a part of a node or the payload of a record may
// be.
void GraphSink::part(ValueView value) {
  switch (open_.back().role) {
    case Role::nodes:
    case Role::array_node:
    case Role::object_node:
    case Role::typed_node:
    case Role::document:
      return stop();
    case Role::envelope:
      // true, the version, the root.
      if (open_.back().count < 3) return;
      break;
    case Role::record:
      break;
    default:
      current().reach = std::max<std::uint8_t>(current().reach, 2);
      break;
  }
  builder_.push(value);
}

void GraphSink::text(std::string_view text) {
  const Open& open = open_.back();
  if (open.role == Role::envelope && open.count < 3) return stop();
  if (open.role == Role::record) {
    switch (open.type().kind) {
      case TypeKind::date: {
        const double ms = date_from_full_iso_text(text);
        builder_.push(ValueBuilder::date(std::isnan(ms) ? date_from_text(text) : ms));
        return;
      }
      case TypeKind::bigint: {
        const auto number = reviver_.bigint(text);
        if (!number) return stop();
        builder_.push(*number);
        return;
      }
      default:
        break;
    }
  }
  part(builder_.string(text));
}

// Keys of the envelope and ids of nodes are read here, and must be as expected. The keys of an
// object node are data: they are guessed from the object node before, and key() gets them if the
// guess is wrong.
const char* GraphSink::expected_key(const char* at, const char* end) {
  Open& open = open_.back();
  switch (open.role) {
    case Role::envelope: {
      constexpr std::string_view keys[] = {"__graph\"", "version\"", "root\"", "nodes\""};
      const std::string_view rest(at, end);
      if (open.count < 4 && rest.starts_with(keys[open.count])) {
        return at + keys[open.count++].size();
      }
      break;
    }
    case Role::nodes: {
      const char* const after = node_id(at, end, next_number_);
      if (after != nullptr) return after;
      break;
    }
    case Role::members:
      return past_expected_key(builder_, open, at, end);
    default:
      break;
  }
  stop();
  return nullptr;
}

void GraphSink::key(std::string_view key, bool escaped) {
  Open& open = open_.back();
  if (escaped) open.plain_keys = false;
  if (is_unsafe_key(key)) stop();
  if (may_be_index(key)) {
    open.plain_keys = false;
    open.indices = true;
  }
  builder_.push(builder_.string(key));
}

void GraphSink::begin_array() {
  if (open_.back().role != Role::array_node) stop();
  open_.push_back({.role = Role::items, .mark = builder_.mark()});
}

void GraphSink::end_array() {
  const Open closed = open_.back();
  open_.pop_back();
  const ValueView array = builder_.array_since(closed.mark);
  if (has_marks_) add_marked(array.items(), 1);
  builder_.push(array);
}

void GraphSink::begin_object() {
  switch (open_.back().role) {
    case Role::document:
      open_.push_back({.role = Role::envelope});
      return;
    case Role::envelope:
      if (open_.back().count != 4) stop();
      nodes_[0].edges = static_cast<std::uint32_t>(edges_.size());
      open_.push_back({.role = Role::nodes});
      return;
    case Role::object_node:
      open_.push_back({.role = Role::members,
                       .as_expected = true,
                       .plain_keys = true,
                       .count = static_cast<std::uint32_t>(shape_.size()),
                       .mark = builder_.mark(),
                       .data = shape_.data()});
      return;
    default:
      stop();
      open_.push_back({.role = Role::members, .mark = builder_.mark()});
  }
}

// An object node is refused where the builder changed it: a key that came twice, or keys that
// JavaScript would list in another order. The exact way knows what the reference makes of them.
void GraphSink::end_object() {
  const Open closed = open_.back();
  open_.pop_back();
  switch (closed.role) {
    case Role::members: {
      const std::size_t count = (builder_.mark() - closed.mark) / 2;
      const ValueView object =
          builder_.object_since(closed.mark, closed.as_expected ? Keys::distinct : Keys::any);
      if (object.size() != count || (closed.indices && !is_in_javascript_order(object.members()))) {
        stop();
      }
      if (!closed.as_expected) {
        shape_ = closed.plain_keys ? object.members() : std::span<const Member>();
      }
      if (has_marks_) add_marked(nodes_of(object.members()), 2);
      builder_.push(object);
      return;
    }
    case Role::array_node:
    case Role::object_node:
      return end_node(closed);
    case Role::typed_node:
      return end_typed_node(closed);
    case Role::record:
      return end_record(closed);
    case Role::envelope:
      if (closed.count != 4) stop();
      return;
    default:
      return;
  }
}

void GraphSink::end_node(const Open& closed) {
  // One value, and no more: its key is the last that was read.
  if (builder_.mark() != closed.mark + 1) return stop();
  Node& node = nodes_[closed.number];
  node.value = builder_.since(closed.mark)[0];
  node.made = true;
  node.has_marks = has_marks_;
  node.edges = static_cast<std::uint32_t>(edges_.size()) - node.first_edge;
  builder_.drop_since(closed.mark);
}

// The payload is a reference to a node that the serializer made for it alone. The last edge is that
// reference. The node's own parts are used to make the typed value, and the node itself is dropped.
void GraphSink::end_typed_node(const Open& closed) {
  if (stopped_ || builder_.mark() != closed.mark + 1) return stop();
  const ValueView payload = builder_.since(closed.mark)[0];
  if (is_mark(payload)) return stop();
  std::optional<ValueView> made;
  switch (closed.type().kind) {
    case TypeKind::map:
      made = map_of(payload, has_marks_);
      if (made && has_marks_) add_marked(nodes_of(made->entries()), 1);
      break;
    case TypeKind::set: {
      const std::span<const ValueView> items = payload.items();
      if (payload.is_array() && std::ranges::none_of(items, is_mark) &&
          are_distinct(items, 1, builder_.budget())) {
        made = builder_.set(items);
      }
      break;
    }
    default: {
      const bool plain =
          payload.is_object() && std::ranges::none_of(payload.members(), is_mark, &Member::value) &&
          std::ranges::none_of(payload.find("customFields").members(), is_mark, &Member::value);
      const auto error = plain ? reviver_.revive(closed.type(), payload) : Result<ValueView>();
      if (plain && error) made = *error;
      break;
    }
  }
  if (!made) return stop();
  claim_payload(closed.type().kind, payload);
  builder_.drop_since(closed.mark);
  builder_.push(*made);
  end_node(closed);
}

// Marks the nodes that the typed value was made of: its payload, and those in it whose parts were
// copied, which are the entries of a Map and the custom fields of an Error. walk() refuses a graph
// that refers to one of them a second time.
void GraphSink::claim_payload(TypeKind kind, ValueView payload) {
  Node& node = nodes_[edges_.back().to];
  node.is_payload = true;
  if (kind == TypeKind::set) return;
  const void* const fields = payload.find("customFields").identity();
  const std::span<const Edge> parts(edges_.data() + node.first_edge, node.edges);
  for (const Edge& part : parts) {
    Node& used = nodes_[part.to];
    if (kind == TypeKind::map || (fields != nullptr && used.value.identity() == fields)) {
      used.is_payload = true;
    }
  }
}

// The entries are nodes of two parts. `has_marks` becomes true where a value is a mark.
std::optional<ValueView> GraphSink::map_of(ValueView payload, bool& has_marks) {
  if (!payload.is_array()) return std::nullopt;
  const std::size_t mark = builder_.mark();
  for (const ValueView entry : payload.items()) {
    if (!entry.is_array() || entry.size() != 2 || is_mark(entry.at(0))) return std::nullopt;
    builder_.push(entry.at(0));
    builder_.push(entry.at(1));
    has_marks |= is_mark(entry.at(1));
  }
  if (!are_distinct(builder_.since(mark), 2, builder_.budget())) return std::nullopt;
  return builder_.map_since(mark);
}

void GraphSink::end_record(const Open& record) {
  if (stopped_ || builder_.mark() != record.mark + 1) return stop();
  current().reach = std::max<std::uint8_t>(current().reach, 3);
  const TypeKind kind = record.type().kind;
  const ValueView payload = builder_.since(record.mark)[0];
  if ((kind == TypeKind::date && payload.kind() == Kind::date) ||
      (kind == TypeKind::bigint && payload.is_bigint())) {
    return;
  }
  const auto made = reviver_.revive(record.type(), payload);
  if (!made) return stop();
  builder_.drop_since(record.mark);
  builder_.push(*made);
}

void GraphSink::add_marked(std::span<const ValueView> slots, std::uint32_t step) {
  // They belong to the builder, whose message is not finished.
  marked_.push_back(
      {const_cast<ValueView*>(slots.data()), static_cast<std::uint32_t>(slots.size()), step});
}

}  // namespace cordon::rich
