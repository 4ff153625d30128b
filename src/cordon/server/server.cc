#include "cordon/server.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <stdexcept>
#include <thread>

#include "cordon/config/configuration.h"
#include "cordon/server/plain_function.h"
#include "cordon/server/served_script.h"
#include "cordon/server/tunnel_server.h"
#include "cordon/tools/blocking_threads.h"

namespace cordon {
namespace {

using server::Served;
using server::ShardContext;

TaskAnswer unanswered() {
  return ExecutionError(
      Error{ErrorCode::tool_error, "the task let go of its reply without an answer"});
}

// One call of an AsyncFunction until it is answered. A reply may be dropped, or used, by any
// thread, while the function still runs on the one that called it; the first answer counts.
//
// A function that throws drops its reply on the way out, and what it threw says more than that. So
// a reply that is dropped before the function has returned answers nothing itself: it leaves that
// to the caller of the function.
class PendingCall {
 public:
  PendingCall(std::function<void(std::function<void()>)> post, std::function<void(TaskAnswer)> done)
      : post_(std::move(post)), done_(std::move(done)) {}

  void answer(TaskAnswer result) {
    if (is_answered_.exchange(true)) return;
    if (std::this_thread::get_id() == own_thread_) return done_(std::move(result));
    auto kept = std::make_shared<TaskAnswer>(std::move(result));
    post_([done = done_, kept] { done(std::move(*kept)); });
  }
  void drop() {
    Phase before = Phase::in_function;
    if (phase_.compare_exchange_strong(before, Phase::dropped)) return;
    answer(unanswered());
  }
  void function_returned() {
    if (phase_.exchange(Phase::after_function) != Phase::dropped) return;
    answer(unanswered());
  }

 private:
  enum class Phase : std::uint8_t { in_function, dropped, after_function };
  const std::function<void(std::function<void()>)> post_;
  const std::function<void(TaskAnswer)> done_;
  const std::thread::id own_thread_ = std::this_thread::get_id();
  std::atomic<bool> is_answered_ = false;
  std::atomic<Phase> phase_ = Phase::in_function;
};

// Answers that come by another thread find their way back to the one that called.
class AsyncFunction final : public TaskHandler {
 public:
  AsyncFunction(detail::AsyncTask function, ShardContext shard)
      : function_(std::move(function)), shard_(std::move(shard)) {}

  void call(TaskCall call, std::function<void(TaskAnswer)> done) override {
    const auto pending = std::make_shared<PendingCall>(shard_.post, std::move(done));
    TaskReply reply([pending](std::optional<TaskAnswer> answer) {
      if (answer) {
        pending->answer(*std::move(answer));
      } else {
        pending->drop();
      }
    });
    try {
      function_(std::move(call), std::move(reply));
    } catch (...) {
      pending->answer(detail::failed_answer(std::current_exception()));
    }
    pending->function_returned();
  }

 private:
  detail::AsyncTask function_;
  ShardContext shard_;
};

// What an event answers takes the payload's place, unless it is undefined.
TaskAnswer payload_after(TaskAnswer answer, Value payload) {
  const Value* const other = std::get_if<Value>(&answer);
  return other != nullptr && other->is_undefined() ? TaskAnswer(std::move(payload)) : answer;
}

Served served_plain(std::string_view id, std::function<TaskAnswer(Value)> function) {
  auto handler = std::make_shared<server::PlainFunction>(std::move(function));
  return {std::string(id), [handler](const ShardContext&) -> Result<std::shared_ptr<TaskHandler>> {
            return handler;
          }};
}

Served served_async(std::string_view id, detail::AsyncTask function) {
  return {std::string(id),
          [function = std::move(function)](
              const ShardContext& shard) -> Result<std::shared_ptr<TaskHandler>> {
            return std::make_shared<AsyncFunction>(function, shard);
          }};
}

}  // namespace

TaskReply::~TaskReply() {
  if (send_) send_(std::nullopt);
}

void TaskReply::send(TaskAnswer answer) {
  Send send = std::exchange(send_, nullptr);
  if (send) send(std::move(answer));
}

namespace detail {

TaskAnswer failed_answer(std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const std::exception& thrown) {
    return ExecutionError(Error{ErrorCode::tool_error, thrown.what()});
  } catch (...) {
    return ExecutionError(Error{ErrorCode::tool_error, "an exception of an unknown type"});
  }
}

TaskAnswer answer_of(Result<Value> result) {
  if (result) return *std::move(result);
  // What a function calls invalid is its own matter: whether the client's input is, schemas say.
  const ErrorCode code = result.error().code;
  const bool stays = code == ErrorCode::overloaded || code == ErrorCode::cancelled;
  return ExecutionError(Error{stays ? code : ErrorCode::tool_error, to_string(result.error())});
}

}  // namespace detail

