#pragma once

// Value: the data model that all codecs read and write, and that tools take and return.
//
//   Value order = Value::object({{"id", 7}, {"tags", Value::array({"new", "paid"})}});
//   Result<int> id = order["id"].as<int>();
//   for (auto [key, value] : order.members()) { … }
//
// A Value is immutable once built. It copies in O(1) and may be passed to another thread. All nodes
// of one message live in one arena that its Values share, so cycles do not leak and a million nodes
// are freed at once. A ValueView is a node without its owner: it is valid as long as any Value of
// the same message lives.

#include "cordon/needs_cxx23.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cordon/bytes.h"
#include "cordon/export.h"
#include "cordon/result.h"

namespace cordon {

class Arena;
class Value;
class ValueAt;
class ValueBuilder;
class ValueView;
struct Entry;
struct Member;

// What a node is. Kinds from `array` on have identity: a node that is reached twice is the same
// node, and it may contain itself. Bytes have identity too. All other kinds are equal by content
// alone.
enum class Kind : std::uint8_t {
  undefined,
  null,
  boolean,
  number,
  string,
  bigint,
  symbol,
  date,
  regexp,
  url,
  url_search_params,
  array_buffer,
  typed_array,
  data_view,
  buffer,  // Node's Buffer
  array,
  object,
  map,
  set,
  error,
};

enum class ElementType : std::uint8_t {
  int8,
  uint8,
  uint8_clamped,
  int16,
  uint16,
  int32,
  uint32,
  float32,
  float64,
  bigint64,
  biguint64,
};

enum class SymbolKind : std::uint8_t {
  global,      // Symbol.for("key")
  well_known,  // Symbol.iterator; its key is "iterator"
};

// "string", "array_buffer", …
CORDON_API std::string_view name_of(Kind kind);
// "Int8Array", …, the name of its JavaScript class.
CORDON_API std::string_view name_of(ElementType type);
CORDON_API std::size_t element_bytes(ElementType type);

namespace detail {
struct ListBody;
struct MapBody;
struct MembersBody;
struct RegExpBody;
struct ErrorBody;
class ValueAccess;
}  // namespace detail

// One node, read only. Sixteen bytes: pass it by value.
//
// You may call every accessor on every kind. On the wrong kind it returns an empty answer: false,
// 0, "" or an undefined view. So a chain such as v["a"]["b"] needs no check in the middle.
class CORDON_API ValueView {
 public:
  constexpr ValueView() = default;  // undefined
  constexpr ValueView(std::nullptr_t) : kind_(Kind::null) {}
  constexpr ValueView(std::same_as<bool> auto boolean) : kind_(Kind::boolean), detail_(boolean) {}
  // Integers become the nearest double, since JavaScript's numbers are doubles.
  template <class T>
    requires(std::integral<T> || std::floating_point<T>) && (!std::same_as<T, bool>)
  constexpr ValueView(T number) : kind_(Kind::number), number_(static_cast<double>(number)) {}

  constexpr Kind kind() const { return kind_; }
  constexpr bool is_undefined() const { return kind_ == Kind::undefined; }
  constexpr bool is_null() const { return kind_ == Kind::null; }
  // Undefined or null.
  constexpr bool is_nullish() const { return kind_ <= Kind::null; }
  constexpr bool is_bool() const { return kind_ == Kind::boolean; }
  constexpr bool is_number() const { return kind_ == Kind::number; }
  constexpr bool is_string() const { return kind_ == Kind::string; }
  constexpr bool is_bigint() const { return kind_ == Kind::bigint; }
  constexpr bool is_symbol() const { return kind_ == Kind::symbol; }
  constexpr bool is_array() const { return kind_ == Kind::array; }
  constexpr bool is_object() const { return kind_ == Kind::object; }
  constexpr bool is_map() const { return kind_ == Kind::map; }
  constexpr bool is_set() const { return kind_ == Kind::set; }
  constexpr bool is_error() const { return kind_ == Kind::error; }
  // An ArrayBuffer, typed array, DataView or Buffer.
  constexpr bool is_bytes() const { return kind_ >= Kind::array_buffer && kind_ <= Kind::buffer; }
  // An array's element that was never set; its kind is undefined.
  constexpr bool is_hole() const { return kind_ == Kind::undefined && detail_ != 0; }

