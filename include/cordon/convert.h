#pragma once

// Values to containers of the standard library and to types of your own, and back:
//
//   const Result<std::vector<Line>> lines = order["lines"].as<std::vector<Line>>();
//   std::cout << debug_text(to_value(*lines)) << '\n';
//
// A struct can be converted once you name its members:
//
//   template <>
//   struct cordon::Conversion<Line> : cordon::Record<Line> {
//     static constexpr auto fields =
//         std::tuple(field("tea", &Line::tea), optional_field("cups", &Line::cups),
//                    optional_field("size", &Line::size));
//   };
//
// An enum can be converted once you name its enumerators:
//
//   template <>
//   struct cordon::Conversion<Size> : cordon::Enumeration<Size> {
//     static constexpr auto names =
//         std::array{name("small", Size::small), name("large", Size::large)};
//   };
//
// For any other type write Conversion<T>::from(value, path) and Conversion<T>::to(builder, t)
// yourself, as the ones below do.

#include "cordon/needs_cxx23.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cordon/builder.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon {

template <class T>
Value to_value(const T& object);

namespace detail {

template <class T>
struct AlwaysFalse : std::false_type {};

template <class T>
ValueView node_of(Builder& builder, const T& object) {
  if constexpr (std::same_as<T, Value>) {
    return builder.part(object);
  } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::nullptr_t>) {
    return ValueView(object);
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    return builder.string(object);
  } else if constexpr (IsOptional<T>::value) {
    return object ? node_of(builder, *object) : ValueView();
  } else if constexpr (requires { Conversion<T>::to(builder, object); }) {
    return Conversion<T>::to(builder, object);
  } else {
    static_assert(AlwaysFalse<T>::value,
                  "to_value() does not know this type: specialise cordon::Conversion for it");
  }
}

// An error names the place of the part. The path is made only when there is an error: most values
// are right, and a path for each element would cost more than the element.
template <class T, class Step>
Result<T> convert_part(ValueView part, std::string_view path, const Step& step) {
  Result<T> made = convert<T>(part, {});
  if (made) return made;
  std::string place(path);
  append_path(place, step);
  return convert<T>(part, place);
}

template <class Map>
Result<Map> map_from(ValueView value, std::string_view path) {
  if (!value.is_object()) return wrong_kind(value, "an object", path);
  Map made;
  for (const auto& [key, part] : value.members()) {
    auto converted = convert_part<typename Map::mapped_type>(part, path, key);
    if (!converted) return fail(std::move(converted).error());
    made.emplace(std::string(key), *std::move(converted));
  }
  return made;
}

template <class Map>
ValueView map_to(Builder& builder, const Map& map) {
  std::vector<Builder::Field> fields;
  fields.reserve(map.size());
  for (const auto& [key, object] : map) fields.push_back({key, node_of(builder, object)});
  return builder.object(fields);
}

}  // namespace detail

// An array.
template <class T, class Allocator>
struct Conversion<std::vector<T, Allocator>> {
  static Result<std::vector<T, Allocator>> from(ValueView value, std::string_view path) {
    if (!value.is_array()) return detail::wrong_kind(value, "an array", path);
    std::vector<T, Allocator> made;
    made.reserve(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      Result<T> part = detail::convert_part<T>(value.items()[i], path, i);
      if (!part) return fail(std::move(part).error());
      made.push_back(*std::move(part));
    }
    return made;
  }
  static ValueView to(Builder& builder, const std::vector<T, Allocator>& list) {
    std::vector<ValueView> items;
    items.reserve(list.size());
    for (const auto& object : list) items.push_back(detail::node_of<T>(builder, object));
    return builder.array(items);
  }
};

// An object with any keys.
template <class T, class Compare, class Allocator>
struct Conversion<std::map<std::string, T, Compare, Allocator>> {
  using Map = std::map<std::string, T, Compare, Allocator>;
  static Result<Map> from(ValueView value, std::string_view path) {
    return detail::map_from<Map>(value, path);
  }
  static ValueView to(Builder& builder, const Map& map) { return detail::map_to(builder, map); }
};

template <class T, class Hash, class Equal, class Allocator>
struct Conversion<std::unordered_map<std::string, T, Hash, Equal, Allocator>> {
  using Map = std::unordered_map<std::string, T, Hash, Equal, Allocator>;
  static Result<Map> from(ValueView value, std::string_view path) {
    return detail::map_from<Map>(value, path);
  }
  static ValueView to(Builder& builder, const Map& map) { return detail::map_to(builder, map); }
};

// The conversion of a struct by its fields. Members of the value that are not fields are ignored.
template <class T>
struct Record {
  template <class M>
  struct Field {
    std::string_view name;
    M T::* member;
    bool is_optional;
  };
  // A value without this member is refused, unless the field is a std::optional.
  template <class M>
  static constexpr Field<M> field(std::string_view name, M T::* member) {
    return {name, member, false};
  }
  // If the value has no such member, the field stays as the struct initialises it.
  template <class M>
  static constexpr Field<M> optional_field(std::string_view name, M T::* member) {
    return {name, member, true};
  }

  static Result<T> from(ValueView value, std::string_view path) {
    if (!value.is_object()) return detail::wrong_kind(value, "an object", path);
    T made{};
    Result<> read;
    const auto read_field = [&](const auto& field) {
      if (read) read = read_into(made, field, value, path);
    };
    std::apply([&](const auto&... all) { (read_field(all), ...); }, Conversion<T>::fields);
    if (!read) return fail(std::move(read).error());
    return made;
  }

  static ValueView to(Builder& builder, const T& object) {
    std::vector<Builder::Field> fields;
    const auto write_field = [&](const auto& field) {
      const ValueView node = detail::node_of(builder, object.*field.member);
      if (!node.is_undefined()) fields.push_back({field.name, node});
    };
    std::apply([&](const auto&... all) { (write_field(all), ...); }, Conversion<T>::fields);
    return builder.object(fields);
  }

 private:
  template <class M>
  static Result<> read_into(T& made, const Field<M>& field, ValueView value,
                            std::string_view path) {
    const ValueView part = value.find(field.name);
    if (part.is_undefined() && field.is_optional) return {};
    Result<M> converted = detail::convert_part<M>(part, path, field.name);
    if (!converted) return fail(std::move(converted).error());
    made.*field.member = *std::move(converted);
    return {};
  }
};

// The conversion of an enum by the names of its enumerators. A value has them as strings.
template <class E>
struct Enumeration {
  static constexpr std::pair<std::string_view, E> name(std::string_view text, E enumerator) {
    return {text, enumerator};
  }

  static Result<E> from(ValueView value, std::string_view path) {
    std::string expected = "one of";
    const char* separator = " ";
    for (const auto& [text, enumerator] : Conversion<E>::names) {
      if (value == text) return enumerator;
      expected.append(std::exchange(separator, ", ")).append(text);
    }
    return detail::wrong_kind(value, expected, path);
  }

  static ValueView to(Builder& builder, const E& wanted) {
    for (const auto& [text, enumerator] : Conversion<E>::names)
      if (enumerator == wanted) return builder.string(text);
    return ValueView();
  }
};

template <class T>
Value to_value(const T& object) {
  Builder builder;
  const ValueView root = detail::node_of(builder, object);
  return builder.finish(root);
}

}  // namespace cordon