struct Server::State {
  // A script is loaded by open(), where it can fail; until then this keeps its place.
  struct Registered {
    Served served;
    std::optional<Script> script = {};
  };

  ServerOptions options;
  std::vector<Registered> tasks = {};
  std::vector<Registered> events = {};
  std::vector<std::pair<std::string, Value>> schemas = {};
  std::vector<std::pair<std::string, std::vector<std::string>>> contexts = {};
  std::shared_ptr<tools::BlockingThreads> blocking = {};  // made when it is needed
  std::unique_ptr<server::TunnelServer> tunnel = {};      // from open() on
  std::atomic<bool> has_run = false;

  void require_closed(std::string_view what, std::string_view id) const {
    if (!tunnel) return;
    throw std::logic_error("Server: the " + std::string(what) + " " + std::string(id) +
                           " comes after open(), where nobody would serve it");
  }
  bool has_scripts() const;
  Result<std::shared_ptr<const server::TunnelRules>> rules() const;
  Result<std::vector<Served>> loaded(const std::vector<Registered>& all,
                                     host::ScriptKind kind) const;
  Result<> add_schemas(server::TunnelRules& rules) const;
  Result<> add_contexts(server::TunnelRules& rules) const;
};

Server::Server(ServerOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}
Server::~Server() = default;

Server& Server::add_plain(std::string_view id, PlainFunction function) {
  state_->require_closed("task", id);
  state_->tasks.push_back({served_plain(id, std::move(function))});
  return *this;
}

Server& Server::add_task(std::string_view id, detail::AsyncTask function) {
  state_->require_closed("task", id);
  state_->tasks.push_back({served_async(id, std::move(function))});
  return *this;
}

Server& Server::task(std::string_view id, Script script) {
  state_->require_closed("task", id);
  state_->tasks.push_back({{std::string(id), {}}, std::move(script)});
  return *this;
}

Server& Server::event(std::string_view id, Script script, EventKind kind) {
  state_->require_closed("event", id);
  state_->events.push_back({{std::string(id), {}}, std::move(script)});
  state_->events.back().served.is_parallel = kind == EventKind::parallel;
  return *this;
}

Server& Server::add_plain_event(std::string_view id, EventKind kind, PlainFunction function) {
  state_->require_closed("event", id);
  state_->events.push_back(
      {served_plain(id, [function = std::move(function)](const Value& payload) {
        return payload_after(function(payload), payload);
      })});
  state_->events.back().served.is_parallel = kind == EventKind::parallel;
  return *this;
}

Server& Server::add_event(std::string_view id, EventKind kind, detail::AsyncTask function) {
  state_->require_closed("event", id);
  state_->events.push_back(
      {served_async(id, [function = std::move(function)](TaskCall call, TaskReply reply) {
        // Where no answer comes, the reply says so when it goes with this.
        TaskReply changed([payload = call.input,
                           reply = std::move(reply)](std::optional<TaskAnswer> answer) mutable {
          if (answer) reply(payload_after(*std::move(answer), std::move(payload)));
        });
        function(std::move(call), std::move(changed));
      })});
  state_->events.back().served.is_parallel = kind == EventKind::parallel;
  return *this;
}

Server& Server::mark_validator(std::string_view id) {
  state_->options.auth.validators.emplace_back(id);
  return *this;
}

Server& Server::input_schema(std::string_view id, Value schema) {
  state_->require_closed("schema of", id);
  state_->schemas.emplace_back(id, std::move(schema));
  return *this;
}

