#pragma once

// One execution on a runner elsewhere, with tools here.
//
// It waits for nothing: its driver calls step(), polls the descriptors that it names, and calls
// step() again, at next_time() at the latest. run_to_end() drives one in a thread of its own,
// and a RemoteLoop many in one thread.
//
// The runner has the same timeout. A hundred milliseconds later it is told to cancel, and soon
// after that the way to it is closed, whatever it does.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <poll.h>
#include <span>
#include <vector>

#include "cordon/execution.h"
#include "cordon/host/call_ledger.h"
#include "cordon/protocol/execbox/host_session.h"
#include "cordon/provider.h"
#include "cordon/runners/link.h"
#include "cordon/runners/written_places.h"

namespace cordon::runners {

struct RemoteOptions {
  execbox::HostExecute execute = {};     // its options are set here
  WrittenPlaces places = {};             // of errors in its code
  Limits limits = {};                    // the total time is the one that counts
  std::vector<Provider> providers = {};  // one for each manifest, in their order
  CallOrigin origin = {};
  // In the thread that drives it. Log lines come with the end.
  std::function<void(const LogLine&)> on_log = {};
  // Called by any thread when step() has something to do that no descriptor shows.
  std::function<void()> wake = [] {};
  // When it was accepted; by default now. What has passed since then is part of its time.
  std::optional<Instant> accepted = {};
};

// What a driver knows of the descriptors.
enum class Descriptors : std::uint8_t { quiet, may_be_ready };

class RemoteExecution {
 public:
  // Writes the program's message. Fails with too_large where it does not fit into one.
  static Result<std::unique_ptr<RemoteExecution>> create(RemoteOptions options);
  ~RemoteExecution();
  RemoteExecution(const RemoteExecution&) = delete;
  RemoteExecution& operator=(const RemoteExecution&) = delete;

  // The way to the runner. Before the first step.
  void use(std::unique_ptr<Link> link) { link_ = std::move(link); }

  // Moves bytes, calls tools, and looks at the time. True: it is over. `buffer` is for bytes that
  // come, some 256 KiB.
  bool step(Descriptors descriptors, std::span<char> buffer);
  void add_waits(std::vector<pollfd>& waits) const;
  Instant next_time() const;

  // Any thread, at any time.
  void cancel();

  // Once it is over. The way to the runner is closed; waiting for the end of a process is left to
  // its destructor.
  Report take_report() { return std::move(report_); }
  std::unique_ptr<Link> take_link() { return std::move(link_); }

 private:
  class Answers;

  RemoteExecution(RemoteOptions options, execbox::HostSession session, Instant accepted);

  void receive(std::span<char> buffer);
  void call_tools();
  void take_answers();
  void close_calls();
  // Whether there is nothing more to wait for.
  bool check_time(Instant now);
  void begin_cancel(Instant now, Error why);
  const FailedCall* failed_call(const Error& error) const;
  Instant backstop() const;
  void finish();
  Report make_report(Instant now);

  RemoteOptions options_;
  execbox::HostSession session_;
  std::unique_ptr<Link> link_;
  std::shared_ptr<Answers> answers_;
  host::CallLedger calls_;
  Instant accepted_;
  std::optional<Instant> give_up_;  // once it is cancelled
  std::optional<Error> ended_by_;   // us
  Report report_;
  std::atomic<bool> cancel_requested_ = false;
};

}  // namespace cordon::runners
