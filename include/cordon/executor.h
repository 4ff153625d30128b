#pragma once

// Executor: runs programs on runners that speak execbox, with their tools here. A runner is a
// process that is started for each execution, one that listens on a socket, or the engine of this
// process; programs and reports are the same.
//
//   ExecutorOptions options{.runner = "cordon runner", .spares = 2};
//   Result<Executor> executor = Executor::create(options);
//   Report report = executor->execute("await tools.add({a: 40, b: 2})", {.providers = {tools}});

#include "cordon/needs_cxx23.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
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
  // Executions at once. Further ones wait, and their time runs.
  std::size_t max_executions = 64;
  // Processes that are started before they are needed, and then used once.
  std::size_t spares = 0;
  // Gets what processes write to standard error. Several threads may call it at once.
  std::function<void(std::string_view)> on_errors = {};
};

// A handle, which can be moved. Any number of threads may use it at once.
class CORDON_API Executor {
 public:
  // Fails if the runner is no target, or if a process of it cannot be started.
  static Result<Executor> create(ExecutorOptions options);
  ~Executor();
  Executor(Executor&&) noexcept;
  Executor& operator=(Executor&&) noexcept;

  // Runs a program to its end, in this thread. An execution is sent to one runner, once. If that
  // runner breaks the protocol or goes away, the report says `runner_error`.
  //
  // On a runner elsewhere, imports do not cross, tools of an open provider (Provider::add_any) are
  // not seen, and `on_log` is called at the end. Tools that are modules need an engine with
  // workers. A stop ends the execution as Execution::cancel does.
  Report execute(std::string_view code, ExecuteOptions options = ExecuteOptions(),
                 std::stop_token stop = {});

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
