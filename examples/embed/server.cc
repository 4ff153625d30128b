// Server: C++ functions as tasks and events over HTTP, for the clients of npm @bluelibs/runner and
// for curl.

#include <cstdlib>
#include <iostream>
#include <thread>

#include <cordon/cordon.h>

using namespace cordon;

// A coroutine: it waits for the client's bytes, and no thread waits meanwhile.
Coroutine<Result<Value>> count_bytes(TaskCall& call) {
  double bytes = 0;
  for (TaskFile& file : call.files) {
    for (;;) {
      Result<Bytes> piece = co_await next_piece(*file.stream);
      if (!piece) co_return fail(piece.error());
      if (piece->empty()) break;
      bytes += static_cast<double>(piece->size());
    }
  }
  co_return Value::object({{"bytes", bytes}});
}

void add_tasks(Server& server) {
  server.task("app.tasks.add", [](Value input) -> Result<Value> {
    return input["a"].value_or(0.0) + input["b"].value_or(0.0);
  });
  server.input_schema("app.tasks.add", Value::object({{"type", "object"}}));
  // An error that clients see as it is; of all others they learn nothing.
  server.task("app.tasks.pay",
              [](Value) -> TaskAnswer { return TypedError{"app.funds", "No money", 7}; });
  server.task("app.tasks.upload", count_bytes);
  server.task("app.tasks.later", [](TaskCall call, TaskReply reply) {
    std::thread([input = call.input, reply = std::move(reply)]() mutable {
      reply(Value::object({{"later", input}}));
    }).detach();
  });
  // What the client sends comes back while it still sends.
  server.task("app.tasks.echo",
              [](TaskCall& call) -> TaskAnswer { return StreamedResult{call.body}; });
  server.event("app.events.notify",
               [](Value payload) -> Result<Value> { return payload.with("seen", true); });
  // A request without a token may still be accepted.
  server.validator("app.auth.check", [](Value request) -> Result<Value> {
    const bool is_known = request["headers"]["x-user"].value_or(std::string()) == "ada";
    return Value::object({{"ok", is_known}});
  });
}

// The same in JavaScript: each call runs in a sandbox of its own, and its tools are C++ functions.
void add_scripts(Server& server) {
  Provider shop("shop");
  shop.add("price", [](Value input) -> Result<Value> { return input["count"].value_or(1) * 250; });
  Script order{.code = R"(
    export default async function (input: { count: number }) {
      return { total: await shop.price(input), at: new Date(0) }
    })"};
  order.execute.providers = {shop};
  order.execute.limits.memory_bytes = 32 << 20;
  server.task("app.tasks.order", order);
}

int ask(const std::string& url, const std::string& options) {
  const int status = std::system(("curl -s " + options + " " + url).c_str());
  std::cout << std::endl;
  return status;
}

int main() {
  ServerOptions options;
  options.listen = {"127.0.0.1:0"};  // port 0: one that is free
  options.auth.tokens = {"secret"};
  options.limits.multipart.file_bytes = 1'000'000;
  Server server(options);
  add_tasks(server);
  add_scripts(server);
  if (Result<> opened = server.open(); !opened) return std::cerr << opened.error() << '\n', 1;
  const std::string url = server.urls().front();  // http://127.0.0.1:…/__runner
  std::jthread thread([&] {
    if (Result<> ran = server.run(); !ran) std::cerr << ran.error() << '\n';
  });

  const std::string token = "-H 'x-runner-token: secret' ";
  ask(url + "/task/app.tasks.add", token + R"(-d '{"input": {"a": 1, "b": 2}}')");
  ask(url + "/task/app.tasks.add", token + "-d 7 -o /dev/null -w %{http_code}");
  ask(url + "/task/app.tasks.pay", token + "-d 1");
  ask(url + "/task/app.tasks.later", token + R"(-d '{"input": 7}')");
  ask(url + "/task/app.tasks.upload",
      token + R"(-F '__manifest={"input":{"$runnerFile":"File","id":"f1","meta":{"name":"a"}}}' )" +
          "-F 'file:f1=hello;filename=a.txt'");
  ask(url + "/task/app.tasks.echo", token + "-H 'content-type: application/octet-stream' -d hello");
  ask(url + "/task/app.tasks.order", token + R"(-d '{"input": {"count": 3}}')");
  ask(url + "/event/app.events.notify",
      token + R"(-d '{"payload": {"id": 1}, "returnPayload": true}')");
  ask(url + "/task/app.tasks.add", "-H 'x-user: ada' -d '{}'");
  ask(url + "/task/app.tasks.add", "-d '{}'");
  server.stop();
}

// Output:
// {"ok":true,"result":3}
// 400
// {"ok":false,"error":{"message":"No money","code":"INTERNAL_ERROR","id":"app.funds","data":7}}
// {"ok":true,"result":{"later":7}}
// {"ok":true,"result":{"bytes":5}}
// hello
// {"ok":true,"result":{"total":750,"at":{"__type":"Date","value":"1970-01-01T00:00:00.000Z"}}}
// {"ok":true,"result":{"id":1,"seen":true}}
// {"ok":true,"result":0}
// {"ok":false,"error":{"message":"Unauthorized","code":"UNAUTHORIZED"}}
