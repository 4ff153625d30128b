#pragma once

// One process of a plugin, and the calls that wait for it. Many threads may wait; one of them at a
// time, the driver, moves the bytes for all.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/plugin.h"
#include "cordon/providers/callback_inbox.h"
#include "cordon/providers/plugin_link.h"

namespace cordon::providers {

class PluginWorker;

// A call from its start to its end. The worker's lock guards all that changes.
struct PluginPending {
  // What is to be sent; the driver takes it.
  std::string function;
  Value params;
  duplex::Answer answer = duplex::Answer::expected;
  Instant deadline{};
  PluginCallOptions options;
  std::string stream_param;

  PluginWorker* worker = nullptr;  // of a pool that whoever waits keeps alive
  bool is_answered = false;
  PluginResult<Value> result = Value();
  // Of its stream, if it has one.
  std::string stream_id = {};
  bool is_stream_over = true;
  std::optional<ToolFailure> stream_failure = {};
  std::deque<Value> chunks = {};
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

 protected:
  ~WorkerOwner() = default;
};

class PluginWorker {
 public:
  explicit PluginWorker(WorkerOwner& owner) : owner_(owner) {}

  void submit(const Pending& pending);
  // Drives, or waits for whoever does, until `done` holds. It is asked under the lock.
  void wait_until(const std::function<bool()>& done);
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
  struct Source {
    std::string id;
    std::function<Result<std::optional<Value>>()> next;
  };

  void drive(const std::function<bool()>& done);
  void send_waiting();
  void send(const Pending& pending);
  void pump_sources();
  void answer_callbacks();
  void on_message(duplex::Message& message);
  void on_callback(duplex::FunctionCall& call);
  void settle(const std::string& id, PluginResult<Value> result);
  void on_violation(const duplex::Violation& violation);
  void recycle_if_due();
  void drop_link(bool was_violation);

  WorkerOwner& owner_;
  mutable std::mutex mutex_;
  std::condition_variable turn_;
  bool is_driven_ = false;
  std::deque<Pending> waiting_;                     // to be sent
  std::unordered_map<std::string, Pending> calls_;  // by id
  std::unordered_map<std::string, Pending> streams_;
  duplex::SessionFigures figures_;  // of the process, for others to see

  // The driver's alone.
  std::unique_ptr<PluginLink> link_;
  std::shared_ptr<CallbackInbox> inbox_ = std::make_shared<CallbackInbox>();
  std::unordered_map<std::string, ToolFunction> references_;
  std::vector<Source> sources_;
  std::uint64_t calls_made_ = 0;
  bool had_answered_ = false;
  bool input_broke_ = false;  // of a process that is gone
  Instant last_heard_{};
};

ToolFailure failure_of(const duplex::Violation& violation);

}  // namespace cordon::providers
