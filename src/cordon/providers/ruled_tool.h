#pragma once

// A tool that obeys rules, around the function that does its work.
//
// A call passes in this order: its input matches the schema, the execution has calls left, one of
// the places that may run at once is free. Then the function runs, for as long as it may, and its
// result is checked. A call that ends early, because it is late or its execution is over, frees its
// place at once, and the function's stop token tells it that nobody waits any more.

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
#include "cordon/providers/call_timer.h"
#include "cordon/providers/tool_rules.h"
#include "cordon/result.h"
#include "cordon/schema/schema.h"

namespace cordon::providers {

// `name` is what messages call it. Fails if a schema is none. The timer lives as long as the
// function.
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

}  // namespace cordon::providers
