// The examples in the comments of include/cordon/, so that they compile and do what they say.
// examples/check_snippets.sh looks for each of them here.

#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

// An example need not use all that it declares.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wshadow"

namespace {

// result.h
Result<int> port(ValueView config) {
  const int port = CORDON_TRY(config["port"].as<int>());
  if (port > 65535) return fail(ErrorCode::invalid_argument, "port past 65535");
  return port;
}

// error.h
[[maybe_unused]] void use_error() {
  Result<Engine> engine = Engine::create({.workers = 0});
  const Report report = engine->execute("for (;;);").get();
  if (report.error.is(ErrorCode::timeout)) std::cout << "it took too long\n";
}

// server.h
// It would serve until it is stopped; server.cc has one that is.
[[maybe_unused]] int use_server() {
  Server server({.listen = {"127.0.0.1:7070"}, .auth = {.tokens = {"secret"}}});
  server.task("app.tasks.add", [](Value input) -> Result<Value> {
    return input["a"].value_or(0) + input["b"].value_or(0);
  });
  if (Result<> opened = server.open(); !opened) return std::cerr << opened.error() << '\n', 1;
  if (Result<> ran = server.run(); !ran) return std::cerr << ran.error() << '\n', 1;
  return 0;
}

// tunnel_client.h
// The server would have to be there; tunnel_client.cc has one.
[[maybe_unused]] int use_tunnel_client() {
  Result<TunnelClient> client =
      TunnelClient::create({.url = "http://127.0.0.1:7070/__runner", .token = "secret"});
  TunnelResult<Value> sum =
      start(client->task("app.tasks.add", Value::object({{"a", 1}, {"b", 2}}))).get();
  if (!sum) return std::cerr << sum.error() << '\n', 1;
  return 0;
}

[[maybe_unused]] TunnelInput use_tunnel_input() {
  TunnelInput input;
  Value scan = input.add({.name = "scan.png", .content = TunnelFile::Path{"/tmp/scan.png"}});
  input.value = Value::object({{"title", "a scan"}, {"scan", scan}});
  return input;
}

// script.h
[[maybe_unused]] void use_scripts(Server& server) {
  server.task("app.tasks.greet", Script{.file = "tasks/greet.ts"});
  server.task("app.tasks.twice", Script{.code = "export default (input) => input * 2"});
}

[[maybe_unused]] Coroutine<std::size_t> use_next_piece(TaskCall& call) {
  std::size_t bytes = 0;
  for (;;) {
    Result<Bytes> piece = co_await next_piece(*call.body);
    if (!piece || piece->empty()) break;
    bytes += piece->size();
  }
  co_return bytes;
}

// value.h
void use_value() {
  Value order = Value::object({{"id", 7}, {"tags", Value::array({"new", "paid"})}});
  Result<int> id = order["id"].as<int>();
  for (auto [key, value] : order.members()) { /* … */
  }
  std::cout << "value.h: " << *id << '\n';
}

// json.h
void use_json() {
  Result<Value> order = from_json(R"({"id": 7, "tags": ["new"]})");
  Result<std::string> text = to_json(*order);
  std::cout << "json.h: " << *text << '\n';
}

// builder.h
Result<> use_builder() {
  Builder builder;
  const ValueView parent = builder.open(Kind::object);
  const ValueView child = builder.object({{"name", builder.string("Eve")}, {"parent", parent}});
  CORDON_TRY(builder.fill(parent, {{"child", child}}));
  Value family = builder.finish(parent);
  std::cout << "builder.h: " << family["child"]["parent"]["child"]["name"].as_string() << '\n';
  return {};
}

// msgpack.h
void use_msgpack() {
  Result<Bytes> bytes = to_msgpack(Value::array({1, "two"}));
  Result<Value> list = from_msgpack(*bytes);
  std::cout << "msgpack.h: " << debug_text(*list) << '\n';
}

// serializer.h
void use_serializer() {
  Serializer serializer;
  Result<std::string> tree = serializer.stringify(Value::object({{"when", Value::date(0)}}));
  Result<std::string> graph = serializer.serialize(Value::array({1, 2}));
  Result<Value> value = serializer.parse(*graph);
  std::cout << "serializer.h: " << *tree << ' ' << debug_text(*value) << '\n';
}

// provider.h
Result<Value> read_database(const Value& input) { return 5; }

void use_provider() {
  Provider shop("shop");
  shop.add("price",
           [](Value input) -> Result<Value> { return Value(input["amount"].value_or(1) * 250); });
  shop.add_blocking("stock", [](Value input) -> Result<Value> { return read_database(input); });
  Result<Engine> engine = Engine::create({});
  const ExecuteOptions options{.providers = {shop}};
  Report report =
      engine->execute("await shop.price({amount: 2}) + await shop.stock()", options).get();
  std::cout << "provider.h: " << debug_text(report.result) << '\n';
}

// engine.h
void use_engine() {
  // clang-format off
  Result<Engine> engine = Engine::create({});
  Provider tools("tools");
  tools.add("add", [](Value in) -> Result<Value> {
    return in["a"].value_or(0) + in["b"].value_or(0);
  });
  Execution run = engine->execute("await tools.add({a: 40, b: 2})", {.providers = {tools}});
  Report report = run.get();  // report.result == 42
  // clang-format on
  std::cout << "engine.h: " << (report.result == 42 ? "42" : "not 42") << '\n';
}

// module.h
void use_module() {
  // clang-format off
  Result<Engine> engine = Engine::create({});
  Result<Module> shop = engine->load(
      "let sold = 0; export const sell = ({count}) => (sold += count);", {.name = "shop.js"});
  Report report = shop->call("sell", Value::object({{"count", 3}})).get();  // report.result == 3
  // clang-format on
  std::cout << "module.h: " << debug_text(report.result) << '\n';
}

// execution.h and task.h
struct Pages {
  Engine& engine;
  ExecuteOptions options = {};

