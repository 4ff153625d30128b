#include "cordon/runners/runner_host.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include "cordon/host/failure.h"
#include "cordon/runners/child_link.h"
#include "cordon/runners/socket.h"

namespace cordon::runners {
namespace {

// They read programs, look names up, and start processes.
constexpr std::size_t least_threads = 4;

Confinement confinement_of(const ExecutorOptions& options) {
  return options.jail ? Confinement::jail : Confinement::none;
}

SocketTarget* socket_of(Target& target) {
  if (auto* const socket = std::get_if<SocketTarget>(&target)) return socket;
  auto* const websocket = std::get_if<WebSocketTarget>(&target);
  return websocket == nullptr ? nullptr : &websocket->socket;
}

bool starts_with_lookup(Target target) {
  const SocketTarget* const socket = socket_of(target);
  return socket != nullptr && needs_lookup(*socket);
}

}  // namespace

// A job on its way through another thread. Its execution ends with it, if nobody takes the job.
class RunnerHost::Preparation {
 public:
  explicit Preparation(Job job) : job_(std::move(job)) {}
  Preparation(Preparation&&) noexcept = default;
  Preparation& operator=(Preparation&&) = delete;
  ~Preparation() {
    if (job_ != nullptr) job_->fail(host::cancelled());
  }
  Job take() { return std::exchange(job_, nullptr); }

