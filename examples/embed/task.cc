// Task: a tool as a coroutine that awaits other programs. No thread waits meanwhile.

#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

// Runs two programs, one after the other. One await a statement: g++ 12 likes it plain.
Coroutine<Result<Value>> mean(Engine* engine, Value numbers) {
  ExecuteOptions options;
  options.input = numbers;
  const Report sum = co_await engine->execute("input.reduce((a, b) => a + b)", options);
  if (!sum.ok()) co_return fail(ErrorCode::tool_error, sum.error.message);
  const Report count = co_await engine->execute("input.length", options);
  if (!count.ok()) co_return fail(ErrorCode::tool_error, count.error.message);
  co_return sum.result.as_number() / count.result.as_number();
}

int main() {
  Result<Engine> engine = Engine::create({});
  if (!engine) return 1;
  Provider statistics("statistics");
  statistics.add("mean", [&](Value numbers) { return mean(&*engine, numbers); });

  const ExecuteOptions options{.providers = {statistics}};
  const Report good = engine->execute("await statistics.mean([1, 2, 6])", options).get();
  std::cout << debug_text(good.result) << '\n';
  const Report bad = engine->execute("await statistics.mean([])", options).get();
  std::cout << bad.error.code << ": " << bad.error.message << '\n';
}

// Output:
// 3
// tool_error: Reduce of empty array with no initial value
