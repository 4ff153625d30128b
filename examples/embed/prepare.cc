// Engine::prepare: a module whose top level runs once; every execution starts from what it left.

#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

int main() {
  Result<Engine> engine = Engine::create({});
  if (!engine) return 1;

  constexpr std::string_view module = R"(
    const primes = [];
    for (let n = 2; primes.length < 1000; ++n) if (primes.every(p => n % p)) primes.push(n);
    let requests = 0;
    export default async function ({index}) {
      requests += 1;  // of a copy that is this execution's own
      return {prime: primes[index], requests};
    }
  )";
  Result<Prepared> task = engine->prepare(module, {.name = "primes.js"});
  if (!task) return 1;
  for (const int index : {0, 99, 999}) {
    Execution run = engine->execute(*task, {.input = Value::object({{"index", index}})});
    std::cout << debug_text(run.get().result) << '\n';
  }

  // An execution may also sleep where it calls a tool, and go on in another process.
  Provider tools("tools");
  tools.add("approve", [](Value) -> Result<Value> { return true; });
  const Report report =
      engine
          ->execute("const ok = await tools.approve({sum: 100}); ok ? 'paid' : 'no'",
                    {.providers = {tools}, .sleep_on = {"tools.approve"}})
          .get();
  if (!report.asleep) return 1;
  const Bytes& image = report.asleep->image;  // to a file, or a database
  std::cout << "asks " << debug_text(report.asleep->calls[0].input) << '\n';

  Result<Execution> resumed = engine->resume(image, {Value(true)}, {.providers = {tools}});
  if (!resumed) return 1;
  std::cout << debug_text(resumed->get().result) << '\n';
}

// Output:
// {"prime": 2, "requests": 1}
// {"prime": 541, "requests": 1}
// {"prime": 7919, "requests": 1}
// asks {"sum": 100}
// "paid"
