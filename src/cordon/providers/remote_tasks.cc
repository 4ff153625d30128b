#include "cordon/providers/remote_tasks.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "cordon/providers/id_pattern.h"
#include "cordon/tools/reply_access.h"
#include "cordon/tools/safe_name.h"

namespace cordon::providers {
namespace {

// A tunnel that was silent is asked again by the next call, but not by each of ten thousand.
constexpr std::chrono::milliseconds min_pause{100};
// One that answers calls with 403 or 404 is asked anew.
constexpr std::chrono::milliseconds min_age{1'000};

std::string quoted(const std::string& name) { return "the tunnel \"" + name + "\""; }

// Our own words for what a server did not say.
const char* words_for(RemoteFault fault) {
  switch (fault) {
    case RemoteFault::answered:
      return " refused the call";
    case RemoteFault::not_exposed:
      return " does not expose this task";
    case RemoteFault::unreachable:
      return " cannot be reached";
    case RemoteFault::timeout:
      return " did not answer in time";
    case RemoteFault::tls:
      return " cannot be reached: there is no TLS handshake, or its certificate is not trusted";
    case RemoteFault::no_answer:
      return " gave no answer: it hung up, or does not speak HTTP";
    case RemoteFault::bad_response:
      return " gave an answer that is not a tunnel's";
    case RemoteFault::truncated:
      return " broke off its answer";
    case RemoteFault::too_large:
      return " gave an answer that is too large";
    case RemoteFault::redirect:
      return " redirects calls, and redirects are not followed";
    case RemoteFault::cancelled:
      return " was not waited for";
    case RemoteFault::refused:
      return " was not called";
  }
  std::unreachable();
}

}  // namespace

Error failure_of(RemoteFailure failure, const std::string& tunnel) {
  const RemoteFault fault = failure.fault;
  const bool is_said = fault == RemoteFault::answered || fault == RemoteFault::not_exposed;
  Error error{ErrorCode::tool_error, quoted(tunnel) + words_for(fault)};
  if (is_said && !failure.message.empty()) error.message = std::move(failure.message);
  if (fault == RemoteFault::refused && !failure.message.empty())
    error.message += ": " + failure.message;
  if (is_said && failure.id) {
    error.typed =
        std::make_shared<const FailureType>(*std::move(failure.id), std::move(failure.data));
  }
  return error;
}

// One call that waits for its place or for its answer.
class RemoteTaskCall : public std::enable_shared_from_this<RemoteTaskCall> {
 public:
  RemoteTaskCall(std::shared_ptr<RemoteTasks> tasks, RemoteCall call,
                 std::shared_ptr<ExecutionAccount> account, Reply reply)
      : tasks_(std::move(tasks)),
        account_(std::move(account)),
        outer_stop_(reply.stop_token()),
        reply_(std::move(reply)),
        call_(std::move(call)) {}

  void start() {
    // Not before, because the callback needs the shared pointer. It runs at once if the execution
    // has ended.
    at_end_ =
        std::make_unique<std::stop_callback<EndEarly>>(outer_stop_, EndEarly{weak_from_this()});
    const auto& timer = tasks_->options_.timer;
    if (timer != nullptr) {
      const auto late = std::chrono::steady_clock::now() + tasks_->options_.timeout;
      const auto key = timer->call_at(late, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->end_late();
      });
      const MutexLock lock(mutex_);
      timer_key_ = key;
    }
    if (is_over_.load()) return drop_timer();
    tasks_->places_->ask(account_.get(), [self = shared_from_this()](FairPlaces::Place place) {
      self->send(std::move(place));
    });
  }

 private:
  struct EndEarly {
    std::weak_ptr<RemoteTaskCall> call;
    void operator()() const {
      if (const auto self = call.lock())
        self->end_early({ErrorCode::cancelled, "the execution ended"});
    }
  };

  void send(FairPlaces::Place place) {
    std::optional<RemoteCall> call = take_call();
    if (!call || is_over_.load()) return;
    call->stop = stop_.get_token();
    call->spend = [self = shared_from_this()](std::size_t bytes) { return self->spend(bytes); };
    tasks_->tunnel_->call(*std::move(call),
                          [self = shared_from_this(), place = std::move(place)](
                              std::expected<Value, RemoteFailure> answer) mutable {
                            self->take(std::move(answer));
                            place.free();
                          });
  }

  // The first time. A call that ends while it waits drops its input at once.
  std::optional<RemoteCall> take_call() {
    const MutexLock lock(mutex_);
    return std::exchange(call_, std::nullopt);
  }

  // While the request runs, so that what the last piece was refused for is known when it ends.
  bool spend(std::size_t bytes) {
    const ExecutionAccount::Spent spent = account_->spend_bytes(bytes);
    if (spent == ExecutionAccount::Spent::yes) {
      held_.fetch_add(bytes);
    } else {
      refused_bytes_.store(spent);
    }
    return spent == ExecutionAccount::Spent::yes;
  }

