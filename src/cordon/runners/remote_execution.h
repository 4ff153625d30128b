#pragma once

// One execution on a runner elsewhere, with tools here.
//
// One thread drives it, and with it the engine of the tools: it moves bytes, calls tools, and keeps
// the time. The runner has the same timeout. A hundred milliseconds later it is told to cancel, and
// soon after that the way to it is closed, whatever it does.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cordon/engine.h"
#include "cordon/execution.h"
#include "cordon/host/call_ledger.h"
#include "cordon/protocol/execbox/host_session.h"
#include "cordon/provider.h"
#include "cordon/runners/link.h"
#include "cordon/runners/target.h"
#include "cordon/runners/waker.h"
#include "cordon/runners/written_places.h"

namespace cordon::runners {

struct RemoteOptions {
  Target target = {};
  // Opens the way to the runner in place of the target.
  std::function<Result<std::unique_ptr<Link>>(LinkOptions)> open = {};
  LinkOptions link = {};
  execbox::HostExecute execute = {};     // its options are set here
  WrittenPlaces places = {};             // of errors in its code
  Limits limits = {};                    // the total time is the one that counts
  std::vector<Provider> providers = {};  // one for each manifest, in their order
  // Runs the tools that are scripts, in this thread, and calls the waker when it is ready.
  Engine* engine = nullptr;
  std::shared_ptr<Waker> waker = std::make_shared<Waker>();
  // In the thread that drives it. Log lines come with the end.
  std::function<void(const LogLine&)> on_log = {};
};

class RemoteExecution {
 public:
  explicit RemoteExecution(RemoteOptions options);
  ~RemoteExecution();
  RemoteExecution(const RemoteExecution&) = delete;
  RemoteExecution& operator=(const RemoteExecution&) = delete;

  // Fails with ErrorCode::unavailable where a process cannot be started, and with too_large where
  // the program does not fit into a message. Otherwise a report says how it ended. Call it once.
  Result<Report> run();

  // Any thread, at any time.
  void cancel();

  // After run(): the way to the runner, which is closed. Waiting for the end of a process is left
  // to its destructor.
  std::unique_ptr<Link> take_link() { return std::move(link_); }

 private:
  class Answers;

  void send();
  void receive();
  void call_tools();
  void take_answers();
  void close_calls();
  // Whether there is nothing more to wait for.
  bool check_time(Instant now);
  void begin_cancel(Instant now, Error why);
  void wait(Instant until);
  const FailedCall* failed_call(const Error& error) const;
  Report report(Instant now);

  RemoteOptions options_;
  std::optional<execbox::HostSession> session_;
  std::unique_ptr<Link> link_;
  bool may_receive_ = true;  // as far as the last poll told
  std::shared_ptr<Answers> answers_;
  host::CallLedger calls_;
  Instant started_{};
  std::optional<Instant> give_up_;  // once it is cancelled
  std::optional<Error> ended_by_;   // us
  std::atomic<bool> cancel_requested_ = false;
};

}  // namespace cordon::runners
