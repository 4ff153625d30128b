#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/codec/rich/encode.h"
#include "cordon/codec/rich/writer_base.h"
#include "cordon/codec/tree_writing.h"

namespace cordon::rich {
namespace {

// Writes a tree without recursion: `open_` holds the containers that are being written, and step()
// writes the next part of the innermost. A shared node is written each time it is met, so two
// dangers have to be seen early: a cycle, which enter() finds (cycles.h), and a value that grows
// beyond its limit (ExpansionWatch). Opening a container may move the others, so `next` is advanced
// before a part is written, and path() relies on that.
class TreeWriter : private WriterBase {
 public:
  TreeWriter(std::string& out, const Registry& registry, const Options& options,
             std::size_t max_bytes)
      : WriterBase(out, registry, options, max_bytes), watch_(max_bytes, MapsAndSets::written) {
    // Types of the caller's may write anything in place of an object.
    if (!registry.custom_types().empty()) watch_.disable();
  }

  Result<> run(ValueView root) {
    bool good = write(root, 0);
    while (good && !open_.empty()) good = step() && !watch_.is_hopeless(root, text_.size());
    if (good && text_.finish()) return {};
    blame_cycle(open_, error_, cyclic);
    return fail(failure(path()));
  }

 private:
  enum class Form : std::uint8_t {
    items,         // of an array
    set,           // the same within a record
    members,       // of an object
    type_members,  // of an object that is its own payload, within a record
    entries,       // of a map, within a record
    error,         // the fields, the cause, the end; within a record
    fields,        // the fields themselves
    payload,       // of a type of the caller's, within a record
  };

  struct Open {
    Form form;
    bool empty = true;       // nothing is written yet
    bool reordered = false;  // the members are a copy
    std::uint32_t size = 0;
    std::uint32_t next = 0;
    std::size_t depth;               // of the parts
    const void* identity = nullptr;  // of the container, for cycles
    const void* parts = nullptr;
    ValueView node = {};

    const ValueView* items() const { return static_cast<const ValueView*>(parts); }
    const Member* members() const { return static_cast<const Member*>(parts); }
    const Entry* entries() const { return static_cast<const Entry*>(parts); }
  };

  static std::uint32_t size32(std::size_t size) { return static_cast<std::uint32_t>(size); }

  bool write(ValueView value, std::size_t depth) {
    if (!check_depth(depth)) return false;
    const std::size_t level = level_at(depth);
    const Written simple = write_simple(value, depth, level);
    if (simple != Written::no) return simple == Written::yes;
    switch (value.kind()) {
      case Kind::array: {
        const std::span<const ValueView> items = value.items();
        return enter(value) && text_.raw('[') &&
               open({.form = Form::items,
                     .size = size32(items.size()),
                     .depth = depth + 1,
                     .identity = value.identity(),
                     .parts = items.data()});
      }
      case Kind::object:
        return write_object(value, depth);
      case Kind::set: {
        const std::span<const ValueView> items = value.items();
        return enter(value) && check_depth(depth + 1) && text_.begin_record("Set", level) &&
               text_.raw('[') &&
               open({.form = Form::set,
                     .size = size32(items.size()),
                     .depth = depth + 2,
                     .identity = value.identity(),
                     .parts = items.data()});
      }
      case Kind::map: {
        const std::span<const Entry> entries = value.entries();
        return enter(value) && check_depth(depth + 1) && text_.begin_record("Map", level) &&
               text_.raw('[') &&
               open({.form = Form::entries,
                     .size = size32(entries.size()),
                     .depth = depth + 3,
                     .identity = value.identity(),
                     .parts = entries.data()});
      }
      case Kind::error:
        return enter(value) && check_depth(depth + 2) && text_.begin_record("Error", level) &&
               text_.raw('{') &&
               open({.form = Form::error,
                     .depth = depth + 2,
                     .identity = value.identity(),
                     .node = value});
      case Kind::regexp:
        return check_depth(depth + 2) && text_.begin_record("RegExp", level) &&
               text_.text_object(
                   {{"pattern", value.regexp_source()}, {"flags", value.regexp_flags()}},
                   level + 1) &&
               text_.end_record(level);
      case Kind::symbol: {
        const bool global = value.symbol_kind() == SymbolKind::global;
        return is_writable_symbol(value) && check_depth(depth + 2) &&
               text_.begin_record("Symbol", level) &&
               text_.text_object(
                   {{"kind", global ? "For" : "WellKnown"}, {"key", value.symbol_key()}},
                   level + 1) &&
               text_.end_record(level);
      }
      default: {
        const BytesView bytes = value.as_bytes();
        return check_depth(depth + (bytes.empty() ? 1 : 2)) &&
               text_.begin_record(id_of_bytes(value), level) &&
               text_.byte_array(bytes, level + 1) && text_.end_record(level);
      }
    }
  }

