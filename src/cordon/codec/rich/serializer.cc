#include "cordon/codec/rich/serializer.h"

#include <cmath>
#include <utility>

#include "cordon/codec/rich/decode.h"
#include "cordon/codec/rich/encode.h"
#include "cordon/codec/rich/registry.h"

namespace cordon::rich {
namespace {

std::size_t limit_option(double number, std::size_t otherwise) {
  if (std::isnan(number) || number < 0) return otherwise;
  // Past what any text can reach; Infinity too.
  if (number >= 0x1p53) return unlimited;
  return static_cast<std::size_t>(number);
}

}  // namespace

std::size_t max_depth_option(double number) { return limit_option(number, Options().max_depth); }

std::size_t max_regexp_pattern_length_option(double number) {
  const std::size_t otherwise = Options().max_regexp_pattern_length;
  return number == 0 ? otherwise : limit_option(number, otherwise);
}

Result<SymbolPolicy> symbol_policy_option(std::string_view name) {
  if (name == "allow-all") return SymbolPolicy::allow_all;
  if (name == "well-known-only") return SymbolPolicy::well_known_only;
  if (name == "disabled") return SymbolPolicy::disabled;
  return fail(ErrorCode::invalid_argument, "Unsupported symbol policy");
}

Serializer::Serializer(Options options, const RegExpOracle& regexps)
    : options_(std::move(options)), registry_(std::make_unique<Registry>(options_, regexps)) {}

Serializer::~Serializer() = default;
Serializer::Serializer(Serializer&&) noexcept = default;
Serializer& Serializer::operator=(Serializer&&) noexcept = default;

Result<> Serializer::add_type(TypeDefinition type) { return registry_->add(std::move(type)); }

Result<std::string> Serializer::stringify(ValueView value) const {
  std::string out;
  CORDON_TRY(stringify_to(out, value));
  return out;
}

Result<std::string> Serializer::serialize(ValueView value) const {
  std::string out;
  CORDON_TRY(serialize_to(out, value));
  return out;
}

Result<> Serializer::stringify_to(std::string& out, ValueView value) const {
  return stringify_to(out, value, options_.max_output_bytes);
}

Result<> Serializer::serialize_to(std::string& out, ValueView value) const {
  return serialize_to(out, value, options_.max_output_bytes);
}

Result<> Serializer::stringify_to(std::string& out, ValueView value, std::size_t max_bytes) const {
  return encode_tree(out, value, *registry_, options_, max_bytes);
}

Result<> Serializer::serialize_to(std::string& out, ValueView value, std::size_t max_bytes) const {
  return encode_graph(out, value, *registry_, options_, max_bytes);
}

Result<Value> Serializer::parse(std::string_view text, const ParseOptions& options) const {
  return decode(text, *registry_, options_, options.failed_at, options.budget, options.regexps);
}

}  // namespace cordon::rich
