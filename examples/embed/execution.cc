// Execution: four ways to its report, and cancel. Use one way, once.

#include <coroutine>
#include <exception>
#include <future>
#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

// Any coroutine type can await an execution. This one starts at once and is waited for by no one.
struct Started {
  struct promise_type {  // NOLINT(readability-identifier-naming): the language's name
    Started get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

Started add_up(Engine* engine, std::promise<double>* sum) {
  Execution first = engine->execute("40");
  Execution second = engine->execute("2");  // both are under way
  const Report one = co_await first;
  const Report two = co_await second;
  sum->set_value(one.result.as_number() + two.result.as_number());
}

int main() {
  Result<Engine> engine = Engine::create({.workers = 1});
  if (!engine) return 1;

  // Wait here.
  std::cout << "get: " << engine->execute("'a'").get().result.as_string() << '\n';

  // A future, for later. It needs an engine with workers, or another thread that drives it.
  std::future<Report> later = engine->execute("'b'").future();
  std::cout << "future: " << later.get().result.as_string() << '\n';

  // A callback, by the thread that ends the execution.
  std::promise<std::string> called;
  engine->execute("'c'").then(
      [&](Report report) { called.set_value(std::string(report.result.as_string())); });
  std::cout << "then: " << called.get_future().get() << '\n';

  // A coroutine. It resumes on the worker that ended the execution.
  std::promise<double> sum;
  add_up(&*engine, &sum);
  std::cout << "co_await: " << sum.get_future().get() << '\n';

  // Cancel: from any thread, at any moment. No more guest code runs, not even `finally`.
  Execution endless = engine->execute("try { for (;;); } finally { console.log('never') }");
  endless.cancel();
  const Report report = endless.get();
  std::cout << "cancel: " << report.error.code << ", " << report.logs.size() << " log lines\n";
}

// Output:
// get: a
// future: b
// then: c
// co_await: 42
// cancel: cancelled, 0 log lines
