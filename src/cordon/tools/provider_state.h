#pragma once

// What the handles of one provider share.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/provider.h"
#include "cordon/tools/blocking_threads.h"
#include "cordon/tools/call_timer.h"
#include "cordon/tools/safe_name.h"

namespace cordon {

struct Provider::State {
  void add(Tool tool, ToolFunction plain);
  // The last tool of that name, or null.
  Tool* find(std::string_view tool);
  // `plain` with rules around it, if there is any that a call could break.
  Result<ToolFunction> with_rules(const std::string& tool, ToolFunction plain,
                                  const ToolRules& rules);

  // Grows with every change of what a manifest says.
  std::uint64_t revision = 0;
  std::string name;
  bool exact = false;
  std::vector<Tool> tools;
  std::vector<ToolFunction> plain;  // the functions of the tools, without their rules
  std::string types;
  AnyToolFunction any;
  bool takes_all_values = false;
  tools::SafeNames names;
  std::vector<std::shared_ptr<void>> kept;
  std::shared_ptr<tools::BlockingThreads> threads;
  std::shared_ptr<tools::CallTimer> timer;  // where a tool has a timeout
};

namespace detail {

struct ProviderAccess {
  // The same for all handles of a provider, and for no other provider while it is kept.
  static std::shared_ptr<const void> identity(const Provider& provider) { return provider.state_; }
  static std::uint64_t revision(const Provider& provider) { return provider.state_->revision; }
};

}  // namespace detail
}  // namespace cordon
