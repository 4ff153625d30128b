// Compiles: what the other files do, done right. Where this fails, their errors mean nothing.

#include <mutex>

#include <cordon/cordon.h>

using namespace cordon;

Result<> use(Provider& provider, Server& server, Engine& engine, Reply reply) {
  provider.add("plain", [](Value input) -> Result<Value> { return input; });
  provider.add("stoppable", [](Value input, std::stop_token) -> Result<Value> { return input; });
  provider.add("reply", [](Value input, Reply to) { to(input); });
  provider.add("coroutine", [](Value input) -> Coroutine<Result<Value>> { co_return input; });
  provider.add_blocking("blocking", [](Value input) -> Result<Value> { return input; });
  provider.add_any_blocking([](std::string, Value input) -> Result<Value> { return input; });
  server.task("plain", [](Value input) -> Result<Value> { return input; });
  server.task("script", Script{.code = "export default () => 1"});
  server.task_blocking("blocking", [](Value input) -> Result<Value> { return input; });
  server.event("event", [](Value input) -> Result<Value> { return input; });
  Execution execution = engine.execute("1");
  const Reply moved = std::move(reply);
  CORDON_TRY(Value(1).as<int>());
  return server.open();
}
