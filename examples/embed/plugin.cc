// Plugin: functions of a WebAssembly module in a jailed process, here examples/plugin/rank.c.

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

int main(int, char** arguments) {
  // The module lies beside this program, and `cordon` near it.
  const std::filesystem::path folder = std::filesystem::absolute(arguments[0]).parent_path();
  std::filesystem::current_path(folder);
  setenv("PATH", (folder.parent_path() / "bin").c_str(), 1);

  Result<Plugin> plugin = Plugin::create({.wasm = "rank.wasm"});
  PluginResult<Value> ranks = plugin->call("rank", Value::array({3, 1, 2}));
  if (!ranks) std::cerr << ranks.error().code << ": " << ranks.error().message << "\n";
  std::cout << "ranks: " << debug_text(ranks.value_or(Value())) << '\n';

  const PluginResult<Value> unknown = plugin->call("nope");
  std::cout << unknown.error().code << ": " << unknown.error().message << '\n';

  const Value params = Value::object({{"category", "tools"}});
  PluginStream items = plugin->stream("listItems", params, "toolStreamId");
  while (true) {
    PluginResult<std::optional<Value>> item = items.next();
    if (!item || !*item) break;
    std::cout << "item: " << (*item)->as_string() << '\n';
  }
  std::cout << "processes: " << plugin->figures().starts << '\n';
}

// Output:
// ranks: [1, 2, 3]
// function_error: no such function
// item: Hammer
// item: Wrench
// processes: 1
