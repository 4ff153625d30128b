#include "cordon/providers/plugin_worker.h"

#include <algorithm>
#include <chrono>

#include "cordon/providers/pipe_signal.h"

namespace cordon::providers {
namespace {

using duplex::Message;

// A stream to the guest is read on while less than this waits to be written.
constexpr std::size_t max_unwritten_bytes = 256 * 1024;
// A process that said something just now is taken to be there, which spares a system call.
constexpr std::chrono::milliseconds time_to_ask{2};

}  // namespace

// Who moves the bytes. At most one thread drives at any time (is_driven_): it alone uses the link
// and the members below "the driver's alone". While it drives it does not hold the lock, except for
// short looks at what other threads share. A thread that waits for its call becomes the driver if
// there is none, and drives until its own call is done; then it wakes all others, and one of them
// takes over. Where no thread waits, the service thread drives for coroutines and cancelled calls.
//
// Nothing is missed. A call is put into `waiting_` under the lock. If there is a driver, it is
// woken through the inbox, whose descriptor it waits for together with the guest's. If there is
// none, the thread that waits for the call will see, under the lock, that it has to drive.
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
  if (is_driven_) inbox_->wake();
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
    inbox_->wake();
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
  if (is_driven_) inbox_->wake();
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
    if (input_broke_ || (link_ && link_->is_input_broken())) no_signal.came();
    input_broke_ = false;
    if (locked(done)) return;
    if (!link_) continue;
    answer_callbacks();
    pump_sources();
    Result<std::optional<Message>> message =
        link_->next(next_deadline(), inbox_->descriptor(),
                    sources_.empty() && !is_held_back() ? PluginLink::More::no
                                                        : PluginLink::More::when_written);
    if (!message) {
      on_violation(message.error());
    } else if (*message) {
      last_heard_ = std::chrono::steady_clock::now();
      on_message(**message);
    } else if (is_stream_late()) {
      end_process({ErrorCode::timeout, "a stream sent nothing in time"});
    }
    if (link_) {
      locked([&] { figures_ = link_->session().figures(); });
      end_if_unwanted();
    }
    if (link_) recycle_if_due();
  }
}

void PluginWorker::expect_chunk(PluginPending& pending) {
  const std::lock_guard lock(mutex_);
  if (pending.has_chunk_or_end()) return;
  pending.chunk_deadline = std::chrono::steady_clock::now() + pending.timeout;
  if (is_driven_) inbox_->wake();
}

