// Plugin: functions of a WebAssembly module in a jailed process, here examples/plugin/rank.c.

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;
using namespace std::chrono_literals;

Coroutine<Result<Value>> smallest(Plugin& plugin, Value params) {
  Result<Value> ranks = co_await plugin.start("rank", params);
  if (!ranks) co_return fail(ErrorCode::tool_error, ranks.error().message);
  co_return ranks->share(ranks->at(0));
}

// What is asked of a plugin, and of what it calls.
PluginOptions careful(const Provider& shop) {
  const Value numbers =
      Value::object({{"type", "array"}, {"items", Value::object({{"type", "number"}})}});
  PluginOptions options{.wasm = "rank.wasm"};
  options.functions["rank"] = {.params = numbers, .result = numbers, .timeout = 2s};
  options.callbacks = shop;
  options.callback_functions["price"] = {.result = Value::object({{"type", "number"}}),
                                         .timeout = 50ms};
  return options;
}

int main(int, char** arguments) {
  // The module lies beside this program, and `cordon` near it.
  const std::filesystem::path folder = std::filesystem::absolute(arguments[0]).parent_path();
  std::filesystem::current_path(folder);
  setenv("PATH", (folder.parent_path() / "bin").c_str(), 1);

  Result<Plugin> plugin = Plugin::create({.wasm = "rank.wasm"});
  Result<Value> ranks = plugin->call("rank", Value::array({3, 1, 2}));
  if (!ranks) std::cerr << ranks.error() << '\n';
  std::cout << "ranks: " << debug_text(ranks.value_or(Value())) << '\n';

  const Result<Value> unknown = plugin->call("nope");
  std::cout << unknown.error() << '\n';

  const Value params = Value::object({{"category", "tools"}});
  PluginStream items = plugin->stream("listItems", params, "toolStreamId");
  while (true) {
    Result<std::optional<Value>> item = items.next();
    if (!item || !*item) break;
    std::cout << "item: " << (*item)->as_string() << '\n';
  }
  std::cout << "processes: " << plugin->figures().starts << '\n';

  const Result<Value> least = start(smallest(*plugin, Value::array({3, 1, 2}))).get();
  std::cout << "smallest: " << debug_text(least.value_or(Value())) << '\n';

  Provider shop("shop");
  shop.add("price", [](Value) -> Result<Value> { return Value(250); });
  Result<Plugin> checked = Plugin::create(careful(shop));
  std::cout << checked->call("rank", Value::array({"a"})).error().code << '\n';
}

// Output:
// ranks: [1, 2, 3]
// tool_error: no such function
// item: Hammer
// item: Wrench
// processes: 1
// smallest: 1
// invalid_argument
