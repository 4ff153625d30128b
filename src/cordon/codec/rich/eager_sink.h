#pragma once

// The quick way of reading tree format: a sink of json::Parser that makes typed values while the
// text goes by, without a node for their records.
//
// It knows the plain case only: a typed record is "__type" and then "value", its type is known, its
// payload is right, and no key needs a change. At anything else it stops, and the text is read
// again the exact way, which also finds out what is wrong and where. So the sink never reports an
// error, and it may stop too often but never too rarely: what it accepts, the exact way reads the
// same. The fuzzer compares the two.
//
// The parts of open containers lie on the builder's stack, those of the innermost last. Open::mark
// is where a container's parts begin, so at its end it takes what lies above its mark and pushes
// one value. The roles of an open container:
//
//   object --first key is "__type"--> record_head --the type's id--> (data is set)
//          --second key is "value"--> record --its end--> the typed value
//   record of a Map         its array is map_entries, the pairs in it are map_entry
//   record of a Set, bytes  its array is record_items
//
// The parts of these arrays stay on the stack and are taken by their record (parts_on_stack), so no
// array is made that would be thrown away. After stop() the parser ends after the next value; what
// the sink does until then is lost, and must only stay within its memory.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "cordon/codec/distinct.h"
#include "cordon/codec/json/parser.h"
#include "cordon/codec/rich/date_parse.h"
#include "cordon/codec/rich/expected_key.h"
#include "cordon/codec/rich/keys.h"
#include "cordon/codec/rich/registry.h"
#include "cordon/codec/rich/reviver.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/value.h"
#include "cordon/value/value_builder.h"

namespace cordon::rich {

class EagerSink {
 public:
  static constexpr bool keeps_text = true;

  // Borrows all of them. The value is on the builder's stack in the end.
  EagerSink(ValueBuilder& builder, const Registry& registry, const Options& options,
            Reviver& reviver)
      : builder_(builder),
        registry_(registry),
        reviver_(reviver),
        max_depth_(options.max_depth),
        open_(builder.budget()) {
    quick_ = {registry.find("Date"), registry.find("BigInt"), registry.find("Map"),
              registry.find("Set")};
    open_.reserve(16);
    // The document itself, so that open_.back() always exists.
    open_.push_back({.role = Role::document, .mark = 0});
  }

  bool stopped() const { return stopped_; }

  // Reads {"__type":"Date","value":"…"} and its likes in one go, if they are written as compactly
  // as serializers write them. The first check leaves room for all fixed texts below, so that these
  // need no check of the end.
  json::TakenObject take_object(const char* at, const char* end) {
    constexpr std::string_view head = R"({"__type":"Date","value":)";
    constexpr std::size_t max_rest = 32;
    using Part = json::TakenObject::Part;
    if (static_cast<std::size_t>(end - at) < head.size() + max_rest || at[1] != '"' ||
        std::memcmp(at, head.data(), sizeof R"({"__type":")" - 1) != 0 ||
        open_.size() > max_depth_) {
      return {};
    }
    at += sizeof R"({"__type":")" - 1;
    if (std::memcmp(at, R"(Date","value":")", 15) == 0 && quick_.date != nullptr) {
      constexpr std::size_t date_size = 24;
      at += 15;
      const double ms = date_from_full_iso_text({at, date_size});
      if (at[date_size] != '"' || at[date_size + 1] != '}' || std::isnan(ms)) return {};
      builder_.push(ValueBuilder::date(ms));
      return {Part::all, at + date_size + 2};
    }
    if (std::memcmp(at, R"(BigInt","value":")", 17) == 0 && quick_.bigint != nullptr) {
      at += 17;
      const char* digits = at;
      if (*at == '-') ++at;
      while (at != end && *at >= '0' && *at <= '9') ++at;
      if (end - at < 2 || at[0] != '"' || at[1] != '}') return {};
      const auto number = builder_.bigint({digits, at});
      if (!number) return {};
      builder_.push(*number);
      return {Part::all, at + 2};
    }
    const Type* const type = std::memcmp(at, R"(Map","value":)", 13) == 0   ? quick_.map
                             : std::memcmp(at, R"(Set","value":)", 13) == 0 ? quick_.set
                                                                            : nullptr;
    if (type == nullptr) return {};
    open({.role = Role::record, .mark = builder_.mark(), .data = type});
    return {Part::head, at + 13};
  }

