#include "cordon/codec/rich/resolver.h"

#include <string>
#include <utility>

#include "cordon/codec/rich/keys.h"
#include "cordon/value/key_index.h"

// How the walk works.
//
// The sender of a document decides how deep it is nested, so nothing here recurses. Each container
// or typed value that is being read has a frame on `frames_`. visit() looks at one value, and
// step() carries the top frame on:
//
//   visit(value)
//     a primitive, or a node that is known   done_ = true,  result_ = the value
//     an array, an object, a node            done_ = false, a new frame on top
//     a typed value                          done_ = false, a new frame on top, and
//                                            result_ = its payload, which is not read yet
//   step(), with the top frame
//     of parts, done_ is true                the part that it waited for has come: store it
//     of parts                               visit the next parts until one needs a frame
//     of a typed value, done_ is false       visit the payload
//     of a typed value, done_ is true        result_ is the payload, read: make the value
//     all parts are read                     finish(): result_ = its value, done_ = true; pop
//
// So after each visit() either done_ is true or there is a new frame, never both. A visit may move
// the frames, since it may push one: a pointer to a frame is not used after it. A frame stays on
// the stack while it is finished, because path() reads the place of an error off the frames.
//
// A JSON document is a tree, and each container in it is visited once. That is why its parts may be
// replaced in place. A node of a graph can be reached many times, even while it is being read, and
// goes through the states
//
//   untouched --first reference--> open --its parts are read--> done
//
// A reference to an open node is a cycle. It gets what stands for the node (Node::value), so the
// finished value must have that identity; merge() sees to it.

