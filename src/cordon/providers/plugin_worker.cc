#include "cordon/providers/plugin_worker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cordon/providers/pipe_signal.h"

namespace cordon::providers {

// Who moves the bytes. At most one thread drives at any time (is_driven_): it alone uses the
// conversation with the process. While it drives it does not hold the lock, except for short looks
// at what other threads share. A thread that waits for its call becomes the driver if there is
// none, and drives until its own call is done; then it wakes all others, and one of them takes
// over. Where no thread waits, the service thread drives for coroutines and cancelled calls.
//
// Nothing is missed. A call is put into `waiting_` under the lock. If there is a driver,
// Conversation::wake() ends its wait. If there is none, the thread that waits for the call will
// see, under the lock, that it has to drive.
//
// No function of a caller runs under the lock. Coroutines are put into `ready_` and resumed by the
// service thread, without the lock and while it does not drive. So they may call the plugin again,
// and may even destroy this object; `is_gone_` tells the service thread so.
//
// A cancelled call is answered at once but stays in `calls_` if it was sent, since the guest's
// answer still has to be matched. `cancelled_` counts these. When only such calls are left, the
// guest works for no caller any more, and is ended at cancel_deadline_.
void PluginWorker::submit(const Pending& pending) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(pending);
  // A driver that sleeps has to see it. Without a driver, the thread that waits for it will.
  wake_driver();
}

void PluginWorker::wait_until(const std::function<bool()>& done) {
  std::unique_lock lock(mutex_);
  while (!done()) {
    if (is_driven_) {
      turn_.wait(lock);
      continue;
    }
    drive_locked(lock, done);
  }
}

void PluginWorker::drive_locked(std::unique_lock<std::mutex>& lock,
                                const std::function<bool()>& done) {
  is_driven_ = true;
  lock.unlock();
  drive(done);
  lock.lock();
  is_driven_ = false;
  // Another thread takes over driving, and threads whose answers came return.
  turn_.notify_all();
}

PluginWorker::~PluginWorker() {
  if (!service_thread_.joinable()) return;
  if (service_thread_.get_id() == std::this_thread::get_id()) {
    *is_gone_ = true;
    service_thread_.detach();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    wake_driver();
    turn_.notify_all();
  }
  service_thread_.join();
}

bool PluginWorker::resume_when(PluginPending& pending, const std::function<bool()>& done,
                               std::move_only_function<void()>& resume) {
  const std::lock_guard lock(mutex_);
  if (done()) return false;
  pending.resume = std::move(resume);
  ++awaiting_;
  wake_service_thread();
  return true;
}

void PluginWorker::wake_service_thread() {
  if (!service_thread_.joinable()) service_thread_ = std::thread([this] { attend(); });
  turn_.notify_all();
}

void PluginWorker::cancel(PluginPending& pending) {
  const std::lock_guard lock(mutex_);
  if (pending.is_answered) return;
  pending.result = fail(ErrorCode::cancelled, "nobody waits for it any more");
  pending.is_answered = pending.is_cancelled = true;
  awake(pending);
  std::erase_if(waiting_, [&](const Pending& other) { return other.get() == &pending; });
  cancel_deadline_ = std::chrono::steady_clock::now() + owner_.options().cancel_grace;
  if (pending.is_sent) ++cancelled_;
  wake_driver();
  wake_service_thread();
}

void PluginWorker::attend() {
  // Only this thread resumes these functions, and never while it drives. So they may call the
  // plugin again and wait for it.
  const std::shared_ptr<bool> is_gone = is_gone_;
  std::unique_lock lock(mutex_);
  while (true) {
    turn_.wait(lock, [&] {
      return is_over_ || !ready_.empty() || (needs_service_thread() && !is_driven_);
    });
    if (is_over_) return;
    if (ready_.empty()) {
      drive_locked(lock, [&] { return is_over_ || !ready_.empty() || !needs_service_thread(); });
      continue;
    }
    std::vector<std::move_only_function<void()>> ready = std::exchange(ready_, {});
    lock.unlock();
    for (std::move_only_function<void()>& resume : ready) {
      resume();
      resume = nullptr;  // with what it kept alive
    }
    if (*is_gone) return;
    lock.lock();
  }
}