  void take(std::expected<Value, RemoteFailure> answer) {
    account_->release(held_.exchange(0));
    if (!answer) tasks_->note(answer.error().fault);
    if (is_over_.exchange(true)) return;
    if (answer) return end(*std::move(answer));
    if (refused_bytes_.load() != ExecutionAccount::Spent::yes) return end(fail(refused_error()));
    end(fail(failure_of(std::move(answer).error(), tasks_->name())));
  }

  Error refused_error() const {
    if (refused_bytes_.load() == ExecutionAccount::Spent::past_held_bytes)
      return {ErrorCode::tool_error, "too much data in pending calls of tunnels"};
    return {ErrorCode::tool_error, tasks_->past_bytes()};
  }

  void end_late() {
    end_early({ErrorCode::tool_error, quoted(tasks_->name()) + " did not answer within " +
                                          std::to_string(tasks_->options_.timeout.count()) +
                                          " ms"});
  }

  void end_early(Error error) {
    if (is_over_.exchange(true)) return;
    const auto dropped = take_call();
    end(fail(std::move(error)));
    stop_.request_stop();
  }

  void end(Result<Value> result) {
    drop_timer();
    reply_(std::move(result));
  }

  void drop_timer() {
    std::optional<tools::CallTimer::Key> key;
    {
      const MutexLock lock(mutex_);
      key = std::exchange(timer_key_, std::nullopt);
    }
    if (key) tasks_->options_.timer->drop(*key);
  }

  const std::shared_ptr<RemoteTasks> tasks_;
  const std::shared_ptr<ExecutionAccount> account_;
  const std::stop_token outer_stop_;
  Reply reply_;
  std::stop_source stop_;
  std::atomic<bool> is_over_ = false;
  std::atomic<std::uint64_t> held_ = 0;
  std::atomic<ExecutionAccount::Spent> refused_bytes_ = ExecutionAccount::Spent::yes;
  Mutex mutex_;
  std::optional<RemoteCall> call_ CORDON_GUARDED_BY(mutex_);
  std::optional<tools::CallTimer::Key> timer_key_ CORDON_GUARDED_BY(mutex_);
  std::unique_ptr<std::stop_callback<EndEarly>> at_end_;
};

std::shared_ptr<RemoteTasks> RemoteTasks::create(std::unique_ptr<RemoteTunnel> tunnel,
                                                 RemoteTasksOptions options) {
  return std::shared_ptr<RemoteTasks>(new RemoteTasks(std::move(tunnel), std::move(options)));
}

RemoteTasks::RemoteTasks(std::unique_ptr<RemoteTunnel> tunnel, RemoteTasksOptions options)
    : options_(std::move(options)),
      tunnel_(std::move(tunnel)),
      accounts_(std::make_shared<ExecutionAccounts>(options_.limits)),
      places_(std::make_shared<FairPlaces>(options_.max_running)),
      names_(options_.allow) {}

void RemoteTasks::discover_for_call(std::move_only_function<void()> done) {
  bool is_fresh = false;
  {
    const MutexLock lock(mutex_);
    const bool is_recent = asked_ && std::chrono::steady_clock::now() < *asked_ + min_pause;
    is_fresh = !is_asking_ && is_asked_by_call_ && is_recent;
    is_asked_by_call_ = true;
  }
  if (is_fresh) return done();
  discover(std::move(done));
}

void RemoteTasks::discover(std::move_only_function<void()> done) {
  {
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(done));
    if (std::exchange(is_asking_, true)) return;
  }
  tunnel_->discover(
      [self = shared_from_this()](std::expected<RemoteListing, RemoteFailure> listing) {
        self->take_listing(std::move(listing));
      });
}

void RemoteTasks::take_listing(std::expected<RemoteListing, RemoteFailure> listing) {
  std::vector<std::move_only_function<void()>> waiting;
  {
    const MutexLock lock(mutex_);
    is_asking_ = false;
    asked_ = std::chrono::steady_clock::now();
    // Runner 6 may switch discovery off.
    if (!listing && listing.error().fault == RemoteFault::not_exposed) listing = RemoteListing{};
    if (listing) {
      silence_.reset();
      listed_.reset();
      names_.add(listing->tasks);
      if (listing->is_enabled) listed_.emplace(listing->tasks.begin(), listing->tasks.end());
    } else {
      silence_ = std::move(listing).error();
    }
    waiting.swap(waiting_);
  }
  for (auto& one : waiting) one();
}

