#pragma once

// One call in a process of its own, from its start to its end.
//
// An answer counts only once the guest has left in peace: it reads the end of its input and goes,
// and what it still says meanwhile must keep the protocol. A guest that stays is ended after a
// moment. What it asked the host for without waiting is done all the same.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "cordon/base/instant.h"
#include "cordon/providers/conversation.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::providers {

struct OneCallOptions {
  LinkOptions link;
  CallbackRules callbacks = {};
  CallRequest request = {};  // its deadline is set here
  Instant started{};         // when the time began to count
  std::chrono::milliseconds timeout{};
  // Takes the chunks of the call's stream. Return an error if they are not wanted any more; it ends
  // the call.
  std::function<Result<>(const Value&)> on_chunk = {};
};

class OneCall {
 public:
  // ErrorCode::unavailable where the process cannot be started.
  static Result<std::unique_ptr<OneCall>> start(OneCallOptions options);

  // To be called once.
  Result<Value> run();

  pid_t process() const { return conversation_.process(); }
  const duplex::SessionFigures& figures() const { return conversation_.figures(); }

 private:
  OneCall(OneCallOptions options, std::unique_ptr<PluginLink> link);
  Result<Value> converse();
  Result<Value> leave();
  Result<Value> wait_for_end();
  Result<> on_event(GuestEvent& event);
  std::unexpected<Error> failed_after_end(Error error);
  std::unexpected<Error> out_of_time();
  void finish_callbacks();

  OneCallOptions options_;
  Conversation conversation_;
  bool is_stream_open_ = false;
  bool is_answered_ = false;
  Value result_;
};

}  // namespace cordon::providers
