#pragma once

// A type of TypeScript as text, with what has to be known to make larger types of it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cordon::types {

// The kinds of JSON values that a type may have, as bits.
using Kinds = std::uint8_t;
inline constexpr Kinds kind_object = 1;
inline constexpr Kinds kind_array = 2;
inline constexpr Kinds kind_string = 4;
inline constexpr Kinds kind_number = 8;
inline constexpr Kinds kind_boolean = 16;
inline constexpr Kinds kind_null = 32;
inline constexpr Kinds all_kinds = 63;

class Type {
 public:
  static Type unknown() { return {true, {}}; }
  static Type never() { return {false, {}}; }
  // One that needs no parentheses anywhere. `weight` is how many members the compiler may find in
  // it, where it is a name for a union.
  static Type of(std::string text, Kinds kinds, double weight = 1);

  bool is_unknown() const { return is_unknown_; }
  bool is_never() const { return !is_unknown_ && members_.empty(); }
  Kinds kinds() const;
  double weight() const;

  std::string text() const;
  // As a part of an intersection, and before the `?` of a tuple's element.
  std::string as_part() const;
  std::string as_array() const;

  void unite(Type other);
  // Parts that would make the compiler multiply large unions are left out.
  static Type intersection(std::vector<Type> parts);

 private:
  struct Member {
    std::string text;
    Kinds kinds;
    double weight;
    bool is_intersection;
  };
  static double keep_lightest(std::vector<Type>& parts);
  Type(bool is_unknown, std::vector<Member> members)
      : is_unknown_(is_unknown), members_(std::move(members)) {}

  bool is_unknown_;
  std::vector<Member> members_;  // of a union
};

}  // namespace cordon::types