std::optional<RemoteFailure> RemoteTasks::silence() const {
  const MutexLock lock(mutex_);
  if (asked_) return silence_;
  return RemoteFailure{.fault = RemoteFault::timeout};
}

bool RemoteTasks::knows_all() const {
  if (options_.allow && std::ranges::none_of(*options_.allow, is_pattern)) return true;
  const MutexLock lock(mutex_);
  return asked_ && !silence_ && listed_;
}

std::string RemoteTasks::overflow() const {
  const MutexLock lock(mutex_);
  return names_.is_cut() ? quoted(options_.name) + " " + overflow_text() : std::string();
}

std::string RemoteTasks::overflow_text() const {
  return "lists more than " + std::to_string(RemoteNames::max_tasks) +
         " tasks, so the others cannot be called; tunnels." + options_.name +
         ".allow can name those that are needed";
}

// A task that is allowed by its own id stands for itself where the tunnel lists nothing.
bool RemoteTasks::is_shown(const RemoteNames::Named& task) const {
  return !listed_ || listed_->contains(task.id);
}

Provider RemoteTasks::provider(Names names) {
  std::vector<Value::Field> tools;
  {
    const MutexLock lock(mutex_);
    for (const RemoteNames::Named& task : names_.all()) {
      if (!is_shown(task)) continue;
      tools.push_back(
          {task.name, Value::object({{"safeName", task.name}, {"originalName", task.id}})});
    }
  }
  const std::string name = tools::safe_name(options_.name);
  Result<Provider> made = Provider::from_manifest(
      Value::object({{"name", name}, {"tools", Value::object_from(tools)}}),
      [self = shared_from_this()](const std::string& id, Value input, Reply reply) {
        self->call(id, std::move(input), std::move(reply));
      });
  Provider provider = made ? *std::move(made) : Provider::with_exact_names(name);
  if (names == Names::open) {
    provider.add_any([self = shared_from_this()](std::string called, Value input, Reply reply) {
      self->call_named(std::move(called), std::move(input), std::move(reply));
    });
  }
  return provider.take_all_values();
}

std::optional<std::string> RemoteTasks::id_of(const std::string& name) const {
  const MutexLock lock(mutex_);
  if (auto id = names_.id_of(name)) return id;
  // The tunnel lists nothing, though it may expose what it has.
  const bool may_be_there = asked_ && !silence_ && !listed_;
  if (may_be_there && names_.allows(name) && !tools::is_identifier(name)) return name;
  return std::nullopt;
}

void RemoteTasks::call_named(std::string name, Value input, Reply reply) {
  if (const auto id = id_of(name)) return call(*id, std::move(input), std::move(reply));
  discover_for_call([self = shared_from_this(), name = std::move(name), input = std::move(input),
                     reply = std::move(reply)]() mutable {
    if (const auto id = self->id_of(name))
      return self->call(*id, std::move(input), std::move(reply));
    reply(fail(self->unknown_name(name)));
  });
}

Error RemoteTasks::unknown_name(const std::string& name) const {
  const MutexLock lock(mutex_);
  if (silence_) return failure_of(*silence_, options_.name);
  std::string text = quoted(options_.name) + " has no task that is called " + name;
  if (!listed_) {
    text += "; it lists none, so tunnels." + options_.name + ".allow has to name them";
  } else if (names_.is_cut()) {
    text += "; it " + overflow_text();
  }
  return {ErrorCode::tool_error, std::move(text)};
}

void RemoteTasks::call(const std::string& id, Value input, Reply reply) {
  std::shared_ptr<ExecutionAccount> account = accounts_->of(reply);
  if (!account->spend_call()) return reply(fail(ErrorCode::tool_error, past_calls()));
  if (!account->has_bytes_left()) return reply(fail(ErrorCode::tool_error, past_bytes()));
  RemoteCall call{.id = id, .input = std::move(input), .origin = reply.origin()};
  std::make_shared<RemoteTaskCall>(shared_from_this(), std::move(call), std::move(account),
                                   std::move(reply))
      ->start();
}

std::string RemoteTasks::past_calls() const {
  const std::size_t most = options_.limits.max_calls.value_or(0);
  return quoted(options_.name) + " may be called " + std::to_string(most) +
         (most == 1 ? " time" : " times") + " in one execution";
}

std::string RemoteTasks::past_bytes() const {
  return "one execution may send to " + quoted(options_.name) + " and get from it " +
         std::to_string(options_.limits.max_bytes.value_or(0)) + " bytes";
}

// Its list may have changed.
void RemoteTasks::note(RemoteFault fault) {
  if (fault != RemoteFault::not_exposed) return;
  {
    const MutexLock lock(mutex_);
    if (is_asking_ || (asked_ && std::chrono::steady_clock::now() < *asked_ + min_age)) return;
  }
  discover([] {});
}

}  // namespace cordon::providers