 private:
  Job job_;
};

Result<std::unique_ptr<RunnerHost>> RunnerHost::create(ExecutorOptions options) {
  Target target = CORDON_TRY(parse_target(options.runner));
  EngineOptions reading;
  reading.workers = 0;
  reading.slots = std::min<std::size_t>(options.max_executions, 64);
  Engine reader = CORDON_TRY(Engine::create(reading));
  std::unique_ptr<RunnerHost> host(
      new RunnerHost(std::move(options), std::move(target), std::move(reader)));
  const ExecutorOptions& kept = host->options_;
  for (std::size_t i = 0; i < kept.threads; ++i)
    host->loops_.push_back(CORDON_TRY(RemoteLoop::create()));
  if (const auto* child = std::get_if<ChildTarget>(&host->target_)) {
    // What cannot be started is told now.
    CORDON_TRY(Child::start(child->words, environment_of_runners(), confinement_of(kept)));
    host->pool_ = std::make_unique<ProcessPool>(child->words, confinement_of(kept), kept.spares);
  }
  return host;
}

RunnerHost::RunnerHost(ExecutorOptions options, Target target, Engine reader)
    : options_(std::move(options)),
      target_(std::move(target)),
      needs_lookup_(starts_with_lookup(target_)),
      reader_(std::move(reader)),
      turns_(std::make_shared<Turns<RunnerJob>>(options_.max_executions, options_.max_waiting)),
      threads_(std::make_unique<tools::BlockingThreads>(std::max(least_threads, processors()))) {}

RunnerHost::~RunnerHost() {
  for (const Job& job : turns_->waiting_ones()) job->cancel();
  threads_.reset();
  loops_.clear();
}

Execution RunnerHost::execute(std::string_view code, ExecuteOptions options) {
  auto job = std::make_shared<RunnerJob>(std::string(code), std::move(options), turns_, timer_);
  switch (turns_->take(job)) {
    case Turn::now:
      if (!begin(job)) pass_place_on();
      break;
    case Turn::later:
      job->watch_time();
      break;
    case Turn::refused:
      job->fail(Error{ErrorCode::overloaded, std::to_string(options_.max_executions) +
                                                 " executions run and " +
                                                 std::to_string(options_.max_waiting) + " wait"});
      break;
  }
  return Execution(std::move(job));
}

// A program that was read before, and a runner that is at hand, cost this thread microseconds.
bool RunnerHost::begin(const Job& job) {
  if (job->is_ended()) return false;
  if (is_read({job->code, job->options.name}, programs_)) {
    if (std::unique_ptr<Link> link = open_at_once()) return run(job, std::move(link));
  }
  job->watch_time();
  threads_->run([this, preparation = Preparation(job)]() mutable {
    const Job taken = preparation.take();
    if (!run(taken, nullptr)) pass_place_on();
  });
  return true;
}

bool RunnerHost::run(const Job& job, Result<std::unique_ptr<Link>> link) {
  auto remote = remote_options(*job);
  if (!remote) job->fail(std::move(remote).error());
  if (job->is_ended()) return false;
  const auto started = [&]() -> Result<std::shared_ptr<RemoteLoop::Driven>> {
    if (link && *link == nullptr) link = open();
    std::unique_ptr<Link> opened = CORDON_TRY(std::move(link));
    RemoteLoop& loop = *loops_[next_loop_++ % loops_.size()];
    return loop.start(*std::move(remote), std::move(opened),
                      [this, job](RemoteExecution& execution) { finish(job, execution); });
  }();
  if (started) {
    job->drive(*started);
    return true;
  }
  // A process that started before and does not any more.
  Error error = started.error();
  if (error.is(ErrorCode::unavailable)) error.code = ErrorCode::runner_error;
  job->fail(std::move(error));
  return false;
}

void RunnerHost::finish(const Job& job, RemoteExecution& execution) {
  if (pool_ != nullptr) pool_->destroy_later(execution.take_link());
  pass_place_on();
  job->end(execution.take_report());
}

// A loop: thousands that fail at once take no stack.
void RunnerHost::pass_place_on() {
  while (const Job next = turns_->pass_on())
    if (begin(next)) return;
}

std::expected<RemoteOptions, ExecutionError> RunnerHost::remote_options(RunnerJob& job) {
  ExecuteOptions& execute = job.options;
  auto program =
      text_for_runner({job.code, execute.name, std::move(execute.input)}, reader_, &programs_);
  if (!program) return std::unexpected(std::move(program).error());
  RemoteOptions remote;
  remote.execute.code = std::move(program->code);
  remote.places = std::move(program->places);
  job.code = {};
  remote.execute.id = "exec-1";  // one execution a connection
  for (const Provider& provider : execute.providers)
    remote.execute.providers.push_back(manifests_.of(provider));
  remote.providers = std::move(execute.providers);
  remote.limits = execute.limits;
  remote.origin = std::move(execute.origin);
  remote.on_log = std::move(execute.on_log);
  remote.accepted = job.accepted;
  return remote;
}

LinkOptions RunnerHost::link_options() const {
  return {.token = options_.token, .on_errors = options_.on_errors};
}

std::unique_ptr<Link> RunnerHost::open_at_once() {
  if (needs_lookup_) return nullptr;
  if (pool_ == nullptr) return open_link(target_, link_options()).value_or(nullptr);
  std::optional<Child> spare = pool_->take_spare();
  if (!spare) return nullptr;
  return std::make_unique<ChildLink>(*std::move(spare), link_options());
}

Result<std::unique_ptr<Link>> RunnerHost::open() {
  if (pool_ == nullptr) return connect();
  if (std::optional<Child> spare = pool_->take_spare())
    return std::make_unique<ChildLink>(*std::move(spare), link_options());
  Child child = CORDON_TRY(pool_->start());
  return std::make_unique<ChildLink>(std::move(child), link_options());
}

// A lookup for each execution, so that changes count, and in one of the few threads that prepare.
Result<std::unique_ptr<Link>> RunnerHost::connect() {
  Target target = target_;
  if (needs_lookup_) CORDON_TRY(look_up(*socket_of(target)));
  return open_link(target, link_options());
}

Executor::Figures RunnerHost::figures() const {
  return {.running = turns_->running(),
          .waiting = turns_->waiting(),
          .spares = pool_ == nullptr ? 0 : pool_->spares(),
          .started = pool_ == nullptr ? 0 : pool_->started()};
}

}  // namespace cordon::runners
