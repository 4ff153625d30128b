#include "cordon/providers/plugin_contract.h"

#include <utility>
#include <vector>

namespace cordon::providers {

Result<PluginContract::Contracts> PluginContract::compile(
    const std::map<std::string, PluginFunction, std::less<>>& functions) {
  Contracts contracts;
  for (const auto& [name, function] : functions) {
    FunctionContract& contract = contracts[name];
    contract.timeout = function.timeout;
    for (const auto& [given, compiled] : {std::pair(&function.params, &contract.params),
                                          std::pair(&function.result, &contract.result)}) {
      if (!*given) continue;
      Result<schema::Schema> schema = schema::Schema::compile(**given);
      if (!schema) return fail(ErrorCode::invalid_argument, name + ": " + schema.error().message);
      *compiled = *std::move(schema);
    }
  }
  return contracts;
}

Result<PluginContract> PluginContract::create(const PluginOptions& options) {
  PluginContract contract;
  contract.functions_ = CORDON_TRY(compile(options.functions));
  contract.callbacks_ = CORDON_TRY(compile(options.callback_functions));
  return contract;
}

std::optional<std::string> complaint(const std::optional<schema::Schema>& schema,
                                     const ValueView& value) {
  if (!schema) return std::nullopt;
  const std::vector<schema::SchemaMistake> mistakes = schema->check(value);
  if (mistakes.empty()) return std::nullopt;
  return to_text(mistakes);
}

}  // namespace cordon::providers
