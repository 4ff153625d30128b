#include "cordon/tools/ruled_tool.h"

#include <atomic>
#include <chrono>
#include <utility>

#include "cordon/schema/schema.h"
#include "cordon/tools/reply_access.h"

namespace cordon::tools {
namespace {

// A check runs on the thread that drives the guest. An honest one takes microseconds.
constexpr schema::CheckOptions check_limits{.max_steps = 20'000'000,
                                            .max_time = std::chrono::milliseconds(250)};

class RuledCall;

// What all calls of one tool share. Any thread may use it.
struct RuledTool : std::enable_shared_from_this<RuledTool> {
  std::string name;
  ToolFunction function;
  std::optional<schema::Schema> input;
  std::optional<schema::Schema> output;
  std::optional<std::chrono::milliseconds> timeout;
  std::shared_ptr<CallBudget> budget;  // or null
  std::optional<std::size_t> max_calls;
  std::optional<std::size_t> concurrency;
  std::shared_ptr<CallTimer> timer;

  Mutex mutex;
  std::size_t running CORDON_GUARDED_BY(mutex) = 0;
  std::deque<std::shared_ptr<RuledCall>> waiting CORDON_GUARDED_BY(mutex);
  bool is_starting CORDON_GUARDED_BY(mutex) = false;

  void call(Value value, Reply reply);
  void enqueue(std::shared_ptr<RuledCall> call) CORDON_EXCLUDES(mutex);
  void free_place() CORDON_EXCLUDES(mutex);
  void start_waiting() CORDON_EXCLUDES(mutex);
};

std::unexpected<Error> wrong(const char* what, const std::string& name,
                             const std::vector<schema::SchemaMistake>& mistakes) {
  return fail(ErrorCode::validation_error,
              std::string("Invalid ") + what + " for tool " + name + ": " + to_text(mistakes));
}

// One call that runs or waits for its place. It is the sink of the function's answer.
class RuledCall final : public CallSink, public std::enable_shared_from_this<RuledCall> {
 public:
  RuledCall(std::shared_ptr<RuledTool> tool, Value input, Reply reply)
      : tool_(std::move(tool)),
        input_(std::move(input)),
        origin_(reply.origin()),
        outer_stop_(reply.stop_token()),
        reply_(std::move(reply)) {}

  // Once, when it has its place.
  void start() {
    at_end_ =
        std::make_unique<std::stop_callback<EndEarly>>(outer_stop_, EndEarly{weak_from_this()});
    if (tool_->timeout) {
      const auto late = std::chrono::steady_clock::now() + *tool_->timeout;
      const CallTimer::Key key = tool_->timer->call_at(late, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->end_late();
      });
      const MutexLock lock(mutex_);
      timer_key_ = key;
    }
    // The execution may have ended meanwhile.
    if (is_over_.load()) return;
    try {
      tool_->function(std::move(input_), Reply(shared_from_this(), 1));
      // NOLINTNEXTLINE(bugprone-empty-catch): the Reply was dropped, which has answered the call.
    } catch (...) {
    }
  }

  void answer(std::uint64_t, Result<Value> result) override {
    if (is_over_.exchange(true)) return;
    if (result && tool_->output) {
      const auto mistakes = tool_->output->check(*result, check_limits);
      if (!mistakes.empty()) result = wrong("output", tool_->name, mistakes);
    }
    end(std::move(result));
  }
  std::stop_token stop_token() override { return stop_.get_token(); }
  const CallOrigin& origin() const override { return origin_; }

 private:
  struct EndEarly {
    std::weak_ptr<RuledCall> call;
    void operator()() const {
      if (const auto self = call.lock())
        self->end_early({ErrorCode::cancelled, "the execution ended"});
    }
  };

  void end_late() {
    end_early({ErrorCode::tool_error, "Tool " + tool_->name + " timed out after " +
                                          std::to_string(tool_->timeout->count()) + " ms"});
  }

  void end_early(Error error) {
    if (is_over_.exchange(true)) return;
    end(fail(std::move(error)));
    stop_.request_stop();
  }

  void end(Result<Value> result) {
    std::optional<CallTimer::Key> key;
    {
      const MutexLock lock(mutex_);
      key = std::exchange(timer_key_, std::nullopt);
    }
    if (key) tool_->timer->drop(*key);
    reply_(std::move(result));
    tool_->free_place();
  }

