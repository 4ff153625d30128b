#include <unordered_map>
#include <vector>

#include "cordon/value.h"
#include "cordon/value/bodies.h"
#include "cordon/value/value_builder.h"

namespace cordon {
namespace {

using detail::ValueAccess;

// Copies without recursion. A container is opened where it is first met, put on a list, and filled
// when it comes off the list. A container that is met again, in a cycle or because it is shared, is
// the copy that was opened the first time.
class Copier {
 public:
  Value run(ValueView root) {
    const ValueView copy = node(root);
    while (!todo_.empty()) {
      const auto [from, to] = todo_.back();
      todo_.pop_back();
      fill(from, to);
    }
    // For a scalar the arena stays empty, and the Value needs none.
    return root.kind() <= Kind::number || root.kind() == Kind::date ? scalar(copy)
                                                                    : builder_.finish(copy);
  }

 private:
  static Value scalar(ValueView view) { return ValueAccess::own(view, nullptr); }

  ValueView node(ValueView from) {
    switch (from.kind()) {
      case Kind::undefined:
      case Kind::null:
      case Kind::boolean:
      case Kind::number:
      case Kind::date:
        return from;
      case Kind::string:
        return builder_.string(from.as_string());
      case Kind::bigint:
        return *builder_.bigint(from.bigint_text());
      case Kind::symbol:
        return builder_.symbol(from.symbol_kind(), from.symbol_key());
      case Kind::regexp:
        return builder_.regexp(from.regexp_source(), from.regexp_flags());
      case Kind::url:
        return builder_.url(from.url_text());
      case Kind::url_search_params:
        return builder_.url_search_params(from.url_search_params_text());
      default:
        return node_with_identity(from);
    }
  }

  ValueView node_with_identity(ValueView from) {
    const auto [known, fresh] = copies_.try_emplace(from.identity());
    if (!fresh) return known->second;
    if (from.kind() == Kind::typed_array) {
      known->second = builder_.typed_array(from.element_type(), from.as_bytes());
    } else if (from.is_bytes()) {
      known->second = builder_.bytes(from.kind(), from.as_bytes());
    } else {
      known->second = builder_.open(from.kind());
      todo_.push_back({from, known->second});
    }
    return known->second;
  }

  void fill(ValueView from, ValueView to) {
    const std::size_t mark = builder_.mark();
    if (from.is_error()) {
      ErrorParts parts;
      parts.name = node(ValueAccess::error(from).name);
      parts.message = node(ValueAccess::error(from).message);
      parts.stack = node(from.error_stack());
      parts.cause = node(from.error_cause());
      std::vector<Member> fields;
      fields.reserve(from.error_fields().size());
      for (const Member& field : from.error_fields()) {
        fields.push_back({node(field.name), node(field.value)});
      }
      parts.fields = fields;
      builder_.fill(to, parts);
      return;
    }
    for (const ValueView item : from.items()) builder_.push(node(item));
    for (const Member& member : from.members()) {
      builder_.push(node(member.name));
      builder_.push(node(member.value));
    }
    for (const Entry& entry : from.entries()) {
      builder_.push(node(entry.key));
      builder_.push(node(entry.value));
    }
    builder_.fill_since(to, mark, Keys::distinct);
  }

  struct Pending {
    ValueView from;
    ValueView to;
  };

  ValueBuilder builder_;
  std::unordered_map<const void*, ValueView> copies_;
  std::vector<Pending> todo_;
};

}  // namespace

Value Value::copy_of(ValueView view) { return Copier().run(view); }

}  // namespace cordon
