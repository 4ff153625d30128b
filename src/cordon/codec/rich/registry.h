#pragma once

// The types that a serializer knows by name.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cordon/codec/rich/serializer.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::rich {

enum class TypeKind : std::uint8_t {
  date,
  regexp,
  map,
  set,
  undefined,
  non_finite_number,
  bigint,
  symbol,
  error,
  url,
  url_search_params,
  array_buffer,
  data_view,
  buffer,
  typed_array,
  custom,
};

struct Type {
  std::string id;
  TypeKind kind = TypeKind::custom;
  ElementType element{};      // of a typed array
  bool allowed = true;        // may be read
  TypeDefinition definition;  // of a custom type

  // Whether the value is written as a node in graph format.
  bool has_identity() const {
    return kind == TypeKind::map || kind == TypeKind::set || kind == TypeKind::error ||
           (kind == TypeKind::custom && definition.strategy == Strategy::identity);
  }
};

class Registry {
 public:
  Registry(const Options& options, const RegExpOracle& regexps);

  Result<> add(TypeDefinition definition);

  // The type to read, or nullptr if it is unknown or not allowed.
  const Type* find(std::string_view id) const;
  // The same, but an error tells why there is none.
  Result<const Type*> find_or_explain(std::string_view id) const;

  const RegExpOracle& regexps() const { return *regexps_; }
  // In the order in which they were added.
  const std::vector<const Type*>& custom_types() const { return custom_; }

 private:
  bool is_allowed(std::string_view id) const;
  const Type* known(std::string_view id) const;
  void enter(const Type& type);
  void add_built_in(std::string_view id, TypeKind kind, ElementType element = {});

  const RegExpOracle* regexps_;
  std::optional<std::vector<std::string>> allowed_;  // sorted
  std::deque<Type> types_;  // a deque, because pointers to its elements must stay valid
  // Types by the length of their ids, which leaves few to compare. Long ids are in a list of their
  // own.
  static constexpr std::size_t max_listed = 20;
  std::array<std::vector<const Type*>, max_listed + 1> by_size_;
  std::unordered_map<std::string_view, const Type*> longer_;
  std::vector<const Type*> custom_;
};

// The id under which a typed array or other bytes are written.
std::string_view id_of_bytes(ValueView bytes);

}  // namespace cordon::rich
