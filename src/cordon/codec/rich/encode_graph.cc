#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/codec/node_table.h"
#include "cordon/codec/rich/encode.h"
#include "cordon/codec/rich/writer_base.h"
#include "cordon/codec/tree_writing.h"

namespace cordon::rich {
namespace {

// "obj_7" and what goes with it.
class NodeId {
 public:
  explicit NodeId(std::uint32_t number) {
    char* const digits = text_ + prefix.size();
    prefix.copy(text_, prefix.size());
    size_ =
        static_cast<std::size_t>(std::to_chars(digits, text_ + sizeof text_, number).ptr - text_);
  }
  std::string_view text() const { return {text_, size_}; }

 private:
  static constexpr std::string_view prefix = "obj_";
  char text_[16];
  std::size_t size_;
};

// Writes a graph without recursion: how deep it is nested is not ours to choose.
//
// The text of a node is complete only after those of the nodes in it, which come before it in the
// output. So text_ is a stack of unfinished nodes: what a node has so far, then what the node in it
// has so far, and so on. A finished node moves to the output, and a reference takes its place
// (end_node). `open_` holds the state of each unfinished node, and Open::start is where its text
// begins in text_.
//
// A node gets its number when it is first met and before its parts are written. That is how a cycle
// ends: the part that leads back finds the number and becomes a reference. The numbers therefore
// follow the order of meeting, and the output follows the order of completion. Nodes that exist in
// the format alone (the array behind a Map, the object behind a RegExp) get a number too, but have
// no identity and are never found again.
//
// Opening a node may move `open_`. So each step advances `next` before it writes a part, and does
// not touch its Open afterwards. path() relies on it: the part being written is `next - 1`.
class GraphWriter : private WriterBase {
 public:
  // `unfinished` is room for the stack.
  GraphWriter(std::string& out, std::string& unfinished, const Registry& registry,
              const Options& options, std::size_t max_bytes)
      : WriterBase(unfinished, registry, options, max_bytes),
        nodes_(out, max_bytes, options.layout) {}

  // The nodes, each with its key. What stands for the root is then root().
  Result<> run(ValueView root) {
    bool good = write(root, 0, root_level);
    while (good && !open_.empty()) good = step();
    if (!good) return fail(failure(path()));
    return {};
  }

  std::string_view root() const { return text_.since(0); }
  bool has_nodes() const { return nodes_written_ > 0; }

  // Where the nodes go, and what stands before and after them.
  JsonText& output() { return nodes_; }

  // {"__ref":"obj_7"} as a part of something at `level - 1`.
  static bool write_reference(JsonText& text, std::uint32_t number, std::size_t level) {
    const NodeId id(number);
    return text.raw('{') && text.line(level + 1) && text.plain_key("__ref") && text.raw('"') &&
           text.raw(id.text()) && text.raw('"') && text.line(level) && text.raw('}');
  }

  static constexpr std::size_t root_level = 1;

 private:
  // Levels of the text: the nodes, their members, the parts of their values.
  static constexpr std::size_t node_level = 2;
  static constexpr std::size_t value_level = 3;
  static constexpr std::size_t part_level = 4;

  enum class Form : std::uint8_t {
    items,    // of an array
    members,  // of an object
    fields,   // of an Error
    entries,  // of a Map
    entry,    // an entry's key and value
    error,    // the payload of an Error
    typed,    // a Map, Set, Error or a type of the caller's: its payload is the one part
    record,   // a type of the caller's that is written inline
  };

  struct Open {
    Form form;
    bool empty = true;
    bool reordered = false;
    std::size_t depth;      // the depth of the parts
    std::size_t ref_level;  // the level of the reference to it; a record's own level
    std::uint32_t number = 0;
    std::size_t start = 0;  // where its text begins in text_
    std::size_t size = 1;
    const ValueView* items = nullptr;
    const Member* members = nullptr;
    const Entry* entries = nullptr;
    ValueView node = {};
    std::size_t next = 0;
  };

  bool write(ValueView value, std::size_t depth, std::size_t level) {
    if (!check_depth(depth)) return false;
    const Written simple = write_simple(value, depth, level);
    if (simple != Written::no) return simple == Written::yes;
    switch (value.kind()) {
      case Kind::regexp:
        return check_depth(depth + 2) &&
               write_text_record(
                   "RegExp", {{"pattern", value.regexp_source()}, {"flags", value.regexp_flags()}},
                   level);
      case Kind::symbol: {
        const bool global = value.symbol_kind() == SymbolKind::global;
        return is_writable_symbol(value) && check_depth(depth + 2) &&
               write_text_record(
                   "Symbol", {{"kind", global ? "For" : "WellKnown"}, {"key", value.symbol_key()}},
                   level);
      }
      case Kind::array_buffer:
      case Kind::typed_array:
      case Kind::data_view:
      case Kind::buffer:
        return write_bytes(value, depth, level);
      default:
        return write_node(value, depth, level);
    }
  }

