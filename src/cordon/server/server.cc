#include "cordon/server.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "cordon/base/ascii.h"
#include "cordon/protocol/tunnel/route.h"
#include "cordon/server/plain_function.h"
#include "cordon/server/tunnel_server.h"

namespace cordon {
namespace {

using server::Served;
using server::ShardTools;

// Answers that come by another thread find their way back to the one that called.
class AsyncFunction final : public TaskHandler {
 public:
  using Function = std::function<void(TaskCall, Server::Done)>;
  AsyncFunction(Function function, ShardTools tools)
      : function_(std::move(function)), tools_(std::move(tools)) {}

  void call(TaskCall call, std::function<void(TaskAnswer)> done) override {
    Server::Done answer = [home = std::this_thread::get_id(), post = tools_.post,
                           done](TaskAnswer result) {
      if (std::this_thread::get_id() == home) return done(std::move(result));
      auto kept = std::make_shared<TaskAnswer>(std::move(result));
      post([done, kept] { done(std::move(*kept)); });
    };
    try {
      function_(std::move(call), answer);
    } catch (...) {
      answer(detail::failed_answer(std::current_exception()));
    }
  }

 private:
  Function function_;
  ShardTools tools_;
};

}  // namespace

namespace detail {

TaskAnswer failed_answer(std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const std::exception& thrown) {
    return TaskFailure{.message = thrown.what()};
  } catch (...) {
    return TaskFailure{.message = "an exception of an unknown type"};
  }
}

TaskAnswer answer_of(Result<Value> result) {
  if (result) return *std::move(result);
  TaskFailure failure{.message = to_string(result.error())};
  if (result.error().code == Errc::overloaded) failure.kind = TaskFailure::Kind::overloaded;
  if (result.error().code == Errc::cancelled) failure.kind = TaskFailure::Kind::cancelled;
  return failure;
}

}  // namespace detail

struct Server::State {
  ServerOptions options;
  std::shared_ptr<server::TunnelRules> rules = std::make_shared<server::TunnelRules>();
  std::vector<std::pair<std::string, Value>> schemas = {};
  std::unique_ptr<server::TunnelServer> tunnel = {};

  server::ExposedIds& exposed() {
    if (!rules->exposed) rules->exposed.emplace();
    return *rules->exposed;
  }
  Result<> compile_schemas();
};

Server::Server(ServerOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}
Server::~Server() = default;

Server& Server::add_plain(std::string_view id, std::function<TaskAnswer(Value)> function) {
  if (state_->tunnel) return *this;
  auto handler = std::make_shared<server::PlainFunction>(std::move(function));
  state_->rules->tasks.push_back(
      {std::string(id),
       [handler](const ShardTools&) -> Result<std::shared_ptr<TaskHandler>> { return handler; }});
  state_->exposed().tasks.emplace_back(id);
  return *this;
}

Server& Server::add_async(std::string_view id, std::function<void(TaskCall, Done)> function) {
  if (state_->tunnel) return *this;
  state_->rules->tasks.push_back({std::string(id),
                                  [function = std::move(function)](const ShardTools& tools)
                                      -> Result<std::shared_ptr<TaskHandler>> {
                                    return std::make_shared<AsyncFunction>(function, tools);
                                  }});
  state_->exposed().tasks.emplace_back(id);
  return *this;
}

Server& Server::add_event(std::string_view id, EventKind kind,
                          std::function<TaskAnswer(Value)> function) {
  if (state_->tunnel) return *this;
  auto handler =
      std::make_shared<server::PlainFunction>([function = std::move(function)](Value payload) {
        TaskAnswer answer = function(payload);
        const Value* const other = std::get_if<Value>(&answer);
        return other != nullptr && other->is_undefined() ? TaskAnswer(std::move(payload)) : answer;
      });
  Served served{
      std::string(id),
      [handler](const ShardTools&) -> Result<std::shared_ptr<TaskHandler>> { return handler; }};
  served.is_parallel = kind == EventKind::parallel;
  state_->rules->events.push_back(std::move(served));
  state_->exposed().events.emplace_back(id);
  return *this;
}

Server& Server::mark_validator(std::string_view id) {
  if (state_->tunnel) return *this;
  state_->rules->validators.emplace_back(id);
  std::erase(state_->exposed().tasks, id);
  return *this;
}

Server& Server::input_schema(std::string_view id, Value schema) {
  if (state_->tunnel) return *this;
  state_->schemas.emplace_back(id, std::move(schema));
  return *this;
}

Result<> Server::State::compile_schemas() {
  for (const auto& [id, text] : schemas) {
    const schema::Schema compiled = CORDON_TRY(schema::Schema::compile(text));
    bool is_found = false;
    for (auto* const all : {&rules->tasks, &rules->events}) {
      for (Served& served : *all) {
        if (served.id != id) continue;
        served.input = compiled;
        is_found = true;
      }
    }
    if (!is_found) return fail(Errc::not_found, "there is no " + id + " for a schema");
  }
  return {};
}

Result<> Server::open() {
  if (state_->tunnel) return fail(Errc::already_exists, "the server is open");
  const ServerOptions& given = state_->options;
  server::TunnelRules& rules = *state_->rules;
  state_->exposed();
  rules.base_path = tunnel::normal_base_path(given.base_path);
  rules.tokens = given.tokens;
  rules.token_header = ascii_lower_case(given.token_header);
  rules.allow_anonymous = given.allow_anonymous;
  rules.contexts = given.contexts;
  rules.json_bytes = given.json_bytes;
  rules.response_bytes = given.response_bytes;
  rules.multipart.file_bytes = given.file_bytes;
  rules.multipart.files = given.files;
  rules.multipart.fields = given.fields;
  rules.multipart.field_bytes = given.field_bytes;
  rules.deadline = given.deadline;
  CORDON_TRY(state_->compile_schemas());

  server::TunnelServerOptions options;
  for (const std::string& text : given.listen)
    options.listen.push_back(CORDON_TRY(transport::parse_http_address(text)));
  options.threads = given.threads;
  options.has_engine = false;
  options.memory_bytes = given.memory_bytes;
  options.connections.connections = given.connections;
  options.connections.connections_per_address = given.connections_per_address;
  if (!given.tls_certificate.empty() || !given.tls_key.empty())
    options.tls = transport::TlsFiles{given.tls_certificate, given.tls_key};
  state_->tunnel =
      CORDON_TRY(server::TunnelServer::create(std::move(options), std::move(state_->rules)));
  return {};
}

std::vector<std::string> Server::urls() const {
  return state_->tunnel ? state_->tunnel->urls() : std::vector<std::string>();
}

void Server::run() {
  if (state_->tunnel) state_->tunnel->run();
}

void Server::stop() {
  if (state_->tunnel) state_->tunnel->stop();
}

}  // namespace cordon