namespace cordon::rich {
namespace {

bool is_primitive(ValueView value) { return !value.is_array() && !value.is_object(); }

bool is_graph(ValueView document) {
  if (!document.is_object()) return false;
  const ValueView marker = document.find(graph_key);
  const ValueView nodes = document.find("nodes");
  return marker.is_bool() && marker.as_bool() && document.contains("root") &&
         (nodes.is_object() || nodes.is_array());
}

const ValueView* parts_of(std::span<const Member> members) {
  static_assert(sizeof(Member) == 2 * sizeof(ValueView));
  return reinterpret_cast<const ValueView*>(members.data());
}

ValueView* parts_of(std::span<Member> members) {
  return reinterpret_cast<ValueView*>(members.data());
}

// What `${x}` prints of a JSON value where a type's id should be.
std::string text_of(ValueView value) {
  if (value.is_string()) return std::string(value.as_string());
  if (value.is_object()) return "[object Object]";
  return debug_text(value);
}

Error violation(std::string detail) { return {ErrorCode::protocol_violation, std::move(detail)}; }

}  // namespace

bool Resolver::run(ValueView document) {
  graph_ = is_graph(document);
  ValueView root = document;
  if (graph_) {
    root = document.find("root");
    table_ = document.find("nodes");
    nodes_.resize(table_.size());
  }
  if (!visit(root, 0)) return false;
  while (!frames_.empty()) {
    if (!step()) return false;
  }
  return true;
}

// Leaves the value in result_, or pushes a frame that will.
bool Resolver::visit(ValueView value, std::size_t depth) {
  if (!check_depth(depth)) return false;
  done_ = true;
  result_ = value;
  if (value.is_array()) return visit_array(value, depth);
  if (value.is_object()) return visit_object(value, depth);
  return true;
}

bool Resolver::visit_array(ValueView array, std::size_t depth) {
  const std::span<ValueView> items = builder_.items_of(array);
  done_ = false;
  frames_.push_back({.step = Step::parts,
                     .source = items.data(),
                     .target = items.data(),
                     .size = items.size(),
                     .depth = depth + 1,
                     .made = array});
  return true;
}

bool Resolver::visit_object(ValueView object, std::size_t depth) {
  const std::span<Member> members = builder_.members_of(object);
  if (graph_ && object.contains(reference_key)) return visit_reference(object, depth);
  const ValueView id = object.find(type_key);
  if (id.is_string() && object.contains(value_key)) {
    return visit_record(object, id.as_string(), depth);
  }
  bool changes_keys = false;
  for (const Member& member : members) {
    changes_keys |= is_unsafe_key(member.key()) || (!graph_ && is_escaped_key(member.key()));
  }
  done_ = false;
  frames_.push_back({.step = Step::parts,
                     .changes_keys = changes_keys,
                     .stride = 2,
                     .source = parts_of(members),
                     .target = parts_of(members),
                     .size = members.size(),
                     .depth = depth + 1,
                     .made = object});
  return true;
}

bool Resolver::visit_record(ValueView record, std::string_view id, std::size_t depth) {
  auto type = registry_.find_or_explain(id);
  if (!type) return wrong(std::move(type).error());
  result_ = record.find(value_key);
  done_ = false;
  frames_.push_back({.step = Step::record, .depth = depth + 1, .type = *type});
  return true;
}

// Like the reference implementation, a reference counts as a level of its own: its node is one
// level deeper than the reference, and the parts of the node are two.
bool Resolver::visit_reference(ValueView reference, std::size_t depth) {
  const ValueView id = reference.find(reference_key);
  if (!id.is_string() || reference.size() != 1) {
    return wrong(violation("Invalid object reference payload"));
  }
  if (!check_depth(depth + 1)) return false;
  ValueView node;
  const std::size_t position = find_node(id.as_string(), node);
  if (position == nodes_.size()) {
    return wrong(
        violation(std::string("Unresolved reference id \"").append(id.as_string()).append("\"")));
  }
  Node& known = nodes_[position];
  if (known.state == NodeState::untouched) return open_node(position, node, depth + 1);
  if (known.state == NodeState::open) known.circular = true;
  result_ = known.value;
  return true;
}

// Returns nodes_.size() where the document has no such node, or one that may not be referred to.
std::size_t Resolver::find_node(std::string_view id, ValueView& node) const {
  std::size_t position = nodes_.size();
  if (is_unsafe_key(id)) return position;
  if (table_.is_object()) {
    position = find_key(detail::ValueAccess::members(table_), id);
    if (position < nodes_.size()) node = table_.members()[position].value;
  } else if (const auto index = index_of_key(id); index && *index < nodes_.size()) {
    position = *index;
    node = table_.items()[position];
  }
  // What JavaScript takes for false is no node.
  const bool falsy = node.is_nullish() || (node.is_bool() && !node.as_bool()) ||
                     (node.is_number() && node.as_number() == 0) ||
                     (node.is_string() && node.empty());
  return falsy ? nodes_.size() : position;
}

bool Resolver::open_node(std::size_t position, ValueView node, std::size_t depth) {
  const ValueView kind = node.find("kind");
  const ValueView raw = node.find(value_key);
  if (kind == "object") return open_object_node(position, raw, depth);
  if (kind == "array") return open_array_node(position, raw, depth);
  if (kind == "type") return open_typed_node(position, node, depth);
  return wrong(violation("Unsupported node kind"));
}

// An open node can be reached through itself. So its parts are not changed in place: a part that is
// not read yet is a hole, and never a piece of the raw document.
bool Resolver::open_array_node(std::size_t position, ValueView raw, std::size_t depth) {
  if (!raw.is_array()) return wrong(violation("Invalid array node payload"));
  const ValueView made = builder_.open_items(raw.size());
  nodes_[position] = {.state = NodeState::open, .value = made};
  done_ = false;
  frames_.push_back({.step = Step::node_parts,
                     .source = raw.items().data(),
                     .target = builder_.items_of(made).data(),
                     .size = raw.size(),
                     .depth = depth + 1,
                     .made = made,
                     .node = position});
  return true;
}

bool Resolver::open_object_node(std::size_t position, ValueView raw, std::size_t depth) {
  if (!raw.is_object()) return wrong(violation("Invalid object node payload"));
  bool unsafe = false;
  for (const Member& member : raw.members()) unsafe |= is_unsafe_key(member.key());
  if (unsafe) {
    const std::size_t mark = builder_.mark();
    for (const Member& member : raw.members()) {
      if (is_unsafe_key(member.key())) continue;
      builder_.push(member.name);
      builder_.push(member.value);
    }
    raw = builder_.object_since(mark, Keys::distinct);
  }
  const ValueView made = builder_.open_with_keys_of(raw);
  nodes_[position] = {.state = NodeState::open, .value = made};
  done_ = false;
  frames_.push_back({.step = Step::node_parts,
                     .stride = 2,
                     .source = parts_of(raw.members()),
                     .target = parts_of(builder_.members_of(made)),
                     .size = raw.size(),
                     .depth = depth + 1,
                     .made = made,
                     .node = position});
  return true;
}

bool Resolver::open_typed_node(std::size_t position, ValueView node, std::size_t depth) {
  auto found = registry_.find_or_explain(text_of(node.find("type")));
  if (!found) return wrong(std::move(found).error());
  const Type& type = **found;
  ValueView opened;
  switch (type.kind) {
    case TypeKind::map:
      opened = builder_.open(Kind::map);
      break;
    case TypeKind::set:
      opened = builder_.open(Kind::set);
      break;
    case TypeKind::error:
      opened = builder_.open(Kind::error);
      break;
    case TypeKind::date:
      opened = ValueBuilder::date(0);
      break;
    case TypeKind::custom:
      if (type.definition.create) opened = type.definition.create(builder_);
      if (opened.is_nullish()) opened = builder_.open(Kind::object);
      break;
    default:
      opened = builder_.open(Kind::object);
      break;
  }
  nodes_[position] = {.state = NodeState::open, .value = opened};
  result_ = node.find(value_key);
  done_ = false;
  frames_.push_back({.step = Step::node_record,
                     .depth = depth + 1,
                     .made = opened,
                     .type = &type,
                     .node = position});
  return true;
}

// Carries the innermost frame on until one of its parts needs a frame of its own, or until it ends.
bool Resolver::step() {
  Frame* frame = &frames_.back();
  if (frame->step == Step::parts || frame->step == Step::node_parts) {
    // The part that was waited for.
    if (done_) {
      frame->target[frame->next * frame->stride + frame->stride - 1] = result_;
      ++frame->next;
    }
    for (; frame->next < frame->size; ++frame->next) {
      const std::size_t at = frame->next * frame->stride + frame->stride - 1;
      const ValueView part = frame->source[at];
      if (frame->changes_keys && is_dropped(frame->source[at - 1].as_string())) continue;
      if (is_primitive(part)) {
        if (!check_depth(frame->depth)) return false;
        frame->target[at] = part;
        continue;
      }
      if (!visit(part, frame->depth)) return false;
      if (!done_) return true;
      frame = &frames_.back();
      frame->target[at] = result_;
    }
  } else if (!done_) {
    // The payload of a typed value that was just met.
    if (!visit(result_, frame->depth)) return false;
    if (!done_) return true;
    frame = &frames_.back();
  }
  const Frame ended = *frame;
  if (!finish(ended)) return false;
  frames_.pop_back();
  return true;
}

// Leaves the value of the frame in result_.
bool Resolver::finish(const Frame& frame) {
  done_ = true;
  switch (frame.step) {
    case Step::node_parts:
      nodes_[frame.node].state = NodeState::done;
      result_ = frame.made;
      return true;
    case Step::parts:
      result_ = frame.changes_keys ? with_changed_keys(frame) : frame.made;
      return true;
    case Step::record: {
      auto made = reviver_.revive(*frame.type, result_);
      if (!made) return wrong(std::move(made).error());
      result_ = *made;
      return true;
    }
    case Step::node_record:
      return finish_typed_node(frame);
  }
  return false;
}

bool Resolver::finish_typed_node(const Frame& frame) {
  auto made = reviver_.revive(*frame.type, result_, frame.made);
  if (!made) return wrong(std::move(made).error());
  Node& node = nodes_[frame.node];
  auto merged = merge(*frame.type, node, frame.made, *made);
  if (!merged) return wrong(std::move(merged).error());
  node.value = *merged;
  node.state = NodeState::done;
  result_ = *merged;
  return true;
}

// While the node was open, references in a cycle got `opened` for its value. So `opened` must
// become the value, or nothing may have got it. A type can fill `opened` itself; of a caller's type
// the contents of what it made are moved over, as the reference implementation does with create().
// A Date has no identity here and cannot be filled: its value simply takes the placeholder's place.
Result<ValueView> Resolver::merge(const Type& type, const Node& node, ValueView opened,
                                  ValueView made) {
  if (made.identity() != nullptr && made.identity() == opened.identity()) return made;
  if (type.kind == TypeKind::date) return made;
  const bool custom = type.kind == TypeKind::custom;
  const bool created = custom && type.definition.create != nullptr;
  if (custom && opened.is_object() && made.is_object()) {
    std::vector<Member> members;
    if (created) members.assign(opened.members().begin(), opened.members().end());
    for (const Member& member : made.members()) {
      if (!is_unsafe_key(member.key())) members.push_back(member);
    }
    builder_.fill(opened, members, Keys::any, KeyOrder::javascript);
    return opened;
  }
  if (created && opened.is_map() && made.is_map()) {
    builder_.fill(opened, made.entries());
    return opened;
  }
  if (created && opened.is_set() && made.is_set()) {
    builder_.fill(opened, made.items());
    return opened;
  }
  if (!node.circular) return made;
  const bool primitive = made.kind() <= Kind::symbol;
  return fail(ErrorCode::protocol_violation,
              primitive ? "Cannot preserve circular references for a type without create() that "
                          "deserializes to a non-object value"
                        : "Cannot preserve circular references for a type without create(); "
                          "provide create() for identity-safe placeholders");
}

// A new object without the unsafe keys, whose escaped keys have lost their prefix. Both can make
// two keys equal and change the order in which JavaScript lists them, so the builder sorts that
// out.
ValueView Resolver::with_changed_keys(const Frame& frame) {
  const std::size_t mark = builder_.mark();
  for (const Member& member : frame.made.members()) {
    const std::string_view key = member.key();
    if (is_dropped(key)) continue;
    const bool escaped = !graph_ && is_escaped_key(key);
    builder_.push(escaped ? builder_.string(key.substr(escape_prefix.size())) : member.name);
    builder_.push(member.value);
  }
  return builder_.object_since(mark, Keys::any, KeyOrder::javascript);
}

// Whether the key is unsafe, also behind the prefix that tree format takes away.
bool Resolver::is_dropped(std::string_view key) const {
  if (!graph_ && is_escaped_key(key)) key.remove_prefix(escape_prefix.size());
  return is_unsafe_key(key);
}

bool Resolver::check_depth(std::size_t depth) {
  if (depth <= max_depth_) return true;
  return wrong(
      {ErrorCode::too_deep, "Maximum depth exceeded (" + std::to_string(max_depth_) + ")"});
}

bool Resolver::wrong(Error error) {
  error_ = std::move(error);
  return false;
}

// Where in the text the walk stands, for an error. The frames run from the root inwards. A node is
// written in the table and not where it is referred to, so the path begins anew with each node.
std::vector<PathStep> Resolver::path() const {
  std::vector<PathStep> path;
  const auto key = [&path](std::string_view name) {
    path.push_back({std::string(name), 0, false});
  };
  if (graph_) key("root");
  for (const Frame& frame : frames_) {
    if (frame.step == Step::node_parts || frame.step == Step::node_record) {
      path.clear();
      key("nodes");
      if (table_.is_object()) {
        key(table_.members()[frame.node].key());
      } else {
        path.push_back({"", frame.node, true});
      }
      key(value_key);
    }
    if (frame.step == Step::record) {
      key(value_key);
    } else if (frame.step != Step::node_record && frame.next < frame.size) {
      if (frame.stride == 2) {
        key(frame.source[frame.next * 2].as_string());
      } else {
        path.push_back({"", frame.next, true});
      }
    }
  }
  return path;
}

}  // namespace cordon::rich
