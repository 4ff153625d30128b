#include "cordon/host/serializer_parts.h"

#include <utility>

namespace cordon {

struct detail::BuilderAccess {
  static Builder borrow(ValueBuilder& builder) { return Builder(builder); }
};

namespace host {
namespace {

rich::SymbolPolicy policy_of(SymbolPolicy policy) {
  switch (policy) {
    case SymbolPolicy::allow_all:
      return rich::SymbolPolicy::allow_all;
    case SymbolPolicy::well_known_only:
      return rich::SymbolPolicy::well_known_only;
    case SymbolPolicy::disabled:
      break;
  }
  return rich::SymbolPolicy::disabled;
}

}  // namespace

rich::Options serializer_options(const SerializerOptions& options) {
  return {.max_depth = options.max_depth,
          .max_regexp_pattern_length = options.max_regexp_pattern_length,
          .unsafe_regexps = options.allow_unsafe_regexp ? rich::UnsafeRegExps::allowed
                                                        : rich::UnsafeRegExps::refused,
          .allowed_types = options.allowed_types,
          .symbol_policy = policy_of(options.symbol_policy),
          .layout = options.pretty ? rich::Layout::pretty : rich::Layout::compact,
          .max_input_bytes = options.max_input_bytes,
          .max_output_bytes = options.max_output_bytes};
}

rich::TypeDefinition type_definition(SerializerType type) {
  rich::TypeDefinition definition{.id = std::move(type.id),
                                  .is = std::move(type.is),
                                  .serialize = {},
                                  .deserialize = {},
                                  .strategy = type.strategy == TypeStrategy::value
                                                  ? rich::Strategy::value
                                                  : rich::Strategy::identity,
                                  .create = {}};
  if (type.serialize) {
    definition.serialize = [serialize = std::move(type.serialize)](ValueView value,
                                                                   ValueBuilder& builder) {
      Builder borrowed = detail::BuilderAccess::borrow(builder);
      return serialize(value, borrowed);
    };
  }
  if (type.deserialize) {
    definition.deserialize = [deserialize = std::move(type.deserialize)](ValueView payload,
                                                                         ValueBuilder& builder) {
      Builder borrowed = detail::BuilderAccess::borrow(builder);
      return deserialize(payload, borrowed);
    };
  }
  if (type.create) {
    definition.create = [create = std::move(type.create)](ValueBuilder& builder) {
      Builder borrowed = detail::BuilderAccess::borrow(builder);
      return create(borrowed);
    };
  }
  return definition;
}

}  // namespace host
}  // namespace cordon