void PluginWorker::awake(PluginPending& pending) {
  if (!pending.resume) return;
  ready_.push_back(std::exchange(pending.resume, nullptr));
  --awaiting_;
}

void PluginWorker::drive(const std::function<bool()>& done) {
  NoPipeSignal no_signal;
  while (true) {
    send_waiting();
    if (input_broke_ || (conversation_ && conversation_->is_input_broken())) no_signal.came();
    input_broke_ = false;
    if (locked(done)) return;
    if (!conversation_) continue;
    hear(next_deadline());
    if (conversation_) {
      locked([&] { figures_ = conversation_->figures(); });
      end_if_unwanted();
    }
    if (conversation_) recycle_if_due();
  }
}

void PluginWorker::hear(std::optional<Instant> until) {
  Result<std::optional<GuestEvent>> event = conversation_->next(until);
  if (!event) {
    on_violation(event.error());
  } else if (*event) {
    std::visit([this](auto& one) { on_event(one); }, **event);
  } else if (is_stream_late()) {
    conversation_->kill();
    on_violation({ErrorCode::timeout, "a stream sent nothing in time"});
  }
}

void PluginWorker::expect_chunk(PluginPending& pending) {
  const std::lock_guard lock(mutex_);
  if (pending.has_chunk_or_end()) return;
  pending.chunk_deadline = std::chrono::steady_clock::now() + pending.timeout;
  wake_driver();
}

std::optional<Instant> PluginWorker::next_deadline() {
  const std::lock_guard lock(mutex_);
  std::optional<Instant> earliest;
  for (const auto& [id, pending] : streams_) {
    if (!pending->chunk_deadline) continue;
    earliest = std::min(earliest.value_or(*pending->chunk_deadline), *pending->chunk_deadline);
  }
  if (is_unwanted()) earliest = std::min(earliest.value_or(cancel_deadline_), cancel_deadline_);
  // Those that are sent have theirs with the session.
  for (const Pending& pending : waiting_) {
    const Instant deadline = pending->request.deadline;
    earliest = std::min(earliest.value_or(deadline), deadline);
  }
  return earliest;
}

bool PluginWorker::is_stream_late() {
  const std::lock_guard lock(mutex_);
  if (streams_.empty()) return false;
  const Instant now = std::chrono::steady_clock::now();
  return std::ranges::any_of(streams_, [&](const auto& stream) {
    return stream.second->chunk_deadline && *stream.second->chunk_deadline <= now;
  });
}

void PluginWorker::send_waiting() {
  while (true) {
    const bool is_held = conversation_ && conversation_->is_held_back();
    const Instant now = std::chrono::steady_clock::now();
    const Pending next = locked([&]() -> Pending {
      // A call to a process that may be about to be ended waits for the outcome. A call to a
      // process that does not read waits until it does. Both wait no longer than their own time.
      const auto first =
          is_held || is_unwanted()
              ? std::ranges::find_if(waiting_,
                                     [&](const Pending& p) { return p->request.deadline <= now; })
              : waiting_.begin();
      if (first == waiting_.end()) return nullptr;
      Pending taken = std::move(*first);
      waiting_.erase(first);
      return taken;
    });
    if (!next) return;
    if (next->request.deadline <= now) {
      refuse(*next, ErrorCode::timeout, "it was not sent in time");
    } else {
      send(next);
    }
  }
}

void PluginWorker::refuse(PluginPending& pending, ErrorCode code, std::string message) {
  const std::lock_guard lock(mutex_);
  if (pending.is_cancelled) return;
  pending.result = fail(code, std::move(message));
  pending.is_answered = pending.is_stream_over = true;
  awake(pending);
  turn_.notify_all();
}