  const std::shared_ptr<RuledTool> tool_;
  Value input_;
  const CallOrigin origin_;
  const std::stop_token outer_stop_;
  Reply reply_;
  std::stop_source stop_;
  std::atomic<bool> is_over_ = false;
  Mutex mutex_;
  std::optional<CallTimer::Key> timer_key_ CORDON_GUARDED_BY(mutex_);
  std::unique_ptr<std::stop_callback<EndEarly>> at_end_;
};

void RuledTool::call(Value value, Reply reply) {
  if (input) {
    const auto mistakes = input->check(value, check_limits);
    if (!mistakes.empty()) return reply(wrong("input", name, mistakes));
  }
  if (budget != nullptr && !budget->spend(detail::ReplyAccess::caller(reply), reply.stop_token())) {
    return reply(fail(ErrorCode::tool_error,
                      "Tool " + name + " may be called " + std::to_string(*max_calls) +
                          (*max_calls == 1 ? " time" : " times") + " in one execution"));
  }
  enqueue(std::make_shared<RuledCall>(shared_from_this(), std::move(value), std::move(reply)));
}

void RuledTool::enqueue(std::shared_ptr<RuledCall> call) {
  {
    const MutexLock lock(mutex);
    waiting.push_back(std::move(call));
  }
  start_waiting();
}

void RuledTool::free_place() {
  {
    const MutexLock lock(mutex);
    --running;
  }
  start_waiting();
}

// A function that answers at once frees its place while it is being started. One loop then starts
// what follows, so that a long queue is no deep stack.
void RuledTool::start_waiting() {
  const auto keep = shared_from_this();
  MutexLock lock(mutex);
  if (is_starting) return;
  is_starting = true;
  while (!waiting.empty() && (!concurrency || running < *concurrency)) {
    const std::shared_ptr<RuledCall> next = std::move(waiting.front());
    waiting.pop_front();
    ++running;
    lock.unlock();
    next->start();
    lock.lock();
  }
  is_starting = false;
}

Result<std::optional<schema::Schema>> compiled(const char* what, const std::string& tool,
                                               const std::optional<Value>& text) {
  if (!text) return std::nullopt;
  Result<schema::Schema> schema = schema::Schema::compile(*text);
  if (schema) return *std::move(schema);
  return fail(ErrorCode::invalid_argument, std::string("the ") + what + " schema of the tool " +
                                               tool + ": " + schema.error().message);
}

Result<> check_numbers(const std::string& tool, const ToolRules& rules) {
  const auto wrong_number = [&](const char* what) {
    return fail(ErrorCode::invalid_argument,
                std::string("the ") + what + " of the tool " + tool + " must be more than 0");
  };
  if (rules.timeout && rules.timeout->count() <= 0) return wrong_number("timeout");
  if (rules.concurrency == std::size_t{0}) return wrong_number("concurrency");
  return {};
}

bool limits_calls(const ToolRules& rules) {
  return rules.input || rules.output || rules.timeout || rules.max_calls || rules.concurrency;
}

}  // namespace

// A callback is made, and destroyed, outside of the lock: its execution may be ending, and then the
// callback runs at once, or is waited for while it waits for the lock.
bool CallBudget::spend(const void* execution, const std::stop_token& stop) {
  if (!stop.stop_possible()) return true;
  Spent old;  // of an execution that was at the same address
  {
    const MutexLock lock(mutex_);
    Spent& spent = spent_[execution];
    if (spent.stop == stop) return ++spent.calls <= max_calls_;
    old = std::exchange(spent, Spent{1, stop, nullptr});
  }
  auto at_end =
      std::make_unique<std::stop_callback<Forget>>(stop, Forget{weak_from_this(), execution, stop});
  const MutexLock lock(mutex_);
  const auto found = spent_.find(execution);
  if (found != spent_.end() && found->second.stop == stop) std::swap(found->second.at_end, at_end);
  return max_calls_ > 0;
}

void CallBudget::Forget::operator()() const {
  const auto self = budget.lock();
  if (self == nullptr) return;
  Spent over;
  const MutexLock lock(self->mutex_);
  const auto found = self->spent_.find(execution);
  if (found == self->spent_.end() || found->second.stop != stop) return;
  over = std::move(found->second);
  self->spent_.erase(found);
}

Result<ToolFunction> with_rules(std::string name, ToolFunction function, const ToolRules& rules,
                                std::shared_ptr<CallTimer> timer) {
  CORDON_TRY(check_numbers(name, rules));
  if (!limits_calls(rules)) return function;
  auto tool = std::make_shared<RuledTool>();
  tool->name = std::move(name);
  tool->function = std::move(function);
  tool->input = CORDON_TRY(compiled("input", tool->name, rules.input));
  tool->output = CORDON_TRY(compiled("output", tool->name, rules.output));
  tool->timeout = rules.timeout;
  tool->max_calls = rules.max_calls;
  if (rules.max_calls) tool->budget = std::make_shared<CallBudget>(*rules.max_calls);
  tool->concurrency = rules.concurrency;
  tool->timer = std::move(timer);
  return [tool = std::move(tool)](Value input, Reply reply) {
    tool->call(std::move(input), std::move(reply));
  };
}

}  // namespace cordon::tools
