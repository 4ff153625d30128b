// Engine::load_provider: a JavaScript module whose exported functions are tools, in a sandbox of
// its own.

#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

int main() {
  Result<Engine> engine = Engine::create_one_shot();
  if (!engine) return 1;

  // The module keeps its state from call to call, for all executions that use the provider.
  constexpr std::string_view module = R"(
    let count = 0;
    export const next = ({by = 1} = {}) => (count += by);
    export function reset() { count = 0; }
    export const step = 1;  // not a function, so not a tool
  )";
  Result<Provider> counter = engine->load_provider("counter", module, {.name = "counter.js"});
  if (!counter) return 1;
  for (const Tool& tool : counter->tools()) std::cout << "tool " << tool.name << '\n';

  const auto run = [&](std::string_view code) {
    return debug_text(engine->execute(code, {.providers = {*counter}}).get().result);
  };
  std::cout << run("await counter.next()") << '\n';
  std::cout << run("await counter.next({by: 10})") << '\n';
  std::cout << run("await counter.reset()") << '\n';
  std::cout << run("await counter.next()") << '\n';

  // A module that does not load says why.
  const Result<Provider> broken = engine->load_provider("broken", "throw new Error('no licence')");
  std::cout << broken.error() << '\n';
}

// Output:
// tool next
// tool reset
// 1
// 11
// undefined
// 1
// tool_error: no licence (program.js:1:7)
