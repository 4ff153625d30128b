#pragma once

// Drives many remote executions in one thread of its own: none of them has a thread while it waits.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cordon/base/descriptor.h"
#include "cordon/base/instant.h"
#include "cordon/base/thread_annotations.h"
#include "cordon/result.h"
#include "cordon/runners/remote_execution.h"
#include "cordon/runners/waker.h"

namespace cordon::runners {

class RemoteLoop {
 public:
  // One execution in a loop. It may outlive the loop, and then does nothing.
  class Driven;
  // Gets an execution that is over, in the loop's thread.
  using Done = std::move_only_function<void(RemoteExecution&)>;

  // Fails with ErrorCode::unavailable where the system has no descriptor left.
  static Result<std::unique_ptr<RemoteLoop>> create();
  // Cancels what still runs, and waits for its end.
  ~RemoteLoop();
  RemoteLoop(const RemoteLoop&) = delete;
  RemoteLoop& operator=(const RemoteLoop&) = delete;

  // Any thread. Its `wake` is set here. Fails as RemoteExecution::create does.
  Result<std::shared_ptr<Driven>> start(RemoteOptions options, std::unique_ptr<Link> link,
                                        Done done);
  // Any thread.
  static void cancel(Driven& driven);

 private:
  // Executions that are new or woken. It is shared with them, since tools may answer late.
  struct Inbox {
    Mutex mutex;
    std::vector<std::shared_ptr<Driven>> ready CORDON_GUARDED_BY(mutex);
    bool is_over CORDON_GUARDED_BY(mutex) = false;    // the loop cancels what is left
    bool is_closed CORDON_GUARDED_BY(mutex) = false;  // nobody takes anything any more
    Waker waker;

    void add(std::shared_ptr<Driven> driven);
  };

  explicit RemoteLoop(Descriptor epoll);

  void run();
  // False: the loop is over, and nothing is left.
  bool take_ready();
  void wait();
  void add_due(const std::shared_ptr<Driven>& driven);
  void step(const std::shared_ptr<Driven>& driven);
  void finish(const std::shared_ptr<Driven>& driven);
  void watch(Driven& driven);
  void set_timer(Driven& driven, Instant time);

  const Descriptor epoll_;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::unique_ptr<char[]> buffer_;
  // An event tells the number of its execution. One that comes late finds nothing.
  std::unordered_map<std::uint64_t, std::shared_ptr<Driven>> driven_;
  std::uint64_t last_number_ = 0;
  std::set<std::pair<Instant, std::uint64_t>> timers_;
  std::vector<std::shared_ptr<Driven>> due_;
  std::vector<pollfd> waits_;
  std::thread thread_;
};

}  // namespace cordon::runners