  static constexpr const char* cyclic = "Cannot serialize circular structure in tree mode";

  bool enter(ValueView container) {
    // Payloads of the caller's types are made anew each time, so a cycle through them shows in
    // those that they are made of.
    const bool repeats = closes_cycle(open_, container.identity()) ||
                         (!in_payload_.empty() && in_payload_.contains(container.identity()));
    return !repeats || wrong(ErrorCode::cyclic, cyclic);
  }

  bool write_object(ValueView object, std::size_t depth) {
    if (!enter(object)) return false;
    const Type* const type = custom_type_of(object);
    if (type == nullptr) return open_members(Form::members, object.members(), depth + 1, object);

    const Payload* const payload = enter_payload(*type, object);
    if (payload == nullptr) return false;
    in_payload_.insert(object.identity());
    if (!text_.begin_record(type->id, level_at(depth))) return false;
    if (payload->value.identity() == object.identity()) {
      // Its members are the record's value, and the record does not count as a level of depth.
      ++uncounted_levels_;
      return open_members(Form::type_members, object.members(), depth + 1, object);
    }
    return open({.form = Form::payload,
                 .depth = depth + 1,
                 .identity = object.identity(),
                 .parts = &payload->value,
                 .node = object});
  }

  bool open_members(Form form, std::span<const Member> members, std::size_t depth, ValueView node) {
    const Ordered order = ordered(members);
    return text_.raw('{') && open({.form = form,
                                   .reordered = order.is_copy,
                                   .size = size32(order.members.size()),
                                   .depth = depth,
                                   .identity = node.identity(),
                                   .parts = order.members.data(),
                                   .node = node});
  }

  bool open(const Open& container) {
    open_.push_back(container);
    return true;
  }

  // Goes on with the innermost container until a part of it is a container too, or it ends.
  bool step() {
    Open& open = open_.back();
    switch (open.form) {
      case Form::items:
      case Form::set:
        while (open.next < open.size) {
          const ValueView item = open.items()[open.next++];
          if (!begin_part(open) || !write(item, open.depth)) return false;
          if (is_container(item)) return true;
        }
        return close();
      case Form::members:
      case Form::fields:
      case Form::type_members:
        while (open.next < open.size) {
          const Member& member = open.members()[open.next++];
          if (is_left_out(open.form, member.key())) continue;
          if (!write_key(open, member.key()) || !write(member.value, open.depth)) return false;
          if (is_container(member.value)) return true;
        }
        return close();
      case Form::entries:
        return write_entry(open);
      case Form::error:
        return write_error_part(open);
      case Form::payload:
        if (open.next++ == 0) return write(*open.items(), open.depth);
        return close();
    }
    return false;
  }

  // Whether writing it opens something, so that what is known of the frames below may have moved.
  static bool is_container(ValueView value) { return value.kind() >= Kind::array; }

  // How far the text of a value at this depth is indented.
  std::size_t level_at(std::size_t depth) const { return depth + uncounted_levels_; }
  bool line(std::size_t depth) { return text_.line(level_at(depth)); }

  bool begin_part(Open& open) {
    if (!open.empty && !text_.raw(',')) return false;
    open.empty = false;
    return line(open.depth);
  }

