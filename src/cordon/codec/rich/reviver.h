#pragma once

// Makes typed values from their payloads, as the constructors of JavaScript do.

#include <cstddef>
#include <string_view>

#include "cordon/base/budget_allocator.h"
#include "cordon/codec/rich/registry.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/result.h"
#include "cordon/value.h"
#include "cordon/value/value_builder.h"

namespace cordon::rich {

class Reviver {
 public:
  // `max_parts` limits how many elements, entries, bytes and fields are made into typed values in
  // all. In graph format many of these can share one payload, and in both formats they can be the
  // payload of one another (a Set of a Set of an array): without a limit a small text could take
  // the product of both sizes.
  Reviver(ValueBuilder& builder, const Options& options, std::size_t max_parts,
          const RegExpOracle& regexps)
      : builder_(builder), options_(options), regexps_(regexps), parts_left_(max_parts) {}

  // The payload has been read. `opened` is the node that stands for a Map, Set or Error in cycles.
  // It is filled and returned. Leave it undefined if there is no such node. Errors say what is
  // wrong, but not where.
  Result<ValueView> revive(const Type& type, ValueView payload, ValueView opened = {});

  // For types whose payload is a text, without a node for that text. Nothing if the text is wrong.
  ValueView date(std::string_view text) const;
  std::optional<ValueView> bigint(std::string_view text);
  static std::optional<ValueView> non_finite_number(std::string_view text);
  // Nothing if one of the numbers is not a byte.
  std::optional<ValueView> bytes(const Type& type, std::span<const ValueView> numbers);

 private:
  Result<ValueView> date_of(ValueView payload);
  Result<ValueView> regexp(ValueView payload);
  Result<ValueView> map(ValueView payload, ValueView opened);
  Result<ValueView> set(ValueView payload, ValueView opened);
  Result<ValueView> symbol(ValueView payload);
  Result<ValueView> error(ValueView payload, ValueView opened);
  Result<ValueView> url(ValueView payload);

  Result<BudgetVector<ValueView>> iterated(ValueView payload);
  Result<> take_parts(std::size_t count);
  // Takes the parts for a string that is read as a whole: two bytes of it count as one part.
  Result<> take_text(std::size_t bytes);

  ValueBuilder& builder_;
  const Options& options_;
  const RegExpOracle& regexps_;
  std::size_t parts_left_;
};

}  // namespace cordon::rich