  void begin_array() {
    Open& parent = open_.back();
    Role role = Role::array;
    if (parent.role == Role::record) {
      const TypeKind kind = parent.type().kind;
      if (kind == TypeKind::map) role = Role::map_entries;
      if (kind == TypeKind::set ||
          (kind >= TypeKind::array_buffer && kind <= TypeKind::typed_array)) {
        role = Role::record_items;
      }
    } else if (parent.role == Role::map_entries) {
      ++parent.count;
      role = Role::map_entry;
    }
    open({.role = role, .mark = builder_.mark()});
  }

  void end_array() {
    const Open closed = open_.back();
    open_.pop_back();
    switch (closed.role) {
      case Role::array: {
        const ValueView array = builder_.array_since(closed.mark);
        builder_.push(array);
        return;
      }
      case Role::map_entry:
        // Its two nodes stay on the stack, side by side with those of its neighbours.
        if (builder_.mark() != closed.mark + 2) stop();
        return;
      case Role::map_entries:
        if (builder_.mark() != closed.mark + 2 * std::size_t{closed.count}) stop();
        open_.back().parts_on_stack = true;
        return;
      default:
        open_.back().parts_on_stack = true;
        return;
    }
  }

  void begin_object() {
    const std::size_t level = open_.size();
    const std::span<const Member> shape =
        level < shapes_.size() ? shapes_[level] : std::span<const Member>();
    open({.role = Role::object,
          .as_expected = true,
          .plain_keys = true,
          .count = static_cast<std::uint32_t>(shape.size()),
          .mark = builder_.mark(),
          .data = shape.data()});
  }

  void end_object() {
    const Open closed = open_.back();
    open_.pop_back();
    if (closed.role == Role::record) return end_record(closed);
    if (closed.role == Role::record_head) return stop();
    const ValueView object =
        builder_.object_since(closed.mark, closed.as_expected ? Keys::distinct : Keys::any,
                              closed.indices ? KeyOrder::javascript : KeyOrder::insertion);
    if (!closed.as_expected && open_.size() < shapes_.size()) {
      shapes_[open_.size()] = closed.plain_keys ? object.members() : std::span<const Member>();
    }
    builder_.push(object);
  }

  const char* expected_key(const char* at, const char* end) {
    Open& open = open_.back();
    if (open.role == Role::object) {
      if (builder_.mark() == open.mark && is_text(at, end, "__type\"")) {
        open.role = Role::record_head;
        open.data = nullptr;
        return at + sizeof "__type";
      }
      return past_expected_key(builder_, open, at, end);
    }
    // The second key of a typed record; a third one is not expected.
    if (open.role == Role::record_head && open.data != nullptr && is_text(at, end, "value\"")) {
      open.role = Role::record;
      return at + sizeof "value";
    }
    stop();
    return nullptr;
  }

  void key(std::string_view key, bool escaped) {
    Open& open = open_.back();
    if (escaped) open.plain_keys = false;
    if (!key.empty()) {
      switch (key[0]) {
        case '_':
          if (key == type_key || (key == graph_key && open_.size() == 2)) stop();
          [[fallthrough]];
        case 'c':
        case 'p':
          if (is_unsafe_key(key)) stop();
          break;
        case '$':
          if (is_escaped_key(key)) stop();
          break;
        default:
          if (may_be_index(key)) {
            open.plain_keys = false;
            open.indices = true;
          }
      }
    }
    builder_.push(builder_.string(key));
  }

