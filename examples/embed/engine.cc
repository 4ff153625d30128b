// Engine and EngineOptions: who runs the guests, how many at once, and what happens past that.

#include <algorithm>
#include <chrono>
#include <future>
#include <iostream>
#include <thread>
#include <vector>

#include <cordon/cordon.h>

using namespace cordon;
using namespace std::chrono_literals;

// Workers run the guests. This is what a server wants.
void with_workers(Engine& engine) {
  std::vector<std::future<Report>> reports;
  for (int i = 0; i < 100; ++i) reports.push_back(engine.execute("6 * 7").future());
  double sum = 0;
  for (std::future<Report>& report : reports) sum += report.get().result.as_number();
  std::cout << "workers: " << sum << '\n';
}

// Without workers the thread that waits in get() runs them.
void with_this_thread(Engine& engine) {
  std::cout << "this thread: " << engine.execute("6 * 7").get().result.as_number() << '\n';
}

// A program with a loop of its own gives the engine some time in each round.
void with_own_loop(Engine& engine) {
  bool done = false;
  engine.execute("6 * 7").then([&](Report report) {
    std::cout << "own loop: " << report.result.as_number() << '\n';
    done = true;
  });
  while (!done) {
    const auto again = engine.run_some(5ms);
    // The loop's other work comes here. Then it sleeps until `again` at the latest; a tool may have
    // answered before, so not for long.
    std::this_thread::sleep_until(std::min(again, std::chrono::steady_clock::now() + 1ms));
  }
}

// Past its slots executions queue, and past the queue they end at once.
void past_its_bounds(Engine& engine) {
  Provider door("door");
  std::vector<Reply> waiting;
  door.add("wait", [&](Value, Reply reply) { waiting.push_back(std::move(reply)); });
  std::vector<std::string> ends;
  for (int i = 0; i < 4; ++i) {
    engine.execute("await door.wait()", {.providers = {door}}).then([&](Report report) {
      ends.push_back(report.ok() ? "ok" : std::string(report.error.code_text()));
    });
  }
  engine.run_some(5ms);
  const Engine::Figures load = engine.figures();
  std::cout << load.running << " running, " << load.queued << " queued, " << ends.at(0) << '\n';
  while (ends.size() < 4) {
    for (Reply& reply : std::exchange(waiting, {})) reply(Value());
    engine.run_some(5ms);
  }
  for (const std::string& end : ends) std::cout << end << '\n';
}

int main() {
  Result<Engine> workers = Engine::create({.workers = 2, .slots = 32});
  Result<Engine> own = Engine::create({.workers = 0, .slots = 2, .queue = 1});
  if (!workers || !own) return 1;
  with_workers(*workers);
  with_this_thread(*own);
  with_own_loop(*own);
  past_its_bounds(*own);
}

// Output:
// workers: 4200
// this thread: 42
// own loop: 42
// 2 running, 1 queued, overloaded
// overloaded
// ok
// ok
// ok
