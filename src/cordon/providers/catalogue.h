#pragma once

// The tools of a provider as others see them: their names, what they take and give.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/provider.h"
#include "cordon/providers/call_timer.h"
#include "cordon/providers/tool_rules.h"
#include "cordon/result.h"

namespace cordon::providers {

struct CataloguedTool {
  std::string safe_name;      // as a program calls it
  std::string original_name;  // as its author named it
  ToolRules rules = {};
};

struct Catalogue {
  std::string name;  // of the provider
  std::vector<CataloguedTool> tools = {};
};

struct CataloguedProvider {
  Provider provider;
  Catalogue catalogue;
};

// Which tools an execution gets.
enum class ToolFilter : std::uint8_t { all, read_only };

// The first tool of the list that is not among `functions`.
std::optional<std::string> missing_function(const ToolList& list,
                                            std::span<const std::string> functions);

// `all` has a tool for each of `functions`, in their order. With a list these tools and no others
// are left, in its order, and obey their rules. Names are made safe, and a second tool of the
// same name becomes name__2, whichever tools the filter leaves. Fails if a schema is
// none, or if a function is missing.
Result<CataloguedProvider> catalogued(const Provider& all, std::span<const std::string> functions,
                                      const ToolList* list, ToolFilter filter,
                                      const std::shared_ptr<CallTimer>& timer);

}  // namespace cordon::providers
