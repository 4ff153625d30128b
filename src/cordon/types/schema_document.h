#pragma once

// A JSON Schema as a whole: where the `$ref`s in it lead to.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cordon/value.h"

namespace cordon::types {

// A schema within a document. `resource` is the schema that `#` means there: the innermost one
// around it with an `$id`, or the whole document.
struct Place {
  ValueView schema;
  ValueView resource;
};

struct Target {
  Place place;
  std::string name;  // the last word of the reference; empty for `#`
};

// Borrows the schema.
class SchemaDocument {
 public:
  explicit SchemaDocument(ValueView root);

  Place root() const { return {root_, root_}; }
  // A part of a schema.
  static Place enter(const Place& from, ValueView schema);
  // What a `$ref` at this place means, if it is in this document.
  std::optional<Target> resolve(const Place& at, std::string_view reference) const;
  // Up to draft 7, keywords beside a `$ref` say nothing.
  bool ref_hides_siblings() const { return ref_hides_siblings_; }

 private:
  void index();
  void index_names(const Place& place);

  const ValueView root_;
  bool ref_hides_siblings_ = false;
  std::map<std::pair<const void*, std::string>, Place> anchors_;  // by resource and name
  std::map<std::string, Place, std::less<>> resources_;           // by `$id`
};

}  // namespace cordon::types
