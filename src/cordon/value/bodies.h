#pragma once

// What the nodes of a Value point at, and ValueAccess, the only way to look inside a node. Bodies
// lie in an arena, are filled by a ValueBuilder and then do not change. A body's address is its
// node's identity.

#include <cstdint>

#include "cordon/value.h"

namespace cordon::detail {

struct ListBody {  // array, set
  const ValueView* items = nullptr;
  std::uint32_t size = 0;
};

struct MapBody {
  const Entry* entries = nullptr;
  std::uint32_t size = 0;
};

struct MembersBody {  // object
  const Member* members = nullptr;
  std::uint32_t size = 0;
  std::uint32_t slot_mask = 0;
  const std::uint64_t* slots = nullptr;  // see key_index.h; nullptr while the object is small
};

struct RegExpBody {
  ValueView source;
  ValueView flags;
};

struct ErrorBody {
  ValueView name;
  ValueView message;
  ValueView stack;
  ValueView cause;
  MembersBody fields;
};

class ValueAccess {
 public:
  static ValueView text(Kind kind, const char* text, std::uint32_t size, std::uint8_t detail = 0) {
    ValueView view;
    view.kind_ = kind;
    view.detail_ = detail;
    view.size_ = size;
    view.text_ = text;
    return view;
  }
  static ValueView bytes(Kind kind, const std::uint8_t* bytes, std::uint32_t size,
                         std::uint8_t detail = 0) {
    ValueView view;
    view.kind_ = kind;
    view.detail_ = detail;
    view.size_ = size;
    view.bytes_ = bytes;
    return view;
  }
  static ValueView hole() {
    ValueView view;
    view.detail_ = 1;
    return view;
  }
  static ValueView date(double ms) {
    ValueView view(ms);
    view.kind_ = Kind::date;
    return view;
  }
  static ValueView list(Kind kind, const ListBody* body) {
    ValueView view;
    view.kind_ = kind;
    view.list_ = body;
    return view;
  }
  static ValueView map(const MapBody* body) {
    ValueView view;
    view.kind_ = Kind::map;
    view.map_ = body;
    return view;
  }
  static ValueView object(const MembersBody* body) {
    ValueView view;
    view.kind_ = Kind::object;
    view.members_ = body;
    return view;
  }
  static ValueView regexp(const RegExpBody* body) {
    ValueView view;
    view.kind_ = Kind::regexp;
    view.regexp_ = body;
    return view;
  }
  static ValueView error(const ErrorBody* body) {
    ValueView view;
    view.kind_ = Kind::error;
    view.error_ = body;
    return view;
  }

  static const ListBody& list(ValueView view) { return *view.list_; }
  static const MapBody& map(ValueView view) { return *view.map_; }
  static const MembersBody& members(ValueView view) { return *view.members_; }
  static const ErrorBody& error(ValueView view) { return *view.error_; }
  static const RegExpBody& regexp(ValueView view) { return *view.regexp_; }
  static std::uint8_t detail(ValueView view) { return view.detail_; }

  static Value own(ValueView view, Arena* arena) { return Value(view, arena); }
  static Arena* arena(const Value& value) { return value.arena_; }
};

}  // namespace cordon::detail