Server& Server::contexts(std::string_view id, std::vector<std::string> ids) {
  state_->require_closed("list of contexts of", id);
  state_->contexts.emplace_back(id, std::move(ids));
  return *this;
}

Server::Runner Server::runner() {
  if (!state_->blocking) state_->blocking = std::make_shared<tools::BlockingThreads>();
  return [threads = state_->blocking](std::move_only_function<void()> work) {
    threads->run(std::move(work));
  };
}

Result<> Server::State::add_contexts(server::TunnelRules& rules) const {
  for (const auto& [id, ids] : contexts) {
    bool is_found = false;
    for (auto* const all : {&rules.tasks, &rules.events}) {
      for (Served& served : *all) {
        if (served.id != id) continue;
        served.contexts = ids;
        is_found = true;
      }
    }
    if (!is_found) return fail(ErrorCode::not_found, "there is no " + id + " for contexts");
  }
  return {};
}

Result<> Server::State::add_schemas(server::TunnelRules& rules) const {
  for (const auto& [id, text] : schemas) {
    const schema::Schema compiled = CORDON_TRY(schema::Schema::compile(text));
    bool is_found = false;
    for (auto* const all : {&rules.tasks, &rules.events}) {
      for (Served& served : *all) {
        if (served.id != id) continue;
        served.input = compiled;
        is_found = true;
      }
    }
    if (!is_found) return fail(ErrorCode::not_found, "there is no " + id + " for a schema");
  }
  return {};
}

bool Server::State::has_scripts() const {
  const auto is_script = [](const Registered& one) { return one.script.has_value(); };
  return std::ranges::any_of(tasks, is_script) || std::ranges::any_of(events, is_script);
}

Result<std::vector<Served>> Server::State::loaded(const std::vector<Registered>& all,
                                                  host::ScriptKind kind) const {
  // It only loads. Calls run on the engines of the threads that serve.
  std::optional<Engine> loader;
  std::vector<Served> made;
  for (const Registered& one : all) {
    made.push_back(one.served);
    if (!one.script) continue;
    if (!loader) loader = CORDON_TRY(Engine::create_one_shot());
    made.back().make =
        CORDON_TRY(server::serve_script(*loader, one.served.id, kind, *one.script)).make;
  }
  return made;
}

// All that was registered may be called from outside, but for validators.
Result<std::shared_ptr<const server::TunnelRules>> Server::State::rules() const {
  auto made = std::make_shared<server::TunnelRules>(options);
  CORDON_TRY(made->add_lanes(options));
  made->tasks = CORDON_TRY(loaded(tasks, host::ScriptKind::task));
  made->events = CORDON_TRY(loaded(events, host::ScriptKind::event));
  CORDON_TRY(add_schemas(*made));
  CORDON_TRY(add_contexts(*made));
  made->exposed.emplace();
  const std::vector<std::string>& validators = options.auth.validators;
  for (const Served& task : made->tasks) {
    const bool is_validator = std::ranges::find(validators, task.id) != validators.end();
    if (!is_validator) made->exposed->tasks.push_back(task.id);
  }
  for (const Served& event : made->events) made->exposed->events.push_back(event.id);
  return made;
}

Result<> Server::open() {
  if (state_->tunnel) return fail(ErrorCode::already_exists, "the server is open");
  server::TunnelServerOptions options{.server = state_->options};
  if (state_->has_scripts()) options.engine = config::Server().engine;
  state_->tunnel =
      CORDON_TRY(server::TunnelServer::create(std::move(options), CORDON_TRY(state_->rules())));
  return {};
}

std::vector<std::string> Server::urls() const {
  return state_->tunnel ? state_->tunnel->urls() : std::vector<std::string>();
}

Result<> Server::run() {
  if (!state_->tunnel) return fail(ErrorCode::invalid_argument, "run() comes before open()");
  if (state_->has_run.exchange(true))
    return fail(ErrorCode::already_exists, "the server ran already");
  state_->tunnel->run();
  return {};
}

void Server::stop() {
  if (state_->tunnel) state_->tunnel->stop();
}

}  // namespace cordon
