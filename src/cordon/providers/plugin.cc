#include "cordon/plugin.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "cordon/providers/error_lines.h"
#include "cordon/providers/guest_command.h"
#include "cordon/providers/plugin_worker.h"

namespace cordon::providers {

// The processes of one plugin. Its own lock guards the spares, the figures and the time of the next
// start; it is never held together with a worker's.
class PluginPool final : public WorkerOwner {
 public:
  PluginPool(PluginOptions options, PluginContract contract)
      : options_(std::move(options)), contract_(std::move(contract)) {
    if (options_.callbacks) callbacks_.tools = options_.callbacks->tools();
    command_ = options_.command;
    if (command_.empty()) {
      command_ = words_of({.cordon = options_.cordon,
                           .wasm = options_.wasm,
                           .memory_bytes = options_.memory_bytes,
                           .compile = options_.compile});
    }
    for (std::size_t i = 0; i < std::max<std::size_t>(options_.processes, 1); ++i) {
      workers_.push_back(std::make_unique<PluginWorker>(*this));
    }
    fill_spares();
  }

  Pending submit(PluginPending call) {
    PluginWorker* const worker =
        std::ranges::min_element(workers_, {}, [](const auto& one) { return one->load(); })->get();
    auto pending = std::make_shared<PluginPending>(std::move(call));
    pending->worker = worker;
    {
      const std::lock_guard lock(mutex_);
      ++figures_.calls;
    }
    // The worker with the fewest has this many, so all have.
    if (worker->load() >= std::max<std::size_t>(options_.calls / workers_.size(), 1)) {
      refuse(*pending, ErrorCode::overloaded, "too many calls are under way");
      return pending;
    }
    if (pending->contract != nullptr) {
      if (auto wrong = complaint(pending->contract->params, pending->request.params)) {
        refuse(*pending, ErrorCode::invalid_argument, *std::move(wrong));
        return pending;
      }
    }
    worker->submit(pending);
    return pending;
  }

  // What a call is made of, whatever it is for.
  PluginPending pending_of(std::string_view function, const Value& params,
                           const PluginCallOptions& call) const {
    PluginPending pending;
    pending.contract = contract_.function(function);
    std::chrono::milliseconds timeout = options_.timeout;
    if (pending.contract != nullptr) timeout = pending.contract->timeout.value_or(timeout);
    pending.timeout = call.timeout.value_or(timeout);
    pending.request = {.function = std::string(function),
                       .params = params,
                       .deadline = std::chrono::steady_clock::now() + pending.timeout,
                       .callbacks = call.callbacks,
                       .streams = call.streams};
    return pending;
  }

  const PluginOptions& options() const override { return options_; }
  const CallbackRules& callbacks() const override { return callbacks_; }

  Result<std::unique_ptr<PluginLink>> take_link(Instant deadline) override {
    if (std::unique_ptr<PluginLink> spare = take_spare()) {
      fill_spares();
      return spare;
    }
    Instant not_before;
    {
      const std::lock_guard lock(mutex_);
      not_before = not_before_;
    }
    if (not_before > deadline) {
      return fail(ErrorCode::unavailable, "the plugin ends as soon as it is started");
    }
    std::this_thread::sleep_until(not_before);
    Result<std::unique_ptr<PluginLink>> link = start();
    fill_spares();
    return link;
  }

  void on_end(bool was_violation, bool had_answered,
              const duplex::SessionFigures& figures) override {
    const std::lock_guard lock(mutex_);
    figures_.frames += figures.frames_in + figures.frames_out;
    figures_.bytes += figures.bytes_in + figures.bytes_out;
    if (!was_violation) {
      ++figures_.recycled;
      return;
    }
    ++figures_.restarts;
    if (had_answered) {
      delay_ = {};
      return;
    }
    delay_ = delay_.count() == 0 ? options_.first_delay : std::min(2 * delay_, options_.max_delay);
    not_before_ = std::chrono::steady_clock::now() + delay_;
  }

  PluginFigures figures() const {
    PluginFigures figures;
    {
      const std::lock_guard lock(mutex_);
      figures = figures_;
    }
    for (const auto& worker : workers_) {
      const duplex::SessionFigures now = worker->figures();
      figures.frames += now.frames_in + now.frames_out;
      figures.bytes += now.bytes_in + now.bytes_out;
    }
    return figures;
  }

  void count_failure() {
    const std::lock_guard lock(mutex_);
    ++figures_.failures;
  }

  std::string errors() const {
    const std::lock_guard lock(mutex_);
    return errors_.substr(errors_.size() - std::min(errors_.size(), options_.error_bytes));
  }

 private:
  // Before anybody else knows of it.
  static void refuse(PluginPending& pending, ErrorCode code, std::string message) {
    pending.result = fail(code, std::move(message));
    pending.is_answered = pending.is_stream_over = true;
  }

  Result<std::unique_ptr<PluginLink>> start() {
    duplex::Limits limits;
    limits.frame_bytes = options_.frame_bytes;
    std::shared_ptr<ErrorLines> lines;  // of this process
    if (options_.on_error_line) lines = std::make_shared<ErrorLines>(options_.on_error_line);
    auto link =
        PluginLink::start({.command = command_,
                           .lifeline = options_.wasm.empty() ? Lifeline::none : Lifeline::given,
                           .limits = limits,
                           .error_bytes = SIZE_MAX,
                           .on_errors = [this, lines](std::string_view text) {
                             keep(text);
                             if (lines) lines->add(text, std::chrono::steady_clock::now());
                           }});
    const std::lock_guard lock(mutex_);
    if (link) ++figures_.starts;
    return link;
  }

