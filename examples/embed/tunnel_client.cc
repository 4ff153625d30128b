// TunnelClient: calls tasks and emits events on a server of the tunnel, which here is in the same
// program.

#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include <cordon/cordon.h>

using namespace cordon;
using namespace std::chrono_literals;

void add_tasks(Server& server) {
  server.task("app.tasks.add", [](Value input) -> Result<Value> {
    return input["a"].value_or(0) + input["b"].value_or(0);
  });
  server.task("app.tasks.pay", [](Value input) -> TaskAnswer {
    return TypedError{"app.funds", "No money", Value::object({{"missing", input}})};
  });
  server.task("app.tasks.names", [](TaskCall& call) -> Result<Value> { return call.input; });
  server.task("app.tasks.echo",
              [](TaskCall& call) -> TaskAnswer { return StreamedResult{call.body}; });
  server.event("app.events.notify",
               [](Value payload) -> Result<Value> { return payload.with("seen", true); });
}

// A stream of three pieces.
class Pieces : public ByteSource {
 public:
  void read(Next next) override {
    const std::string piece = ++count_ <= 3 ? "<" + std::to_string(count_) + ">" : "";
    next(Bytes(piece.begin(), piece.end()));
  }
  void close() override {}

 private:
  int count_ = 0;
};

// A coroutine waits for answers, and no thread waits meanwhile.
Coroutine<bool> order(TunnelClient& client) {
  const Value input = Value::object({{"a", 40}, {"b", 2}});
  TunnelResult<Value> sum = co_await client.task("app.tasks.add", input);
  if (!sum) co_return false;
  std::cout << "sum: " << *sum->as<int>() << '\n';

  const TunnelResult<Value> paid = co_await client.task("app.tasks.pay", *sum);
  if (!paid && paid.error().id == "app.funds")
    std::cout << paid.error().message << ", " << *paid.error().data["missing"].as<int>() << '\n';
  co_return true;
}

void send_files(TunnelClient& client) {
  TunnelInput input;
  const Value text = input.add(
      {.name = "note.txt", .type = "text/plain", .content = Bytes{'h', 'e', 'l', 'l', 'o'}});
  const Value file = input.add({.name = "this.cc", .content = TunnelFile::Path{"README.md"}});
  input.value = Value::object({{"note", text}, {"files", Value::array({file})}});
  const TunnelResult<Value> named = start(client.task("app.tasks.names", input)).get();
  if (named) std::cout << "file: " << *(*named)["note"]["name"].as<std::string>() << '\n';
}

Coroutine<bool> echo(TunnelClient& client) {
  TunnelInput input = TunnelInput::from_stream(std::make_shared<Pieces>());
  TunnelResult<TunnelAnswer> answer =
      co_await client.call("app.tasks.echo", std::move(input), {.timeout = 10s});
  if (!answer) co_return false;
  auto* const stream = std::get_if<TunnelStream>(&*answer);
  for (;;) {
    Result<Bytes> piece = co_await next_piece(*stream->bytes);
    if (!piece || piece->empty()) break;
    std::cout << std::string(piece->begin(), piece->end());
  }
  std::cout << '\n';
  co_return true;
}

int main() {
  Server server({.listen = {"127.0.0.1:0"}, .auth = {.tokens = {"secret"}}});
  add_tasks(server);
  if (Result<> opened = server.open(); !opened) return std::cerr << opened.error() << '\n', 1;
  std::jthread thread([&] { (void)server.run(); });
  const std::string url = server.urls().front();

  Result<TunnelClient> client = TunnelClient::create({.url = url, .token = "secret"});
  if (!client) return std::cerr << client.error() << '\n', 1;

  start(order(*client)).get();
  send_files(*client);
  start(echo(*client)).get();

  const Value payload = Value::object({{"id", 7}});
  const TunnelResult<Value> seen =
      start(client->emit_and_return("app.events.notify", payload)).get();
  std::cout << "seen: " << (seen && (*seen)["seen"].value_or(false)) << '\n';

  const TunnelResult<TunnelDiscovery> found = start(client->discover()).get();
  std::cout << "tasks: " << (found ? found->tasks.size() : 0) << '\n';

  std::stop_source stop;
  stop.request_stop();
  const TunnelResult<Value> stopped =
      start(client->task("app.tasks.add", {}, {.stop = stop.get_token()})).get();
  if (!stopped) std::cout << stopped.error() << '\n';

  TunnelClientOptions options{.url = url, .token = "secret"};
  options.on_request = [](const TunnelRequest& request) -> Result<std::vector<TunnelHeader>> {
    return std::vector<TunnelHeader>{{"x-target", std::string(request.id)}};
  };
  Result<TunnelClient> other = TunnelClient::create(options);
  std::cout << "with a hook: " << start(other->task("app.tasks.add")).get().has_value() << '\n';
  server.stop();
}

// Output:
// sum: 42
// No money, 42
// file: note.txt
// <1><2><3>
// seen: 1
// tasks: 4
// cancelled: the call was cancelled
// with a hook: 1
