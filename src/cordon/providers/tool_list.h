#pragma once

// Which tools of a provider a configuration lets programs have, and by which rules.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/provider.h"
#include "cordon/result.h"
#include "cordon/tool_rules.h"

namespace cordon::providers {

// By the name that the tool's author gave it, in the order in which tools are shown.
using ToolList = std::vector<std::pair<std::string, ToolRules>>;

// The first tool of the list that the provider does not have.
std::optional<std::string> missing_tool(const ToolList& list, const Provider& provider);

// The tools of the list and no others, in its order, with its rules. A second tool of the same name
// becomes name__2. Fails if a rule makes no sense, or if a tool is missing. The tools of `all` have
// no rules of their own.
Result<Provider> listed_tools(const Provider& all, const ToolList& list);

}  // namespace cordon::providers