  // One that is still there.
  std::unique_ptr<PluginLink> take_spare() {
    const std::lock_guard lock(mutex_);
    while (!spares_.empty()) {
      std::unique_ptr<PluginLink> spare = std::move(spares_.back());
      spares_.pop_back();
      if (spare->process().is_alive()) return spare;
    }
    return nullptr;
  }

  void fill_spares() {
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        if (spares_.size() >= options_.spares) return;
      }
      Result<std::unique_ptr<PluginLink>> spare = start();
      if (!spare) return;
      const std::lock_guard lock(mutex_);
      spares_.push_back(*std::move(spare));
    }
  }

  void keep(std::string_view text) {
    const std::lock_guard lock(mutex_);
    errors_ += text;
    // Not each time: moving what is kept costs more than a short text.
    if (errors_.size() > 2 * options_.error_bytes) {
      errors_.erase(0, errors_.size() - options_.error_bytes);
    }
  }

  PluginOptions options_;
  PluginContract contract_;
  CallbackRules callbacks_{.contract = &contract_, .timeout = options_.callback_timeout};
  std::vector<std::string> command_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<PluginLink>> spares_;
  PluginFigures figures_;
  std::chrono::milliseconds delay_{};
  Instant not_before_{};
  std::string errors_;
  std::vector<std::unique_ptr<PluginWorker>> workers_;  // they use all of the above
};

}  // namespace cordon::providers

namespace cordon {

using providers::PluginPending;

PluginCall::PluginCall(std::shared_ptr<providers::PluginPool> pool,
                       std::shared_ptr<PluginPending> pending)
    : pool_(std::move(pool)), pending_(std::move(pending)) {}

Result<Value> PluginCall::get() {
  PluginPending& pending = *pending_;
  pending.worker->wait_until([&] { return pending.is_answered; });
  if (!pending.result && !pending.result.error().is(ErrorCode::tool_error) &&
      !pending.is_cancelled) {
    pool_->count_failure();
  }
  return pending.result;
}

void PluginCall::cancel() { pending_->worker->cancel(*pending_); }

bool PluginCall::resume_later(std::move_only_function<void()>& resume) {
  PluginPending& pending = *pending_;
  return pending.worker->resume_when(pending, [&] { return pending.is_answered; }, resume);
}

void PluginCall::then(std::move_only_function<void(Result<Value>)> done) {
  std::move_only_function<void()> tell = [call = *this, done = std::move(done)]() mutable {
    done(call.get());
  };
  if (!resume_later(tell)) tell();
}

Result<std::optional<Value>> PluginStream::next() {
  PluginPending& pending = *call_.pending_;
  pending.worker->expect_chunk(pending);
  pending.worker->wait_until([&] { return pending.has_chunk_or_end(); });
  return pending.worker->locked([&]() -> Result<std::optional<Value>> {
    if (!pending.chunks.empty()) {
      Value chunk = std::move(pending.chunks.front().value);
      pending.unread_bytes -= pending.chunks.front().bytes;
      pending.chunks.pop_front();
      return chunk;
    }
    if (pending.stream_failure) return std::unexpected(*pending.stream_failure);
    if (pending.stream_id.empty()) return std::unexpected(pending.result.error());
    return std::nullopt;
  });
}

bool PluginStream::resume_later(std::move_only_function<void()>& resume) {
  PluginPending& pending = *call_.pending_;
  pending.worker->expect_chunk(pending);
  return pending.worker->resume_when(pending, [&] { return pending.has_chunk_or_end(); }, resume);
}

Result<Value> PluginStream::result() { return call_.get(); }

Plugin::Plugin(std::shared_ptr<providers::PluginPool> pool) : pool_(std::move(pool)) {}
Plugin::~Plugin() = default;
Plugin::Plugin(Plugin&&) noexcept = default;
Plugin& Plugin::operator=(Plugin&&) noexcept = default;

Result<Plugin> Plugin::create(PluginOptions options) {
  if (options.wasm.empty() == options.command.empty()) {
    return fail(ErrorCode::invalid_argument, "a plugin is a module or a command");
  }
  providers::PluginContract contract = CORDON_TRY(providers::PluginContract::create(options));
  return Plugin(std::make_shared<providers::PluginPool>(std::move(options), std::move(contract)));
}

Result<Value> Plugin::call(std::string_view function, const Value& params,
                           const PluginCallOptions& options) {
  return start(function, params, options).get();
}

PluginCall Plugin::start(std::string_view function, const Value& params,
                         const PluginCallOptions& options) {
  return PluginCall(pool_, pool_->submit(pool_->pending_of(function, params, options)));
}

PluginStream Plugin::stream(std::string_view function, const Value& params, std::string_view param,
                            const PluginCallOptions& options) {
  PluginPending call = pool_->pending_of(function, params, options);
  call.request.stream_param = param;
  call.is_stream_over = false;
  return PluginStream(PluginCall(pool_, pool_->submit(std::move(call))));
}

Result<> Plugin::notify(std::string_view function, const Value& params) {
  PluginPending call = pool_->pending_of(function, params, {});
  call.request.answer = duplex::Answer::none;
  const Result<Value> sent = PluginCall(pool_, pool_->submit(std::move(call))).get();
  if (!sent) return std::unexpected(sent.error());
  return {};
}

PluginFigures Plugin::figures() const { return pool_->figures(); }
std::string Plugin::errors() const { return pool_->errors(); }

}  // namespace cordon