  bool write_node(ValueView value, std::size_t depth, std::size_t level) {
    const Type* type = nullptr;
    // An object of a type that is written inline has no number, so its type is looked for first.
    // While its own payload is being written, it is an object like any other.
    if (value.is_object() && !numbered(value)) {
      type = custom_type_of(value);
      if (type != nullptr && !type->has_identity()) return open_record(*type, value, depth, level);
    }
    const std::uint32_t fresh = count_ + 1;
    const auto known = numbers_.find_or_add(value.identity(), fresh);
    if (!known.is_new) return write_reference(text_, *known.value, level);
    count_ = fresh;
    switch (value.kind()) {
      case Kind::array:
        return open_items(value.items(), fresh, depth + 1, level);
      case Kind::object:
        if (type != nullptr) return open_custom(*type, value, fresh, depth, level);
        return open_members(Form::members, value.members(), fresh, depth + 1, level);
      case Kind::map:
        return open_typed("Map", value, fresh, depth, level);
      case Kind::set:
        return open_typed("Set", value, fresh, depth, level);
      default:
        return open_typed("Error", value, fresh, depth, level);
    }
  }

  bool numbered(ValueView value) {
    // Without types of the caller's the answer does not matter, and the search is saved.
    return registry_.custom_types().empty() || numbers_.find(value.identity()) != nullptr;
  }

  // "obj_7":{"kind":"array","value":
  bool begin_node(std::uint32_t number, std::string_view kind) {
    return text_.line(node_level) && text_.plain_key(NodeId(number).text()) && text_.raw('{') &&
           text_.line(value_level) && text_.plain_key("kind") && text_.quoted(kind) &&
           text_.raw(',') && text_.line(value_level) && text_.plain_key("value");
  }

  bool begin_typed_node(std::uint32_t number, std::string_view type) {
    return text_.line(node_level) && text_.plain_key(NodeId(number).text()) && text_.raw('{') &&
           text_.line(value_level) && text_.plain_key("kind") && text_.raw("\"type\",") &&
           text_.line(value_level) && text_.plain_key("type") && text_.quoted(type) &&
           text_.raw(',') && text_.line(value_level) && text_.plain_key("value");
  }

  bool end_node(std::size_t start, std::uint32_t number, std::size_t ref_level) {
    if (!text_.line(node_level) || !text_.raw('}')) return false;
    if ((nodes_written_ > 0 && !nodes_.raw(',')) || !nodes_.raw(text_.since(start))) return false;
    ++nodes_written_;
    text_.cut(start);
    return write_reference(text_, number, ref_level);
  }

  // A record whose payload is an object of texts, which is a node like any object.
  bool write_text_record(std::string_view id, std::initializer_list<JsonText::Field> fields,
                         std::size_t level) {
    if (!text_.begin_record(id, level)) return false;
    const std::size_t start = text_.size();
    const std::uint32_t number = ++count_;
    return begin_node(number, "object") && text_.text_object(fields, value_level) &&
           end_node(start, number, level + 1) && text_.end_record(level);
  }

  bool write_bytes(ValueView value, std::size_t depth, std::size_t level) {
    const BytesView bytes = value.as_bytes();
    if (!check_depth(depth + (bytes.empty() ? 1 : 2)) ||
        !text_.begin_record(id_of_bytes(value), level)) {
      return false;
    }
    const std::size_t start = text_.size();
    const std::uint32_t number = ++count_;
    return begin_node(number, "array") && text_.byte_array(bytes, value_level) &&
           end_node(start, number, level + 1) && text_.end_record(level);
  }

  bool open_items(std::span<const ValueView> items, std::uint32_t number, std::size_t depth,
                  std::size_t ref_level) {
    const std::size_t start = text_.size();
    return begin_node(number, "array") && text_.raw('[') &&
           open({.form = Form::items,
                 .depth = depth,
                 .ref_level = ref_level,
                 .number = number,
                 .start = start,
                 .size = items.size(),
                 .items = items.data()});
  }

