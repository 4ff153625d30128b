#include "cordon/providers/tool_list.h"

#include <string_view>
#include <unordered_map>

namespace cordon::providers {
namespace {

using ToolsByName = std::unordered_map<std::string_view, const Tool*>;

ToolsByName by_original_name(const Provider& provider) {
  ToolsByName tools;
  for (const Tool& tool : provider.tools()) tools.emplace(tool.original_name, &tool);
  return tools;
}

}  // namespace

std::optional<std::string> missing_tool(const ToolList& list, const Provider& provider) {
  const ToolsByName known = by_original_name(provider);
  for (const auto& [tool, rules] : list)
    if (!known.contains(tool)) return tool;
  return std::nullopt;
}

Result<Provider> listed_tools(const Provider& all, const ToolList& list) {
  const ToolsByName known = by_original_name(all);
  Provider provider(all.name());
  for (const auto& [tool, rules] : list) {
    const auto found = known.find(tool);
    if (found == known.end())
      return fail(ErrorCode::not_found, "there is no function \"" + tool + "\"");
    CORDON_TRY(provider.add_async(tool, found->second->function, rules));
  }
  return provider;
}

}  // namespace cordon::providers
