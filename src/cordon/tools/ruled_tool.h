#pragma once

// A tool that obeys rules, around the function that does its work.

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "cordon/base/thread_annotations.h"
#include "cordon/provider.h"
#include "cordon/result.h"
#include "cordon/tool_rules.h"
#include "cordon/tools/call_timer.h"

namespace cordon::tools {

// `name` is what messages call it. Without a rule that a call could break, the function stays as it
// is. Fails if a schema is invalid, or if no call could ever run. A timer is needed where the rules
// have a timeout; it lives as long as the function.
Result<ToolFunction> with_rules(std::string name, ToolFunction function, const ToolRules& rules,
                                std::shared_ptr<CallTimer> timer);

// How many calls each execution has made. Any thread may use it.
class CallBudget : public std::enable_shared_from_this<CallBudget> {
 public:
  explicit CallBudget(std::size_t max_calls) : max_calls_(max_calls) {}

  // Counts one more of the execution that has this stop token; false if that is one too many. A
  // caller without a stop token is no execution, and is not counted.
  bool spend(const void* execution, const std::stop_token& stop);

 private:
  struct Forget {
    std::weak_ptr<CallBudget> budget;
    const void* execution;
    std::stop_token stop;
    void operator()() const;
  };
  struct Spent {
    std::size_t calls = 0;
    std::stop_token stop;
    std::unique_ptr<std::stop_callback<Forget>> at_end;
  };

  const std::size_t max_calls_;
  Mutex mutex_;
  std::unordered_map<const void*, Spent> spent_ CORDON_GUARDED_BY(mutex_);
};

}  // namespace cordon::tools
