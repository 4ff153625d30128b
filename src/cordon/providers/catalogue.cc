#include "cordon/providers/catalogue.h"

#include <algorithm>
#include <utility>

#include "cordon/providers/ruled_tool.h"

namespace cordon::providers {
namespace {

Catalogue catalogue_of(const std::string& provider, std::span<const std::string> functions,
                       const ToolList* list) {
  Catalogue catalogue{provider};
  Provider names(provider);  // for its rule alone
  const auto add = [&](const std::string& function, const ToolRules& rules) {
    names.add_async(function, {});
    catalogue.tools.push_back({names.tools().back().name, function, rules});
  };
  if (list == nullptr) {
    for (const std::string& function : functions) add(function, {});
  } else {
    for (const auto& [function, rules] : *list) add(function, rules);
  }
  return catalogue;
}

}  // namespace

std::optional<std::string> missing_function(const ToolList& list,
                                            std::span<const std::string> functions) {
  for (const auto& [function, rules] : list)
    if (std::ranges::find(functions, function) == functions.end()) return function;
  return std::nullopt;
}

Result<CataloguedProvider> catalogued(const Provider& all, std::span<const std::string> functions,
                                      const ToolList* list, ToolFilter filter,
                                      const std::shared_ptr<CallTimer>& timer) {
  Catalogue catalogue = catalogue_of(all.name(), functions, list);
  if (filter == ToolFilter::read_only)
    std::erase_if(catalogue.tools,
                  [](const CataloguedTool& tool) { return !tool.rules.read_only; });
  Provider provider = Provider::with_exact_names(all.name());
  for (const CataloguedTool& tool : catalogue.tools) {
    const auto found = std::ranges::find(functions, tool.original_name);
    if (found == functions.end())
      return fail(ErrorCode::not_found, "there is no function \"" + tool.original_name + "\"");
    ToolFunction function =
        all.tools()[static_cast<std::size_t>(found - functions.begin())].function;
    if (list != nullptr)
      function = CORDON_TRY(with_rules(tool.safe_name, std::move(function), tool.rules, timer));
    provider.add_async(tool.safe_name, std::move(function));
    provider.describe(tool.safe_name, tool.rules.description);
  }
  return CataloguedProvider{std::move(provider), std::move(catalogue)};
}

}  // namespace cordon::providers