Result<> PluginWorker::have_process(Instant deadline) {
  // A process that ended while no call waited has failed no call, so this call gets a fresh one.
  const bool is_idle = locked([&] { return calls_.empty() && streams_.empty(); });
  if (conversation_ && is_idle && conversation_->has_ended_quietly()) drop_process(true);
  if (conversation_) return {};
  Result<std::unique_ptr<PluginLink>> link = owner_.take_link(deadline);
  if (!link) return fail(ErrorCode::unavailable, link.error().message);
  auto conversation = std::make_unique<Conversation>(*std::move(link), owner_.callbacks());
  locked([&] { conversation_ = std::move(conversation); });
  // To get one took all of its time; the process would be ended for what it cannot help.
  if (std::chrono::steady_clock::now() < deadline) return {};
  return fail(ErrorCode::timeout, "it was not sent in time");
}

void PluginWorker::send(const Pending& pending) {
  if (const Result<> there = have_process(pending->request.deadline); !there) {
    return refuse(*pending, there.error().code, there.error().message);
  }
  const Result<SentCall> sent = conversation_->send(pending->request);
  if (!sent) return refuse(*pending, ErrorCode::invalid_argument, sent.error().message);
  const bool is_notice = pending->request.answer == duplex::Answer::none;
  locked([&] {
    if (is_notice) {
      pending->is_answered = true;
    } else {
      calls_[sent->id] = pending;
      pending->is_sent = true;
      if (pending->is_cancelled) ++cancelled_;  // meanwhile
    }
    if (!sent->stream.empty()) {
      pending->stream_id = sent->stream;
      streams_[sent->stream] = pending;
    }
  });
  // No thread will wait for it, so as much as possible is written now.
  if (is_notice) hear(std::chrono::steady_clock::now());
}

void PluginWorker::on_violation(const Error& violation) {
  locked([&] {
    for (auto& [id, pending] : streams_) {
      if (!pending->is_stream_over) pending->stream_failure = violation;
      pending->is_stream_over = true;
      awake(*pending);
    }
    for (auto& [id, pending] : calls_) {
      if (pending->is_cancelled) continue;
      pending->result = fail(violation);
      pending->is_answered = true;
      awake(*pending);
    }
    calls_.clear();
    cancelled_ = 0;
    streams_.clear();
    turn_.notify_all();
  });
  drop_process(true);
}

void PluginWorker::end_if_unwanted() {
  const bool is_due = locked([&] {
    if (!is_unwanted() || std::chrono::steady_clock::now() < cancel_deadline_) return false;
    calls_.clear();
    cancelled_ = 0;
    return true;
  });
  // The guest has done nothing wrong: the next process need not wait.
  if (is_due) drop_process(false);
}

void PluginWorker::recycle_if_due() {
  const PluginOptions& options = owner_.options();
  const duplex::SessionFigures& figures = conversation_->figures();
  const bool is_due =
      (options.recycle_calls && conversation_->calls_made() >= *options.recycle_calls) ||
      (options.recycle_bytes && figures.bytes_in + figures.bytes_out >= *options.recycle_bytes);
  if (!is_due || conversation_->is_busy()) return;
  if (locked([&] { return !calls_.empty() || !streams_.empty(); })) return;
  drop_process(false);
}

void PluginWorker::drop_process(bool was_violation) {
  input_broke_ = input_broke_ || conversation_->is_input_broken();
  const duplex::SessionFigures figures = conversation_->figures();
  const bool had_answered = conversation_->has_answered();
  // Answers of callbacks that are still running are for a process that is gone. Its end may take a
  // while, so it is not under the lock.
  const std::unique_ptr<Conversation> ended = locked([&] {
    figures_ = {};
    return std::exchange(conversation_, nullptr);
  });
  owner_.on_end(was_violation, had_answered, figures);
}

}  // namespace cordon::providers