  constexpr bool as_bool() const { return kind_ == Kind::boolean && detail_ != 0; }
  constexpr double as_number() const { return kind_ == Kind::number ? number_ : 0; }
  // WTF-8: UTF-8 in which a lone surrogate of JavaScript is written as three bytes.
  std::string_view as_string() const { return text_if(Kind::string); }
  BytesView as_bytes() const;

  std::string_view bigint_text() const { return text_if(Kind::bigint); }  // decimal: "-12"
  SymbolKind symbol_kind() const { return static_cast<SymbolKind>(detail_); }
  std::string_view symbol_key() const { return text_if(Kind::symbol); }
  double date_ms() const { return kind_ == Kind::date ? number_ : 0; }  // NaN: an invalid Date
  std::string_view regexp_source() const;
  std::string_view regexp_flags() const;
  std::string_view url_text() const { return text_if(Kind::url); }
  std::string_view url_search_params_text() const { return text_if(Kind::url_search_params); }
  ElementType element_type() const { return static_cast<ElementType>(detail_); }

  std::string_view error_name() const;
  std::string_view error_message() const;
  ValueView error_stack() const;  // a string or undefined
  ValueView error_cause() const;  // a hole if there is none
  std::span<const Member> error_fields() const;

  // The number of elements of an array or set, of members of an object, of entries of a map, or of
  // bytes in a string or in bytes.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  std::span<const ValueView> items() const;  // of an array or set
  std::span<const Member> members() const;   // of an object, in order of insertion
  std::span<const Entry> entries() const;    // of a map

  // A member or element, or undefined if there is none. For loops and hot paths; see also
  // operator[].
  ValueView find(std::string_view key) const;
  ValueView at(std::size_t index) const;
  bool contains(std::string_view key) const;

  // The same as find and at, but remembers the path so that an error of as<T>() can name it.
  ValueAt operator[](std::string_view key) const;
  ValueAt operator[](std::size_t index) const;

  // T is bool, any integer, double, float, std::string, std::string_view, BytesView, ValueView, or
  // a std::optional of one of them (undefined and null become nullopt). With cordon/convert.h it
  // may also be a container, or a struct or enum of your own. A number becomes an integer only if
  // it is one and fits. The error tells what was expected, where, and what was found.
  template <class T>
  Result<T> as() const;

  template <class T>
  T value_or(T otherwise) const;

  // The address of the node, for kinds with identity; nullptr for others.
  const void* identity() const {
    switch (kind_) {
      case Kind::array:
      case Kind::set:
        return list_;
      case Kind::object:
        return members_;
      case Kind::map:
        return map_;
      case Kind::error:
        return error_;
      case Kind::array_buffer:
      case Kind::typed_array:
      case Kind::data_view:
      case Kind::buffer:
        return bytes_;
      default:
        return nullptr;
    }
  }

  // Two values are equal if every codec writes them alike. NaN equals NaN, -0 differs from 0,
  // objects, maps and sets compare in order, and a hole differs from undefined. Cycles and shared
  // nodes are compared by what can be reached through them; see equal() for sharing itself. It
  // takes linear time and does not recurse.
  friend CORDON_API bool operator==(const ValueView& a, const ValueView& b);
  friend bool operator==(const ValueView& a, std::string_view b) {
    return a.is_string() && a.as_string() == b;
  }
  friend bool operator==(const ValueView& a, std::nullptr_t) { return a.is_null(); }

 private:
  friend class detail::ValueAccess;

  std::string_view text_if(Kind kind) const {
    return kind_ == kind ? std::string_view(text_, size_) : std::string_view();
  }

  Kind kind_ = Kind::undefined;
  std::uint8_t detail_ = 0;  // the boolean, SymbolKind, ElementType, or 1 for a hole
  std::uint32_t size_ = 0;   // the size of text_ or bytes_
  // NOLINTBEGIN(readability-identifier-naming): members of the class, though of a union in it.
  union {
    double number_ = 0;
    const char* text_;
    const std::uint8_t* bytes_;
    const detail::ListBody* list_;
    const detail::MapBody* map_;
    const detail::MembersBody* members_;
    const detail::RegExpBody* regexp_;
    const detail::ErrorBody* error_;
  };
  // NOLINTEND(readability-identifier-naming)
};

// A member of an object: `for (auto [key, value] : v.members())`.
struct Member {
  ValueView name;  // a string
  ValueView value;

