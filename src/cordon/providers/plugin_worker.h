#pragma once

// One process of a plugin, and the calls that wait for it. Many threads may wait; one of them at a
// time, the driver, moves the bytes for all. For calls that no thread waits for there is one of the
// worker's own, the service thread, made when the first is awaited.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/plugin.h"
#include "cordon/providers/conversation.h"

namespace cordon::providers {

class PluginWorker;

// A call from its start to its end. The worker's lock guards all that changes.
struct PluginPending {
  CallRequest request;  // what is to be sent; the driver takes it
  std::chrono::milliseconds timeout{};

  PluginWorker* worker = nullptr;  // of a pool that the waiting thread keeps alive
  const FunctionContract* contract = nullptr;
  bool is_answered = false;
  bool is_sent = false;
  bool is_cancelled = false;  // answered by its caller, while the guest may be at it still
  Result<Value> result = Value();
  // Called when there is an answer or a chunk, for a coroutine that waits.
  std::move_only_function<void()> resume = {};
  // The id of its stream, if it has one.
  std::string stream_id = {};
  bool is_stream_over = true;
  std::optional<Error> stream_failure = {};
  struct Chunk {
    Value value;
    std::size_t bytes;
    Charge held;
  };
  std::deque<Chunk> chunks = {};
  std::size_t unread_bytes = 0;
  std::optional<Instant> chunk_deadline = {};  // while a reader waits for the next one

  bool has_chunk_or_end() const { return !chunks.empty() || is_stream_over; }
};

using Pending = std::shared_ptr<PluginPending>;

// What a worker asks of the pool it belongs to.
class WorkerOwner {
 public:
  // A process, at the latest at the deadline.
  virtual Result<std::unique_ptr<PluginLink>> take_link(Instant deadline) = 0;
  // One has ended: whether by a violation, and whether it had ever answered.
  virtual void on_end(bool was_violation, bool had_answered,
                      const duplex::SessionFigures& figures) = 0;
  virtual const PluginOptions& options() const = 0;
  // What its processes may call.
  virtual const CallbackRules& callbacks() const = 0;

 protected:
  ~WorkerOwner() = default;
};

class PluginWorker {
 public:
  explicit PluginWorker(WorkerOwner& owner) : owner_(owner) {}
  ~PluginWorker();
  PluginWorker(const PluginWorker&) = delete;
  PluginWorker& operator=(const PluginWorker&) = delete;

  void submit(const Pending& pending);
  // Drives the process, or waits for the thread that does, until `done` returns true. `done` is
  // called under the lock.
  void wait_until(const std::function<bool()>& done);
  // Takes `resume`, and calls it on the service thread when `done` returns true. False if it does
  // already. The caller keeps the pool alive until then.
  bool resume_when(PluginPending& pending, const std::function<bool()>& done,
                   std::move_only_function<void()>& resume);
  void cancel(PluginPending& pending);
  // From now on the next chunk of its stream has the time that the call had.
  void expect_chunk(PluginPending& pending);
  // Under the lock.
  template <class F>
  auto locked(F&& function) {
    const std::lock_guard lock(mutex_);
    return function();
  }
  std::size_t load() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size() + calls_.size();
  }
  duplex::SessionFigures figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
  }

 private:
  void attend();
  void wake_service_thread();
  // Under the lock: a driver that waits for the guest looks at what has changed.
  void wake_driver() {
    if (is_driven_ && conversation_) conversation_->wake();
  }
  // Call it under the lock. A coroutine waits to be resumed, or a cancelled call has to end.
  bool needs_service_thread() const { return awaiting_ > 0 || cancelled_ > 0; }
  // Call it under the lock. The guest works, but only for cancelled calls.
  bool is_unwanted() const {
    return cancelled_ > 0 && cancelled_ == calls_.size() && streams_.empty();
  }
  // Lets another thread drive until `done` returns true. The lock is held before and after.
  void drive_locked(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done);
  void drive(const std::function<bool()>& done);
  // Call it under the lock. Wakes the thread or coroutine that waits for this call.
  void awake(PluginPending& pending);
  void send_waiting();
  void send(const Pending& pending);
  // Whether there is a process to send to, at the latest at the deadline; else why not.
  Result<> have_process(Instant deadline);
  void refuse(PluginPending& pending, ErrorCode code, std::string message);
  // Hears what the guest says until then. The process may be gone after it.
  void hear(std::optional<Instant> until);
  // When the driver has something to do at the latest, if nothing comes.
  std::optional<Instant> next_deadline();
  bool is_stream_late();
  void on_event(CallAnswer& answer);
  void on_event(StreamPiece& piece);
  void on_event(StreamOver& over);
  void on_violation(const Error& violation);
  void recycle_if_due();
  void end_if_unwanted();
  void drop_process(bool was_violation);

  WorkerOwner& owner_;
  mutable std::mutex mutex_;
  std::condition_variable turn_;
  bool is_driven_ = false;
  std::deque<Pending> waiting_;                     // to be sent
  std::unordered_map<std::string, Pending> calls_;  // by id
  std::unordered_map<std::string, Pending> streams_;
  duplex::SessionFigures figures_;  // of the process, for others to see
  std::size_t awaiting_ = 0;        // how many are to be resumed
  std::size_t cancelled_ = 0;       // how many of `calls_` are
  Instant cancel_deadline_{};       // what only they keep busy is ended then
  std::vector<std::move_only_function<void()>> ready_;
  std::thread service_thread_;
  bool is_over_ = false;
  // Set where the service thread itself has destroyed this, in a function that it resumed.
  std::shared_ptr<bool> is_gone_ = std::make_shared<bool>(false);

  // The driver's alone, who changes it under the lock, since others wake it. Null: no process.
  std::unique_ptr<Conversation> conversation_;
  bool input_broke_ = false;  // of a process that is gone; the driver's alone
};

}  // namespace cordon::providers
