#pragma once

// One JSON Schema as a type of TypeScript.
//
// Each part becomes the intersection of what its keywords say. A `$ref` becomes the name of a type
// alias, so the text is never larger than the schema allows for, however often a part is referred
// to, and recursion is the recursion of a named type. TypeScript refuses an alias that is itself
// without an object or an array in between: where a schema says that, the type is `unknown`.
//
// A part whose `type` is missing applies to values of all kinds, as in JSON Schema. Where a part
// around it has a type, only those kinds are looked at.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cordon/types/alias_names.h"
#include "cordon/types/schema_document.h"
#include "cordon/types/type.h"
#include "cordon/value.h"

namespace cordon::types {

class Translator {
 public:
  // `name` is that of the whole schema, where the schema refers to itself. Borrows all but the
  // name.
  Translator(const SchemaDocument& document, AliasNames& names, std::string name);

  // The type, to be written at this level of indentation, as its aliases are. Call it once.
  std::string type(std::size_t level);
  // After that: "type Item = …;", in the order of their first use.
  const std::vector<std::string>& aliases() const { return aliases_; }

 private:
  struct Alias {
    Place place;
    std::string like;  // the word of its first reference
    std::string name;  // once it is used
    bool is_begun = false;
    bool is_done = false;
    std::string text = {};
  };
  // Where a type is written.
  struct Spot {
    std::size_t level;  // of indentation
    std::size_t depth;  // of nested schemas
    bool is_guarded;    // an object or an array lies between it and the alias it belongs to
    // Arrays guard, except in optional elements and the rest of a tuple: into these the compiler
    // looks while it resolves an alias.
    bool do_arrays_guard = true;
    Spot deeper() const { return {level, depth + 1, is_guarded, do_arrays_guard}; }
    Spot in_object() const { return {level + 1, depth + 1, true}; }
    Spot in_array() const {
      return {level, depth + 1, is_guarded || do_arrays_guard, do_arrays_guard};
    }
    Spot in_loose_element() const { return {level, depth + 1, is_guarded, is_guarded}; }
  };

  // `kinds` are those that schemas around it leave.
  Type translate(const Place& place, Kinds kinds, const Spot& spot);
  Type by_type(const Place& place, Kinds kinds, const Spot& spot);
  Type by_values(ValueView schema, Kinds kinds);
  Type union_of(const Place& place, ValueView list, Kinds kinds, const Spot& spot);
  Type reference(const Place& place, std::string_view reference, const Spot& spot);
  Type object(const Place& place, const Spot& spot);
  Type index_type(const Place& place, const Spot& spot, std::span<const std::string> named);
  Type array(const Place& place, const Spot& spot);
  Type literal(ValueView value, std::size_t depth);

  void finish(Alias& alias, const Spot& spot);
  // How many members a union at this place may have.
  double weight_of(const Place& place, std::size_t depth);
  double reckon_weight(const Place& place, std::size_t depth);
  // Whether there is room for one more part.
  bool spend(std::size_t depth);

  const SchemaDocument& document_;
  AliasNames& names_;
  std::size_t level_ = 0;
  std::size_t steps_ = 0;
  std::unordered_map<const void*, Alias> known_;  // by the identity of its schema
  std::deque<Alias*> queue_;                      // used, and not begun
  std::vector<std::string> aliases_;
  std::unordered_map<const void*, double> weights_;
  std::string root_name_;
};

}  // namespace cordon::types