  std::string_view key() const { return name.as_string(); }

  template <std::size_t index>
  auto get() const {
    if constexpr (index == 0) {
      return key();
    } else {
      return value;
    }
  }
};

// An entry of a map.
struct Entry {
  ValueView key;
  ValueView value;
};

// A view together with the path that led to it, such as `a.b[1]`. Use it within one expression, and
// store a ValueView instead.
class CORDON_API ValueAt : public ValueView {
 public:
  ValueAt(ValueView view, std::string path) : ValueView(view), path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  ValueAt operator[](std::string_view key) const&;
  ValueAt operator[](std::string_view key) &&;
  ValueAt operator[](std::size_t index) const&;
  ValueAt operator[](std::size_t index) &&;

  template <class T>
  Result<T> as() const;

 private:
  std::string path_;
};

// Adds `.key`, `["odd key"]` or `[index]` to a path for people.
CORDON_API void append_path(std::string& path, std::string_view key);
CORDON_API void append_path(std::string& path, std::size_t index);

// An owning node: a ValueView with a share in the arena behind it. Scalars need no arena.
class CORDON_API Value : public ValueView {
 public:
  struct Field;

  Value() = default;  // undefined
  Value(std::nullptr_t) : ValueView(nullptr) {}
  Value(std::same_as<bool> auto boolean) : ValueView(boolean) {}
  template <class T>
    requires(std::integral<T> || std::floating_point<T>) && (!std::same_as<T, bool>)
  Value(T number) : ValueView(number) {}
  // Copies the text. Bytes that are not WTF-8 become U+FFFD, so that a Value always holds
  // well-formed text.
  Value(std::string_view text);
  Value(const std::string& text) : Value(std::string_view(text)) {}
  Value(const char* text) : Value(std::string_view(text)) {}

  Value(const Value& other) noexcept;
  Value(Value&& other) noexcept : ValueView(other), arena_(std::exchange(other.arena_, nullptr)) {
    static_cast<ValueView&>(other) = ValueView();
  }
  Value& operator=(const Value& other) noexcept;
  Value& operator=(Value&& other) noexcept;
  ~Value() {
    if (arena_ != nullptr) release();
  }

  // If a key comes twice, the first sets the place and the last sets the value, as in JavaScript.
  static Value object(std::initializer_list<Field> fields);
  static Value object_from(std::span<const Field> fields);
  static Value array(std::initializer_list<Value> items);
  static Value array_from(std::span<const Value> items);
  static Value bytes(BytesView content, Kind kind = Kind::array_buffer);
  static Value typed_array(ElementType type, BytesView content);
  template <std::integral T>
  static Value bigint(T number) {
    const auto bits = static_cast<std::uint64_t>(number);
    return number < 0 ? bigint_of("-", 0 - bits) : bigint_of("", bits);
  }
  // An optional minus sign and decimal digits.
  static Result<Value> bigint(std::string_view decimal);
  static Value date(double ms_since_epoch);
  static Value error(std::string_view name, std::string_view message);

  // An owning handle to a part of this value, without copying. `part` must come from this Value.
  Value share(ValueView part) const noexcept;
  // A copy in an arena of its own, with shared nodes kept shared. Use it to free a large message of
  // which you keep a small part.
  static Value copy_of(ValueView view);

  // This object with one member changed in its place, or added at the end. The other members are
  // shared.
  Value with(std::string_view key, const Value& value) const;

 private:
  friend class detail::ValueAccess;
  Value(ValueView view, Arena* arena) : ValueView(view), arena_(arena) {}
  static Value bigint_of(std::string_view sign, std::uint64_t magnitude);
  void release() noexcept;

