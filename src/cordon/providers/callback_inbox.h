#pragma once

// Answers of callbacks on their way from the threads that run them to the one that talks to the
// guest, which is woken by a descriptor.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "cordon/provider.h"

namespace cordon::providers {

struct CallbackAnswer {
  std::string id;  // the guest's
  Result<Value> result;
};

class CallbackInbox final : public CallSink, public std::enable_shared_from_this<CallbackInbox> {
 public:
  CallbackInbox();
  ~CallbackInbox();
  CallbackInbox(const CallbackInbox&) = delete;
  CallbackInbox& operator=(const CallbackInbox&) = delete;

  // The right to answer the guest's callback.
  Reply reply_for(std::string id);
  // Can be read while there are answers.
  int descriptor() const { return wake_; }
  std::vector<CallbackAnswer> take();
  // How many have not been answered.
  std::size_t open();
  // Makes the descriptor readable for another reason.
  void wake();
  // Tells running callbacks that nobody waits for them any more.
  void stop() { stop_.request_stop(); }

  void answer(std::uint64_t call, Result<Value> result) override;
  void fail(std::uint64_t call, ToolFailure failure) override;
  std::stop_token stop_token() override { return stop_.get_token(); }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> open_;
  std::vector<CallbackAnswer> answers_;
  std::uint64_t next_ = 0;
  std::stop_source stop_;
  int wake_;
};

}  // namespace cordon::providers
