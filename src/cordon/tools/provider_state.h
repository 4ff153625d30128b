#pragma once

// What the handles of one provider share.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/thread_annotations.h"
#include "cordon/provider.h"
#include "cordon/tools/blocking_threads.h"
#include "cordon/tools/call_timer.h"
#include "cordon/tools/safe_name.h"
#include "cordon/value/name_list.h"

namespace cordon {

struct Provider::State {
  void add(Tool tool, ToolFunction plain);
  // The last tool of that name, or null.
  Tool* find(std::string_view tool);
  // `plain` with rules around it, if there is any that a call could break.
  Result<ToolFunction> with_rules(const std::string& tool, ToolFunction plain,
                                  const ToolRules& rules);
  // The names of the tools, put together once. Executions begin in several threads.
  NameList listed() const;
  void set_list(NameList exact_names);

  // Grows with every change of what a manifest says.
  std::uint64_t revision = 0;
  std::string name;
  bool exact = false;
  std::vector<Tool> tools;
  std::vector<ToolFunction> plain;  // the functions of the tools, without their rules
  std::string types;
  AnyToolFunction any;
  AnyToolFunction of_names;  // of all names in `list`, in place of tools
  bool takes_all_values = false;
  tools::SafeNames names;
  std::vector<std::shared_ptr<void>> kept;
  std::shared_ptr<tools::BlockingThreads> threads;
  std::shared_ptr<tools::CallTimer> timer;  // where a tool has a timeout

 private:
  mutable Mutex mutex;
  // Tools are only ever added, so a list of as many names has all of them.
  mutable NameList list CORDON_GUARDED_BY(mutex);
};

namespace detail {

struct ProviderAccess {
  // The same for all handles of a provider, and for no other provider while it is kept.
  static std::shared_ptr<const void> identity(const Provider& provider) { return provider.state_; }
  static std::uint64_t revision(const Provider& provider) { return provider.state_->revision; }
  // The names of its tools now, in their order.
  static NameList names(const Provider& provider) { return provider.state_->listed(); }
  // A provider of functions with these exact names, which are all one function. It has no tools().
  static Provider of_names(std::string_view name, NameList names, AnyToolFunction function);
  // The function of such a provider; empty for any other.
  static const AnyToolFunction& function_of_names(const Provider& provider) {
    return provider.state_->of_names;
  }
};

}  // namespace detail
}  // namespace cordon
