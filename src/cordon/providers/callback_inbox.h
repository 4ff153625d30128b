#pragma once

// Answers of callbacks on their way from the threads that run them to the one that talks to the
// guest, which is woken by a descriptor.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/budget.h"
#include "cordon/base/instant.h"
#include "cordon/base/thread_annotations.h"
#include "cordon/provider.h"

namespace cordon::providers {

struct CallbackAnswer {
  std::string id;  // the guest's
  Result<Value> result;
};

class CallbackInbox : public std::enable_shared_from_this<CallbackInbox> {
 public:
  CallbackInbox();
  ~CallbackInbox();
  CallbackInbox(const CallbackInbox&) = delete;
  CallbackInbox& operator=(const CallbackInbox&) = delete;

  // Looks at a result before it leaves, by the thread that answers.
  using Check = std::function<Result<Value>(Value result)>;
  // The right to answer the guest's callback, until the deadline. Without an id the answer goes
  // nowhere. `held` is what the call costs, until it is answered or late.
  Reply reply_for(std::optional<std::string> id, Charge held, std::optional<Instant> deadline = {},
                  Check check = {});
  // Can be read while there are answers.
  int descriptor() const { return wake_; }
  // Callbacks that are late are answered here with an error, and told to stop.
  std::vector<CallbackAnswer> take();
  // When the next of them is late.
  std::optional<Instant> deadline();
  // How many have not been answered.
  std::size_t open();
  // Makes the descriptor readable for another reason.
  void wake();
  // Tells running callbacks that their answers are not wanted any more.
  void stop();

 private:
  class Sink;
  struct Open {
    std::optional<std::string> id;
    std::optional<Instant> deadline;
    Check check;
    std::weak_ptr<Sink> sink;
    Charge held;
  };
  void answer(std::uint64_t call, Result<Value> result);
  void push(std::optional<std::string> id, Result<Value> result) CORDON_REQUIRES(mutex_);

  Mutex mutex_;
  std::map<std::uint64_t, Open> open_ CORDON_GUARDED_BY(mutex_);
  std::set<std::pair<Instant, std::uint64_t>> deadlines_ CORDON_GUARDED_BY(mutex_);
  std::vector<CallbackAnswer> answers_ CORDON_GUARDED_BY(mutex_);
  std::uint64_t next_ CORDON_GUARDED_BY(mutex_) = 0;
  int wake_;
};

}  // namespace cordon::providers
