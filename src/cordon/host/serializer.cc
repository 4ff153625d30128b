#include "cordon/serializer.h"

#include <utility>

#include "cordon/codec/rich/serializer.h"
#include "cordon/host/payload_regexps.h"
#include "cordon/host/serializer_parts.h"

namespace cordon {
struct Serializer::State {
  explicit State(const SerializerOptions& options)
      : allowance{options.max_regexps, options.max_regexp_time},
        serializer(host::serializer_options(options), regexps) {}

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
  return state_->serializer.add_type(host::type_definition(std::move(type)));
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
