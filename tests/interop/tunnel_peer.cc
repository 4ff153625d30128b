// A tunnel with tasks in C++ for tunnel.mjs. Prints its URL; ends with its standard input.

#include <iostream>
#include <string>
#include <thread>

#include "cordon/server.h"

using namespace cordon;

namespace {

Coroutine<Result<Value>> upload(TaskCall& call) {
  std::vector<Value> sizes;
  for (TaskFile& file : call.files) {
    double bytes = 0;
    for (;;) {
      Result<Bytes> piece = co_await next_piece(*file.stream);
      if (!piece) co_return fail(piece.error());
      if (piece->empty()) break;
      bytes += static_cast<double>(piece->size());
    }
    sizes.emplace_back(bytes);
  }
  co_return Value::object({{"sizes", Value::array_from(sizes)}, {"input", call.input}});
}

}  // namespace

int main() {
  Server server({.listen = {"127.0.0.1:0"},
                 .auth = {.tokens = {"secret"}},
                 .contexts = {"app.ctx.tenant"},
                 .limits = {.multipart = {.file_bytes = 64'000'000}}});
  server.task("app.tasks.add", [](Value input) -> Result<Value> {
    return input["a"].value_or(0.0) + input["b"].value_or(0.0);
  });
  server.task("app.tasks.same", [](Value input) -> Result<Value> { return input; });
  server.task("app.tasks.doubled", [](Value input) -> Result<Value> {
    Value value = Value::object({{"when", Value::date(0)}});
    for (int i = 0; i < input["levels"].value_or(0); ++i)
      value = Value::object({{"a", value}, {"b", value}});
    return value;
  });
  server.task("app.tasks/with slash", [](Value) -> Result<Value> { return "found"; });
  server.task("app.tasks.context", [](TaskCall& call) -> Result<Value> { return call.contexts; });
  server.task("app.tasks.fail",
              [](Value) -> Result<Value> { return fail(ErrorCode::internal_error, "a secret"); });
  server.task("app.tasks.typed", [](Value input) -> TaskAnswer {
    return TypedError{"app.errors.funds", "Not enough money", input};
  });
  server.task("app.tasks.upload", upload);
  server.task("app.tasks.echo",
              [](TaskCall& call) -> TaskAnswer { return StreamedResult{call.body}; });
  server.task("app.tasks.echoFile",
              [](TaskCall& call) -> TaskAnswer { return StreamedResult{call.files.at(0).stream}; });
  std::vector<TaskReply> unanswered;
  server.task("app.tasks.never",
              [&unanswered](TaskCall, TaskReply reply) { unanswered.push_back(std::move(reply)); });
  server.event("app.events.notify",
               [](Value payload) -> Result<Value> { return payload.with("seen", true); });
  if (Result<> opened = server.open(); !opened) return std::cerr << opened.error() << '\n', 1;
  std::cout << server.urls().front() << std::endl;
  std::jthread thread([&] { (void)server.run(); });
  for (std::string line; std::getline(std::cin, line);) {
  }
  server.stop();
}