  Arena* arena_ = nullptr;
};

// A key and its value, for Value::object.
struct Value::Field {
  std::string_view key;  // borrowed until the call returns
  Value value;
};

inline Value Value::object(std::initializer_list<Field> fields) {
  return object_from({fields.begin(), fields.size()});
}
inline Value Value::array(std::initializer_list<Value> items) {
  return array_from({items.begin(), items.size()});
}

enum class Sharing : std::uint8_t { ignored, compared };

// The same as ==. With Sharing::compared both must also share the same nodes.
CORDON_API bool equal(const ValueView& a, const ValueView& b, Sharing sharing);

// Text for error messages and tests, close to JavaScript's notation, cut after a few hundred
// characters.
CORDON_API std::string debug_text(const ValueView& value);
// NOLINTBEGIN(readability-identifier-naming): GoogleTest looks for this name.
CORDON_API void PrintTo(const ValueView& value, std::ostream* out);
CORDON_API void PrintTo(const Value& value, std::ostream* out);
CORDON_API void PrintTo(const ValueAt& value, std::ostream* out);
// NOLINTEND(readability-identifier-naming)

// How a type of your own becomes a value and back. Specialise it with the help of cordon/convert.h.
template <class T>
struct Conversion;

namespace detail {

CORDON_API std::unexpected<Error> wrong_kind(ValueView found, std::string_view expected,
                                             std::string_view path);
CORDON_API Result<std::int64_t> signed_of(ValueView view, std::int64_t least, std::int64_t most,
                                          std::string_view path);
CORDON_API Result<std::uint64_t> unsigned_of(ValueView view, std::uint64_t most,
                                             std::string_view path);

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
Result<T> convert(ValueView view, std::string_view path) {
  if constexpr (std::same_as<T, ValueView>) {
    return view;
  } else if constexpr (IsOptional<T>::value) {
    if (view.is_nullish()) return T();
    return T(CORDON_TRY(convert<typename T::value_type>(view, path)));
  } else if constexpr (std::same_as<T, bool>) {
    if (!view.is_bool()) return wrong_kind(view, "a boolean", path);
    return view.as_bool();
  } else if constexpr (std::signed_integral<T>) {
    using Limits = std::numeric_limits<T>;
    return static_cast<T>(CORDON_TRY(signed_of(view, Limits::min(), Limits::max(), path)));
  } else if constexpr (std::unsigned_integral<T>) {
    return static_cast<T>(CORDON_TRY(unsigned_of(view, std::numeric_limits<T>::max(), path)));
  } else if constexpr (std::floating_point<T>) {
    if (!view.is_number()) return wrong_kind(view, "a number", path);
    return static_cast<T>(view.as_number());
  } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::string_view>) {
    if (!view.is_string()) return wrong_kind(view, "a string", path);
    return T(view.as_string());
  } else if constexpr (std::same_as<T, BytesView>) {
    if (!view.is_bytes()) return wrong_kind(view, "bytes", path);
    return view.as_bytes();
  } else if constexpr (requires { Conversion<T>::from(view, path); }) {
    return Conversion<T>::from(view, path);
  } else {
    static_assert(sizeof(T) == 0,
                  "ValueView::as<T>() does not know this type: include cordon/convert.h for "
                  "containers, or specialise cordon::Conversion for a type of your own");
  }
}

}  // namespace detail

template <class T>
Result<T> ValueView::as() const {
  return detail::convert<T>(*this, {});
}

template <class T>
T ValueView::value_or(T otherwise) const {
  Result<T> result = as<T>();
  return result ? *std::move(result) : std::move(otherwise);
}

template <class T>
Result<T> ValueAt::as() const {
  return detail::convert<T>(*this, path_);
}

// Error::typed.
struct FailureType {
  std::string id = {};  // such as "app.errors.out_of_stock"
  Value data = {};      // may be undefined
};

}  // namespace cordon

// NOLINTBEGIN(readability-identifier-naming): the standard library's names.
template <>
struct std::tuple_size<cordon::Member> : std::integral_constant<std::size_t, 2> {};
template <>
struct std::tuple_element<0, cordon::Member> {
  using type = std::string_view;
};
template <>
struct std::tuple_element<1, cordon::Member> {
  using type = cordon::ValueView;
};
// NOLINTEND(readability-identifier-naming)