  void text(std::string_view text) {
    Open& open = open_.back();
    if (open.role == Role::record_head) {
      open.data = registry_.find(text);
      if (open.data == nullptr) stop();
      return;
    }
    if (open.role == Role::record) {
      switch (open.type().kind) {
        case TypeKind::date:
          builder_.push(reviver_.date(text));
          open.is_revived = true;
          return;
        case TypeKind::bigint:
          revived(reviver_.bigint(text));
          return;
        case TypeKind::non_finite_number:
          revived(Reviver::non_finite_number(text));
          return;
        default:
          break;
      }
    }
    builder_.push(builder_.string(text));
  }

  void number(double number) { builder_.push(number); }
  void boolean(bool boolean) { builder_.push(boolean); }
  void null() { builder_.push(nullptr); }

 private:
  enum class Role : std::uint8_t {
    document,
    array,
    object,
    record_head,   // "__type" was read
    record,        // "value" was read too
    record_items,  // the array that is the value of a Set or of bytes
    map_entries,   // the same of a Map
    map_entry,
  };

  struct Open {
    Role role;
    bool as_expected = false;
    bool plain_keys = false;
    bool indices = false;
    bool parts_on_stack = false;  // a record's payload was an array, and its elements lie there
    bool is_revived = false;      // a record's value is made already
    std::uint32_t count = 0;      // how many entries a map has, or members its shape
    std::size_t mark;             // where its parts begin on the builder's stack
    const void* data = nullptr;   // a record's Type, or the Members of an object's shape

    const Type& type() const { return *static_cast<const Type*>(data); }
    const Member* shape() const { return static_cast<const Member*>(data); }
  };

  // Text of a fixed size, compared without a call.
  template <std::size_t size>
  static bool is_text(const char* at, const char* end, const char (&text)[size]) {
    return static_cast<std::size_t>(end - at) >= size - 1 && std::memcmp(at, text, size - 1) == 0;
  }

  void open(const Open& open) {
    // open_ holds the document too, so its size is the depth of this container's parts.
    if (open_.size() > max_depth_) stop();
    open_.push_back(open);
  }

  void revived(std::optional<ValueView> node) {
    if (!node) return stop();
    builder_.push(*node);
    open_.back().is_revived = true;
  }

  void end_record(const Open& record) {
    if (record.is_revived) return;
    if (stopped_) return;
    if (record.parts_on_stack) return end_parts(record);
    const ValueView payload = builder_.since(record.mark).back();
    const auto made = reviver_.revive(record.type(), payload);
    if (!made) return stop();
    builder_.drop_since(record.mark);
    builder_.push(*made);
  }

  void end_parts(const Open& record) {
    const std::span<const ValueView> parts = builder_.since(record.mark);
    if (record.type().kind == TypeKind::map) {
      if (!are_distinct(parts, 2, builder_.budget())) return stop();
      const ValueView map = builder_.map_since(record.mark);
      builder_.push(map);
    } else if (record.type().kind == TypeKind::set) {
      if (!are_distinct(parts, 1, builder_.budget())) return stop();
      const ValueView set = builder_.set_since(record.mark);
      builder_.push(set);
    } else {
      const auto bytes = reviver_.bytes(record.type(), parts);
      if (!bytes) return stop();
      builder_.drop_since(record.mark);
      builder_.push(*bytes);
    }
  }

  void stop() { stopped_ = true; }

  static constexpr std::size_t levels_with_shapes = 16;

  ValueBuilder& builder_;
  const Registry& registry_;
  Reviver& reviver_;
  std::size_t max_depth_;
  // What take_object knows; nullptr for those that are not allowed.
  struct {
    const Type* date;
    const Type* bigint;
    const Type* map;
    const Type* set;
  } quick_;
  BudgetVector<Open> open_;
  // The keys of the last object at each level: the next one there most likely has the same.
  std::array<std::span<const Member>, levels_with_shapes> shapes_;
  bool stopped_ = false;
};

}  // namespace cordon::rich
