#include "cordon/serializer.h"

#include <utility>

#include "cordon/codec/rich/serializer.h"
#include "cordon/host/payload_regexps.h"

namespace cordon {
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

rich::Options options_of(const SerializerOptions& options) {
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

}  // namespace

struct Serializer::State {
  explicit State(const SerializerOptions& options)
      : allowance{options.max_regexps, options.max_regexp_time},
        serializer(options_of(options), regexps) {}

  const host::RegExpAllowance allowance;
  host::SandboxRegExps regexps;
  rich::Serializer serializer;
};

Serializer::Serializer(const SerializerOptions& options)
    : state_(std::make_unique<State>(options)) {}
Serializer::~Serializer() = default;
Serializer::Serializer(Serializer&&) noexcept = default;
Serializer& Serializer::operator=(Serializer&&) noexcept = default;

Result<> Serializer::add_type(SerializerType type) {
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
      Builder borrowed(builder);
      return serialize(value, borrowed);
    };
  }
  if (type.deserialize) {
    definition.deserialize = [deserialize = std::move(type.deserialize)](ValueView payload,
                                                                         ValueBuilder& builder) {
      Builder borrowed(builder);
      return deserialize(payload, borrowed);
    };
  }
  if (type.create) {
    definition.create = [create = std::move(type.create)](ValueBuilder& builder) {
      Builder borrowed(builder);
      return create(borrowed);
    };
  }
  return state_->serializer.add_type(std::move(definition));
}

Result<std::string> Serializer::stringify(const ValueView& value) const {
  return state_->serializer.stringify(value);
}

Result<std::string> Serializer::serialize(const ValueView& value) const {
  return state_->serializer.serialize(value);
}

Result<Value> Serializer::parse(std::string_view text) const {
  const host::PayloadRegExps regexps(state_->regexps, state_->allowance);
  return state_->serializer.parse(text, {.regexps = &regexps});
}

}  // namespace cordon