  void get_report() {
    engine.execute("1 + 1").then([](Report report) { /* … */ });
    Report report = engine.execute("1 + 1").get();
    std::cout << "execution.h: get " << debug_text(report.result) << '\n';
  }

  Coroutine<Result<Value>> await_report(Value) {
    Report report = co_await engine.execute("1 + 1");
    co_return report.result;
  }

  Coroutine<Result<Value>> lookup(Value input) {
    Report page = co_await engine.execute("fetchPage()", options);
    co_return page.result;
  }
};

void use_tasks() {
  Result<Engine> engine = Engine::create({});
  Pages pages{*engine};
  pages.get_report();
  Provider tools("tools");
  tools.add("two", [&](Value input) { return pages.await_report(input); });
  tools.add("page", [&](Value input) { return pages.lookup(input); });
  const ExecuteOptions options{.providers = {tools}};
  Report report = engine->execute("[await tools.two(), await tools.page()]", options).get();
  std::cout << "execution.h, coroutine.h: co_await " << debug_text(report.result) << '\n';
}

}  // namespace

int main() {
  std::cout << "result.h: " << *port(Value::object({{"port", 80}})) << '\n';
  use_value();
  use_json();
  if (Result<> built = use_builder(); !built) return 1;
  use_msgpack();
  use_serializer();
  use_provider();
  use_engine();
  use_module();
  use_tasks();
}

// Output:
// result.h: 80
// value.h: 7
// json.h: {"id":7,"tags":["new"]}
// builder.h: Eve
// msgpack.h: [1, "two"]
// serializer.h: {"when":{"__type":"Date","value":"1970-01-01T00:00:00.000Z"}} [1, 2]
// provider.h: 505
// engine.h: 42
// module.h: 3
// execution.h: get 2
// execution.h, coroutine.h: co_await [2, null]