std::optional<Instant> PluginWorker::next_deadline() {
  std::optional<Instant> earliest = inbox_->deadline();
  const std::lock_guard lock(mutex_);
  for (const auto& [id, pending] : streams_) {
    if (!pending->chunk_deadline) continue;
    earliest = std::min(earliest.value_or(*pending->chunk_deadline), *pending->chunk_deadline);
  }
  if (is_unwanted()) earliest = std::min(earliest.value_or(cancel_deadline_), cancel_deadline_);
  // Those that are sent have theirs with the session.
  for (const Pending& pending : waiting_) {
    earliest = std::min(earliest.value_or(pending->deadline), pending->deadline);
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

bool PluginWorker::is_held_back() const {
  return link_ != nullptr && link_->session().output().size() >= max_unwritten_bytes;
}

void PluginWorker::send_waiting() {
  while (true) {
    const bool is_held = is_held_back();
    const Instant now = std::chrono::steady_clock::now();
    const Pending next = locked([&]() -> Pending {
      // A call to a process that may be about to be ended waits for the outcome. A call to a
      // process that does not read waits until it does. Both wait no longer than their own time.
      const auto first =
          is_held || is_unwanted()
              ? std::ranges::find_if(waiting_, [&](const Pending& p) { return p->deadline <= now; })
              : waiting_.begin();
      if (first == waiting_.end()) return nullptr;
      Pending taken = std::move(*first);
      waiting_.erase(first);
      return taken;
    });
    if (!next) return;
    if (next->deadline <= now) {
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

void PluginWorker::send(const Pending& pending) {
  const auto refuse = [&](ErrorCode code, std::string message) {
    this->refuse(*pending, code, std::move(message));
  };
  // A process that ended while no call waited has failed no call, so this call gets a fresh one.
  const bool is_idle = locked([&] { return calls_.empty() && streams_.empty(); });
  if (link_ && is_idle && std::chrono::steady_clock::now() - last_heard_ > time_to_ask &&
      !link_->process().is_alive()) {
    drop_link(true);
  }
  if (!link_) {
    Result<std::unique_ptr<PluginLink>> link = owner_.take_link(pending->deadline);
    if (!link) return refuse(ErrorCode::unavailable, link.error().message);
    link_ = *std::move(link);
    held_ =
        std::make_shared<Budget>(Budget::Limits{.bytes = link_->session().limits().memory_bytes()});
    calls_made_ = 0;
    had_answered_ = false;
    if (const auto& callbacks = owner_.options().callbacks) {
      for (const Tool& tool : callbacks->tools()) link_->session().allow(tool.name);
    }
    // To get one took all of its time; the process would be ended for what it cannot help.
    if (std::chrono::steady_clock::now() >= pending->deadline) {
      return refuse(ErrorCode::timeout, "it was not sent in time");
    }
  }
  duplex::HostSession& session = link_->session();
  Value params = pending->params;
  const bool has_members = !pending->stream_param.empty() || !pending->options.callbacks.empty() ||
                           !pending->options.streams.empty();
  if (has_members && params.is_undefined()) params = Value::object({});
  if (has_members && !params.is_object()) {
    return refuse(ErrorCode::invalid_argument, "params have no members for a stream or a callback");
  }
  std::vector<std::string> names;
  for (const auto& [member, function] : pending->options.callbacks) {
    names.push_back("cb_" + session.new_id());
    params = params.with(member, Value(names.back()));
  }
  std::vector<Source> sources;
  for (const auto& [member, next] : pending->options.streams) {
    sources.push_back({session.new_id(), next});
    params = params.with(member, Value(sources.back().id));
  }
  std::string stream_id;
  if (!pending->stream_param.empty()) {
    stream_id = session.new_id();
    params = params.with(pending->stream_param, Value(stream_id));
  }

  const Result<std::string> id =
      session.call(pending->function, params,
                   {.answer = pending->answer, .deadline = pending->deadline, .references = names});
  if (!id) return refuse(ErrorCode::invalid_argument, id.error().message);
  ++calls_made_;
  for (std::size_t i = 0; i < names.size(); ++i) {
    references_[names[i]] = pending->options.callbacks[i].second;
  }
  if (pending->answer == duplex::Answer::expected) pending->references = std::move(names);
  for (Source& source : sources) {
    if (session.open_outgoing(source.id)) sources_.push_back(std::move(source));
  }
  if (!stream_id.empty()) (void)session.open_incoming(stream_id);
  locked([&] {
    if (pending->answer == duplex::Answer::none) {
      pending->is_answered = true;
    } else {
      calls_[*id] = pending;
      pending->is_sent = true;
      if (pending->is_cancelled) ++cancelled_;  // meanwhile
    }
    if (!stream_id.empty()) {
      pending->stream_id = stream_id;
      streams_[stream_id] = pending;
    }
  });
  if (pending->answer == duplex::Answer::none) {
    // No thread will wait for it, so as much as possible is written now.
    Result<std::optional<Message>> message = link_->next(std::chrono::steady_clock::now());
    if (!message) {
      on_violation(message.error());
    } else if (*message) {
      on_message(**message);
    }
  }
}

void PluginWorker::pump_sources() {
  duplex::HostSession& session = link_->session();
  while (!sources_.empty() && session.output().size() < max_unwritten_bytes) {
    for (std::size_t i = 0; i < sources_.size();) {
      const std::string id = sources_[i].id;
      const Result<std::optional<Value>> chunk = sources_[i].next();
      bool is_over = true;
      if (!chunk) {
        (void)session.send_error(id, chunk.error().message);
      } else if (!*chunk) {
        (void)session.send_end(id);
      } else if (const Result<> sent = session.send_chunk(id, **chunk); !sent) {
        (void)session.send_error(id, sent.error().message);
      } else {
        is_over = false;
      }
      if (is_over) {
        sources_.erase(sources_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
  }
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
  drop_link(true);
}

void PluginWorker::end_process(const Error& violation) {
  link_->kill();
  on_violation(violation);
}

void PluginWorker::end_if_unwanted() {
  const bool is_due = locked([&] {
    if (!is_unwanted() || std::chrono::steady_clock::now() < cancel_deadline_) return false;
    calls_.clear();
    cancelled_ = 0;
    return true;
  });
  // The guest has done nothing wrong: the next process need not wait.
  if (is_due) drop_link(false);
}

void PluginWorker::recycle_if_due() {
  const PluginOptions& options = owner_.options();
  const duplex::SessionFigures& figures = link_->session().figures();
  const bool is_due =
      (options.recycle_calls && calls_made_ >= *options.recycle_calls) ||
      (options.recycle_bytes && figures.bytes_in + figures.bytes_out >= *options.recycle_bytes);
  if (!is_due || !sources_.empty() || link_->session().open_callbacks() > 0) return;
  if (locked([&] { return !calls_.empty() || !streams_.empty(); })) return;
  drop_link(false);
}

void PluginWorker::drop_link(bool was_violation) {
  const duplex::SessionFigures figures = link_->session().figures();
  input_broke_ = input_broke_ || link_->is_input_broken();
  link_.reset();
  references_.clear();
  sources_.clear();
  // Answers of callbacks that are still running are for a process that is gone.
  inbox_->stop();
  locked([&] {
    figures_ = {};
    inbox_ = std::make_shared<CallbackInbox>();
  });
  owner_.on_end(was_violation, had_answered_, figures);
}

}  // namespace cordon::providers
