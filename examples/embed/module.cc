// Module: an ES module whose top level runs once, and whose functions are called by their names.

#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

int main() {
  Result<Engine> engine = Engine::create_one_shot();
  if (!engine) return 1;

  constexpr std::string_view text = R"(
    const primes = [];
    for (let n = 2; primes.length < 1000; ++n) if (primes.every(p => n % p)) primes.push(n);
    let calls = 0;
    export const prime = ({index}) => ({prime: primes[index], calls: ++calls});
    export const isPrime = (n) => primes.includes(n);
    export const most = primes.at(-1);  // not a function, so it cannot be called
  )";
  Result<Module> primes = engine->load(text, {.name = "primes.js"});
  if (!primes) {
    std::cerr << primes.error() << '\n';
    return 1;
  }
  for (const std::string& function : primes->functions()) std::cout << function << '\n';

  // Each call has a fresh sandbox that starts from what the top level left.
  for (const int index : {0, 99, 999}) {
    Execution call = primes->call("prime", Value::object({{"index", index}}));
    std::cout << debug_text(call.get().result) << '\n';
  }
  std::cout << primes->call("next").get().error.message << '\n';

  // The functions as tools, each call in a fresh sandbox too.
  const Provider tools = primes->provider("numbers");
  const Report report =
      engine->execute("await numbers.isPrime(7919)", {.providers = {tools}}).get();
  std::cout << debug_text(report.result) << '\n';

  // One that stays keeps its state from call to call, for all that use it.
  Result<KeptModule> kept = primes->keep();
  if (!kept) return 1;
  (void)kept->call("prime", Value::object({{"index", 1}}));
  const Report counted =
      engine->execute("await kept.prime({index: 2})", {.providers = {kept->provider("kept")}})
          .get();
  std::cout << debug_text(counted.result) << '\n';

  // Loaded once, and called on another engine.
  Result<Engine> other = Engine::create({.workers = 2});
  if (!other) return 1;
  std::cout << debug_text(primes->on(*other).call("isPrime", 8).get().result) << '\n';

  // A module that does not load says why.
  const Result<Module> broken = engine->load("throw new Error('no licence')");
  std::cout << broken.error() << '\n';
}

// Output:
// isPrime
// prime
// {"prime": 2, "calls": 1}
// {"prime": 541, "calls": 1}
// {"prime": 7919, "calls": 1}
// the module exports no function 'next'
// true
// {"prime": 5, "calls": 2}
// false
// runtime_error: no licence (program.js:1:7)
