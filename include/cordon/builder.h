#pragma once

// Builder: makes one Value out of nodes. Nodes can be shared and form cycles, and there are
// functions for the kinds that Value itself has none for.
//
//   Builder builder;
//   const ValueView parent = builder.open(Kind::object);
//   const ValueView child = builder.object({{"name", builder.string("Eve")}, {"parent", parent}});
//   CORDON_TRY(builder.fill(parent, {{"child", child}}));
//   Value family = builder.finish(parent);
//
// A node belongs to its builder and lives on in the Value that finish() returns. A node that you
// use twice is shared. One thread at a time may use a builder.

#include "cordon/needs_cxx23.h"

#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "cordon/bytes.h"
#include "cordon/export.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon {

class ValueBuilder;

namespace detail {
struct BuilderAccess;
}

class CORDON_API Builder {
 public:
  // A key and its node, for objects.
  struct Field {
    std::string_view key;  // borrowed until the call returns
    ValueView value;
  };

  Builder();
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  // Numbers, booleans, null and undefined need no builder: they convert to ValueView. All text is
  // copied, and bytes that are not WTF-8 become U+FFFD.
  ValueView string(std::string_view text);
  // An optional minus sign and decimal digits.
  Result<ValueView> bigint(std::string_view decimal);
  ValueView symbol(SymbolKind kind, std::string_view key);
  static ValueView date(double ms_since_epoch);
  // Pass text as JavaScript prints it: the pattern must be valid, and the URL in its normal form.
  ValueView regexp(std::string_view source, std::string_view flags);
  ValueView url(std::string_view href);
  ValueView url_search_params(std::string_view text);
  // An ArrayBuffer, unless `kind` is data_view or buffer.
  ValueView bytes(BytesView content, Kind kind = Kind::array_buffer);
  // Elements are little-endian. The size must be a multiple of an element's.
  ValueView typed_array(ElementType type, BytesView content);
  static ValueView hole();

  ValueView array(std::span<const ValueView> items);
  ValueView array(std::initializer_list<ValueView> items) { return array(span_of(items)); }
  ValueView set(std::span<const ValueView> items);
  ValueView set(std::initializer_list<ValueView> items) { return set(span_of(items)); }
  // If a key comes twice, the first sets the place and the last sets the value, as in JavaScript.
  ValueView object(std::span<const Field> fields);
  ValueView object(std::initializer_list<Field> fields) { return object(span_of(fields)); }
  ValueView map(std::span<const Entry> entries);
  ValueView map(std::initializer_list<Entry> entries) { return map(span_of(entries)); }
  // `stack` is a string or undefined. A hole as `cause` means that there is no cause.
  ValueView error(std::string_view name, std::string_view message,
                  std::initializer_list<Field> fields = {}, ValueView stack = {},
                  ValueView cause = hole());

  // For cycles: open() makes a node of kind array, set, object or map, which you fill once. A node
  // that you never fill is empty. fill() fails for a node of another kind.
  ValueView open(Kind kind);
  Result<> fill(ValueView opened, std::span<const ValueView> items);
  Result<> fill(ValueView opened, std::initializer_list<ValueView> items) {
    return fill(opened, span_of(items));
  }
  Result<> fill(ValueView opened, std::span<const Field> fields);
  Result<> fill(ValueView opened, std::initializer_list<Field> fields) {
    return fill(opened, span_of(fields));
  }
  Result<> fill(ValueView opened, std::span<const Entry> entries);
  Result<> fill(ValueView opened, std::initializer_list<Entry> entries) {
    return fill(opened, span_of(entries));
  }

  // Uses a Value as a part of this one, without copying it.
  ValueView part(const Value& value);

  // The builder is used up afterwards. Do not call it on a builder that a SerializerType was lent.
  Value finish(ValueView root);

 private:
  friend struct detail::BuilderAccess;
  explicit Builder(ValueBuilder& borrowed);

  template <class T>
  static std::span<const T> span_of(std::initializer_list<T> list) {
    return {list.begin(), list.size()};
  }

  std::unique_ptr<ValueBuilder> own_;
  ValueBuilder* builder_;
};

}  // namespace cordon
