#pragma once

// Executor: runs programs on runners that speak execbox, with their tools here. A runner is a
// process that is started for each execution, one that listens on a socket, or the engine of this
// process; programs and reports are the same.
//
//   ExecutorOptions options{.runner = "cordon runner", .spares = 2};
//   Result<Executor> executor = Executor::create(options);
//   Execution sum = executor->execute("await tools.add({a: 40, b: 2})", {.providers = {tools}});
//   std::cout << "elsewhere: " << debug_text(sum.get().result) << '\n';

#include "cordon/needs_cxx23.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cordon/execution.h"
#include "cordon/export.h"
#include "cordon/result.h"

namespace cordon {

struct ExecutorOptions {
  // unix:PATH, tcp:[HOST:]PORT, ws://HOST:PORT/PATH, or else a command line, split as a shell does
  // it. Empty: the engine of this process.
  std::string runner = {};
  std::string token = {};  // that a runner on a socket asks for
  // A process has no network, may not write, and has no way into other processes.
  bool jail = true;
  // Executions at once. Further ones wait, and their time runs. An engine of this process has 1,000
  // at most.
  std::size_t max_executions = 64;
  // How many may wait. One more ends at once with the code `overloaded`.
  std::size_t max_waiting = 10'000;
  // Threads that drive executions on runners elsewhere, each any number of them. They also call
  // tools and observers.
  std::size_t threads = 1;
  // Processes that are started before they are needed, and then used once.
  std::size_t spares = 0;
  // Gets what processes write to standard error. Several threads may call it at once.
  std::function<void(std::string_view)> on_errors = {};
};

// A handle, which can be moved. Any number of threads may use it at once. Destroying it cancels
// what still runs, and waits for its end: not in a callback of one of its executions.
class CORDON_API Executor {
 public:
  // Fails if the runner is no target, or if a process of it cannot be started.
  static Result<Executor> create(ExecutorOptions options);
  ~Executor();
  Executor(Executor&&) noexcept;
  Executor& operator=(Executor&&) noexcept;

  // Starts a program. An execution is sent to one runner, once. If that runner breaks the protocol
  // or goes away, the report says `runner_error`.
  //
  // On a runner elsewhere no thread waits for an execution: one thread drives all of them, and
  // calls their tools. So a function that waits is added with Provider::add_blocking. Imports do
  // not cross, tools of an open provider (Provider::add_any) are not seen, and `on_log` is called
  // at the end. Tools that are modules need an engine with workers.
  [[nodiscard]] Execution execute(std::string_view code, ExecuteOptions options = ExecuteOptions());

  struct Figures {
    std::size_t running = 0;  // executions
    std::size_t waiting = 0;  // executions that wait for their turn
    std::size_t spares = 0;   // processes that are ready
    std::size_t started = 0;  // processes so far
  };
  Figures figures() const;

 private:
  struct State;
  explicit Executor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cordon