  static bool is_left_out(Form form, std::string_view key) {
    return form == Form::fields ? is_reserved_error_field(key) : is_unsafe_key(key);
  }

  bool write_key(Open& open, std::string_view key) {
    if (!begin_part(open)) return false;
    if (needs_escape(key)) {
      scratch_.assign(escape_prefix).append(key);
      key = scratch_;
    }
    return text_.quoted(key) && text_.colon();
  }

  // Two steps an entry: its key with what comes before, and its value.
  bool write_entry(Open& open) {
    const std::size_t entry_depth = open.depth - 1;
    const Entry* const entry = open.entries() + open.next / 2;
    if (open.next % 2 == 1) {
      ++open.next;
      return text_.raw(',') && line(open.depth) && write(entry->value, open.depth);
    }
    if (open.next > 0 && !(line(entry_depth) && text_.raw(']'))) return false;
    if (open.next / 2 == open.size) return close();
    if ((open.next > 0 && !text_.raw(',')) || !line(entry_depth)) return false;
    open.empty = false;
    ++open.next;
    return check_depth(entry_depth) && text_.raw('[') && line(open.depth) &&
           write(entry->key, open.depth);
  }

  bool write_error_part(Open& open) {
    const ValueView error = open.node;
    const std::size_t depth = open.depth;
    if (open.next == 0) {
      ++open.next;
      return write_error_head(error, level_at(depth)) &&
             open_members(Form::fields, error.error_fields(), depth + 1, {});
    }
    if (open.next == 1) {
      ++open.next;
      if (!write_error_stack(error, level_at(depth))) return false;
      const ValueView cause = error.error_cause();
      return cause.is_hole() || (begin_error_cause(level_at(depth)) && write(cause, depth));
    }
    return line(depth - 1) && text_.raw('}') && close_record(depth - 2);
  }

  bool close() {
    const Open closed = open_.back();
    const auto end = [&](std::size_t depth, char bracket) {
      return (closed.empty || line(depth)) && text_.raw(bracket);
    };
    switch (closed.form) {
      case Form::items:
        leave(closed);
        return end(closed.depth - 1, ']');
      case Form::members:
      case Form::fields:
        leave(closed);
        return end(closed.depth - 1, '}');
      case Form::type_members:
        return end(closed.depth - 1, '}') && close_record(closed.depth - 1);
      case Form::set:
        return end(closed.depth - 1, ']') && close_record(closed.depth - 2);
      case Form::entries:
        return end(closed.depth - 2, ']') && close_record(closed.depth - 3);
      case Form::payload:
        return close_record(closed.depth - 1);
      case Form::error:
        break;
    }
    return false;
  }

  bool close_record(std::size_t depth) {
    const Open closed = open_.back();
    if (closed.form == Form::type_members) --uncounted_levels_;
    if (closed.form == Form::payload || closed.form == Form::type_members) {
      in_payload_.erase(closed.node.identity());
      leave_payload();
    }
    leave(closed);
    return text_.end_record(level_at(depth));
  }

  void leave(const Open& closed) {
    if (closed.reordered) release_order();
    open_.pop_back();
  }

  std::string path() const {
    return path_of(open_, [](std::string& way, const Open& open) {
      switch (open.form) {
        case Form::items:
        case Form::set:
          append_path(way, open.next - 1);
          break;
        case Form::members:
        case Form::fields:
        case Form::type_members:
          append_path(way, open.members()[open.next - 1].key());
          break;
        case Form::entries:
          append_path(way, (open.next - 1) / 2);
          break;
        case Form::error:
          if (open.next == 2) append_path(way, "cause");
          break;
        case Form::payload:
          break;
      }
    });
  }

  ExpansionWatch watch_;
  std::vector<Open> open_;
  std::string scratch_;
  std::size_t uncounted_levels_ = 0;
};

}  // namespace

Result<> encode_tree(std::string& out, ValueView value, const Registry& registry,
                     const Options& options, std::size_t max_bytes) {
  return TreeWriter(out, registry, options, max_bytes).run(value);
}

}  // namespace cordon::rich