  bool open_members(Form form, std::span<const Member> members, std::uint32_t number,
                    std::size_t depth, std::size_t ref_level) {
    const std::size_t start = text_.size();
    const Ordered order = ordered(members);
    return begin_node(number, "object") && text_.raw('{') &&
           open({.form = form,
                 .reordered = order.is_copy,
                 .depth = depth,
                 .ref_level = ref_level,
                 .number = number,
                 .start = start,
                 .size = order.members.size(),
                 .members = order.members.data()});
  }

  bool open_typed(std::string_view id, ValueView node, std::uint32_t number, std::size_t depth,
                  std::size_t ref_level) {
    const std::size_t start = text_.size();
    return check_depth(depth + 1) && begin_typed_node(number, id) &&
           open({.form = Form::typed,
                 .depth = depth + 1,
                 .ref_level = ref_level,
                 .number = number,
                 .start = start,
                 .node = node});
  }

  bool open_custom(const Type& type, ValueView node, std::uint32_t number, std::size_t depth,
                   std::size_t ref_level) {
    const Payload* const payload = enter_payload(type, node);
    if (payload == nullptr) return false;
    const std::size_t start = text_.size();
    return begin_typed_node(number, type.id) && open({.form = Form::typed,
                                                      .depth = depth + 1,
                                                      .ref_level = ref_level,
                                                      .number = number,
                                                      .start = start,
                                                      .items = &payload->value,
                                                      .node = node});
  }

  bool open(const Open& container) {
    open_.push_back(container);
    return true;
  }

  bool open_record(const Type& type, ValueView node, std::size_t depth, std::size_t level) {
    const Payload* const payload = enter_payload(type, node);
    if (payload == nullptr) return false;
    in_payload_.insert(node.identity());
    return text_.begin_record(type.id, level) && open({.form = Form::record,
                                                       .depth = depth + 1,
                                                       .ref_level = level,
                                                       .items = &payload->value,
                                                       .node = node});
  }

  // Writes the next part of the innermost container, or its end.
  bool step() {
    Open& open = open_.back();
    switch (open.form) {
      case Form::items:
        if (open.next == open.size) return close(']');
        return begin_part(open) && write(open.items[open.next++], open.depth, part_level);
      case Form::members:
      case Form::fields:
        while (open.next < open.size && is_left_out(open)) ++open.next;
        if (open.next == open.size) return close('}');
        return write_member(open);
      case Form::entries:
        if (open.next == open.size) return close(']');
        return begin_part(open) && open_entry(open);
      case Form::entry:
        if (open.next == open.size) return close(']');
        return begin_part(open) && write(open.next++ == 0 ? open.entries->key : open.entries->value,
                                         open.depth, part_level);
      case Form::error:
        return write_error_part(open);
      case Form::typed:
        if (open.next == open.size) return close_typed();
        ++open.next;
        return write_payload(open);
      case Form::record:
        if (open.next == open.size) return close_record();
        return write(open.items[open.next++], open.depth, open.ref_level + 1);
    }
    return false;
  }

  bool begin_part(Open& open) {
    if (!open.empty && !text_.raw(',')) return false;
    open.empty = false;
    return text_.line(part_level);
  }

  static bool is_left_out(const Open& open) {
    const std::string_view key = open.members[open.next].key();
    return open.form == Form::fields ? is_reserved_error_field(key) : is_unsafe_key(key);
  }

  bool write_member(Open& open) {
    const Member& member = open.members[open.next++];
    return begin_part(open) && text_.quoted(member.key()) && text_.colon() &&
           write(member.value, open.depth, part_level);
  }

  bool open_entry(Open& entries) {
    const Entry* const entry = entries.entries + entries.next++;
    const std::size_t depth = entries.depth;
    const std::size_t start = text_.size();
    const std::uint32_t number = ++count_;
    return check_depth(depth) && begin_node(number, "array") && text_.raw('[') &&
           open({.form = Form::entry,
                 .depth = depth + 1,
                 .ref_level = part_level,
                 .number = number,
                 .start = start,
                 .size = 2,
                 .entries = entry});
  }

  // The payload of a typed node is a node too, of an array or object that is made for it.
  bool write_payload(const Open& typed) {
    const std::size_t depth = typed.depth;
    if (typed.items != nullptr) return write(*typed.items, depth, value_level);
    const ValueView node = typed.node;
    const std::size_t start = text_.size();
    const std::uint32_t number = ++count_;
    if (node.is_set()) return open_items(node.items(), number, depth + 1, value_level);
    if (node.is_map()) {
      const std::span<const Entry> entries = node.entries();
      return begin_node(number, "array") && text_.raw('[') &&
             open({.form = Form::entries,
                   .depth = depth + 1,
                   .ref_level = value_level,
                   .number = number,
                   .start = start,
                   .size = entries.size(),
                   .entries = entries.data()});
    }
    return check_depth(depth + 1) && begin_node(number, "object") && text_.raw('{') &&
           open({.form = Form::error,
                 .empty = false,
                 .depth = depth + 1,
                 .ref_level = value_level,
                 .number = number,
                 .start = start,
                 .node = node});
  }

