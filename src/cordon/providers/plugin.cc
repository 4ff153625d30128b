#include "cordon/plugin.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "cordon/providers/plugin_worker.h"

namespace cordon::providers {

// The processes of one plugin. Its own lock guards the spares, the figures and the time of the next
// start; it is never held together with a worker's.
class PluginPool final : public WorkerOwner {
 public:
  explicit PluginPool(PluginOptions options) : options_(std::move(options)) {
    command_ = options_.command;
    if (command_.empty()) {
      command_ = {options_.cordon, "guest"};
      if (options_.memory_bytes) {
        command_.push_back("--memory=" + std::to_string(*options_.memory_bytes));
      }
      command_.emplace_back("--");
      command_.push_back(options_.wasm);
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
    worker->submit(pending);
    return pending;
  }

  Instant deadline_of(const PluginCallOptions& call) const {
    return std::chrono::steady_clock::now() + call.timeout.value_or(options_.timeout);
  }

  const PluginOptions& options() const override { return options_; }

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
      return fail(Errc::unavailable, "the plugin ends as soon as it is started");
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
    delay_ =
        delay_.count() == 0 ? options_.first_delay : std::min(2 * delay_, options_.longest_delay);
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
    return errors_;
  }

 private:
  Result<std::unique_ptr<PluginLink>> start() {
    duplex::Limits limits;
    limits.frame_bytes = options_.frame_bytes;
    auto link = PluginLink::start({.command = command_,
                                   .limits = limits,
                                   .error_bytes = SIZE_MAX,
                                   .on_errors = [this](std::string_view text) { keep(text); }});
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
    if (errors_.size() > options_.error_bytes) {
      errors_.erase(0, errors_.size() - options_.error_bytes);
    }
  }

  PluginOptions options_;
  std::vector<std::string> command_;
  std::vector<std::unique_ptr<PluginWorker>> workers_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<PluginLink>> spares_;
  PluginFigures figures_;
  std::chrono::milliseconds delay_{};
  Instant not_before_{};
  std::string errors_;
};

}  // namespace cordon::providers

namespace cordon {

using providers::PluginPending;

PluginCall::PluginCall(std::shared_ptr<providers::PluginPool> pool,
                       std::shared_ptr<PluginPending> pending)
    : pool_(std::move(pool)), pending_(std::move(pending)) {}

PluginResult<Value> PluginCall::get() {
  PluginPending& pending = *pending_;
  pending.worker->wait_until([&] { return pending.is_answered; });
  return pending.result;
}

PluginResult<std::optional<Value>> PluginStream::next() {
  PluginPending& pending = *call_.pending_;
  pending.worker->wait_until([&] { return !pending.chunks.empty() || pending.is_stream_over; });
  return pending.worker->locked([&]() -> PluginResult<std::optional<Value>> {
    if (!pending.chunks.empty()) {
      Value chunk = std::move(pending.chunks.front());
      pending.chunks.pop_front();
      return chunk;
    }
    if (pending.stream_failure) return std::unexpected(*pending.stream_failure);
    if (pending.stream_id.empty()) return std::unexpected(pending.result.error());
    return std::nullopt;
  });
}

PluginResult<Value> PluginStream::result() { return call_.get(); }

Plugin::Plugin(std::shared_ptr<providers::PluginPool> pool) : pool_(std::move(pool)) {}
Plugin::~Plugin() = default;
Plugin::Plugin(Plugin&&) noexcept = default;
Plugin& Plugin::operator=(Plugin&&) noexcept = default;

Result<Plugin> Plugin::create(PluginOptions options) {
  if (options.wasm.empty() == options.command.empty()) {
    return fail(Errc::invalid_argument, "a plugin is a module or a command");
  }
  return Plugin(std::make_shared<providers::PluginPool>(std::move(options)));
}

PluginResult<Value> Plugin::call(std::string_view function, const Value& params,
                                 const PluginCallOptions& options) {
  PluginResult<Value> result = start(function, params, options).get();
  if (!result && result.error().code != "function_error") pool_->count_failure();
  return result;
}

PluginCall Plugin::start(std::string_view function, const Value& params,
                         const PluginCallOptions& options) {
  PluginPending call;
  call.function = function;
  call.params = params;
  call.deadline = pool_->deadline_of(options);
  call.options = options;
  return PluginCall(pool_, pool_->submit(std::move(call)));
}

PluginStream Plugin::stream(std::string_view function, const Value& params, std::string_view param,
                            const PluginCallOptions& options) {
  PluginPending call;
  call.function = function;
  call.params = params;
  call.deadline = pool_->deadline_of(options);
  call.options = options;
  call.stream_param = param;
  call.is_stream_over = false;
  return PluginStream(PluginCall(pool_, pool_->submit(std::move(call))));
}

PluginResult<void> Plugin::notify(std::string_view function, const Value& params) {
  PluginPending call;
  call.function = function;
  call.params = params;
  call.answer = duplex::Answer::none;
  call.deadline = pool_->deadline_of({});
  const PluginResult<Value> sent = PluginCall(pool_, pool_->submit(std::move(call))).get();
  if (!sent) return std::unexpected(sent.error());
  return {};
}

PluginFigures Plugin::figures() const { return pool_->figures(); }
std::string Plugin::errors() const { return pool_->errors(); }

}  // namespace cordon