  bool write_error_part(Open& open) {
    const ValueView error = open.node;
    const std::size_t depth = open.depth;
    if (open.next == 0) {
      ++open.next;
      return write_error_head(error, part_level) &&
             open_members(Form::fields, error.error_fields(), ++count_, depth + 1, part_level);
    }
    if (open.next == 1) {
      ++open.next;
      if (!write_error_stack(error, part_level)) return false;
      const ValueView cause = error.error_cause();
      return cause.is_hole() || (begin_error_cause(part_level) && write(cause, depth, part_level));
    }
    return close('}');
  }

  bool close(char bracket) {
    const Open closed = open_.back();
    if (closed.reordered) release_order();
    open_.pop_back();
    return (closed.empty || text_.line(value_level)) && text_.raw(bracket) &&
           end_node(closed.start, closed.number, closed.ref_level);
  }

  bool close_typed() {
    const Open closed = open_.back();
    if (closed.items != nullptr) leave_payload();
    open_.pop_back();
    return end_node(closed.start, closed.number, closed.ref_level);
  }

  bool close_record() {
    const Open closed = open_.back();
    leave_payload();
    in_payload_.erase(closed.node.identity());
    open_.pop_back();
    return text_.end_record(closed.ref_level);
  }

  std::string path() const {
    return path_of(open_, [](std::string& way, const Open& open) {
      switch (open.form) {
        case Form::items:
        case Form::entries:
          append_path(way, open.next - 1);
          break;
        case Form::members:
        case Form::fields:
          append_path(way, open.members[open.next - 1].key());
          break;
        case Form::error:
          if (open.next == 2) append_path(way, "cause");
          break;
        case Form::entry:
        case Form::typed:
        case Form::record:
          break;
      }
    });
  }

  JsonText nodes_;
  NodeTable<std::uint32_t> numbers_;
  std::uint32_t count_ = 0;  // how many numbers were given
  std::size_t nodes_written_ = 0;
  std::vector<Open> open_;
};

bool begin_graph(JsonText& out) {
  return out.raw('{') && out.line(1) && out.plain_key("__graph") && out.raw("true,") &&
         out.line(1) && out.plain_key("version") && out.raw("1,") && out.line(1) &&
         out.plain_key("root");
}

bool begin_nodes(JsonText& out) {
  return out.raw(',') && out.line(1) && out.plain_key("nodes") && out.raw('{');
}

bool end_graph(JsonText& out) {
  return out.line(1) && out.raw('}') && out.line(0) && out.raw('}') && out.finish();
}

std::unexpected<Error> past_limit() {
  return fail(ErrorCode::too_large, "serialized text past its limit");
}

}  // namespace

Result<> encode_graph(std::string& out, ValueView value, const Registry& registry,
                      const Options& options, std::size_t max_bytes) {
  std::string unfinished;
  const bool root_is_node =
      value.kind() >= Kind::array && (!value.is_object() || registry.custom_types().empty());
  if (root_is_node) {
    // The root is then the first node. Its reference is known before the nodes are, so all can be
    // written straight to `out`.
    GraphWriter writer(out, unfinished, registry, options, max_bytes);
    JsonText& text = writer.output();
    if (!begin_graph(text) || !GraphWriter::write_reference(text, 1, GraphWriter::root_level) ||
        !begin_nodes(text)) {
      return past_limit();
    }
    CORDON_TRY(writer.run(value));
    return end_graph(text) ? Result<>() : past_limit();
  }

  std::string nodes;
  GraphWriter writer(nodes, unfinished, registry, options, max_bytes);
  CORDON_TRY(writer.run(value));
  if (!writer.has_nodes()) return encode_tree(out, value, registry, options, max_bytes);
  JsonText whole(out, max_bytes, options.layout);
  const bool written = begin_graph(whole) && whole.raw(writer.root()) && begin_nodes(whole) &&
                       whole.raw(writer.output().since(0)) && end_graph(whole);
  return written ? Result<>() : past_limit();
}

}  // namespace cordon::rich
