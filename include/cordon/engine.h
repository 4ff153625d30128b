#pragma once

// Engine: runs guest programs, each in a sandbox of its own.
//
//   Result<Engine> engine = Engine::create({});
//   Provider tools("tools");
//   tools.add("add", [](Value in) -> Result<Value> {
//     return in["a"].value_or(0) + in["b"].value_or(0);
//   });
//   Execution run = engine->execute("await tools.add({a: 40, b: 2})", {.providers = {tools}});
//   Report report = run.get();  // report.result == 42

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/bytes.h"
#include "cordon/execution.h"
#include "cordon/export.h"
#include "cordon/limits.h"
#include "cordon/provider.h"
#include "cordon/result.h"

namespace cordon {

namespace host {
class Scheduler;
class ScriptTask;
}  // namespace host

struct EngineOptions {
  // Threads that run guests, one a processor unless you say otherwise. With 0 there are none: the
  // thread that calls Execution::get or Engine::run_some runs them, and nobody else.
  std::size_t workers = processors();
  // How many executions may be under way at once; those beyond wait for their turn.
  std::size_t slots = 16;
  // How many may wait for their turn; one more ends at once with the code `overloaded`.
  std::size_t queue = 10'000;
  // How long a guest computes before others get their turn.
  std::chrono::milliseconds slice{5};
  // Lowers a larger Limits::memory_bytes.
  std::uint64_t memory_ceiling_bytes = max_memory_bytes;
  // Address space for all slots is set aside at the start, which makes each start cheap. Without it
  // a process that runs a few programs starts sooner.
  bool pool = true;
  // An execution that has waited this long for its tools gives its sandbox back and is kept as what
  // differs from a fresh one, some KiB; the answer wakes it, and nobody sees that it slept. So many
  // more may wait than there are slots. Where more than a hundred sandboxes are in use, it waits
  // 20 ms at most. Nothing: each keeps its sandbox to its end.
  std::optional<std::chrono::milliseconds> sleep_after = {};
  // How many may sleep, and what all of them may take. Those beyond keep their sandboxes, so that
  // in the end the queue is full, and new executions are `overloaded`.
  std::size_t most_asleep = 1'000'000;
  std::uint64_t most_asleep_bytes = std::uint64_t{1} << 30;
  // Seals the images of executions that sleep (Report::asleep) with HMAC-SHA-256; 16 bytes at
  // least. An engine with a key reads images with its seal and no others, one without a key reads
  // those without a seal. Give one wherever images lie where others could write: an image is a
  // program that runs with the tools which are given to it.
  Bytes image_key = {};
  // For callers that drive the engine themselves: something is ready for run_some. Called by any
  // thread, under a lock: it may write to a pipe, but not call the engine.
  std::function<void()> on_ready = {};
};

// A handle: it may be moved. Destroying it cancels what still runs and waits for the workers. Any
// thread may call any member at any time.
class CORDON_API Engine {
 public:
  static Result<Engine> create(const EngineOptions& options);
  // For a process that runs one program: no workers, no pool.
  static Result<Engine> create_one_shot(Bytes image_key = {});
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // Takes a script with top-level await whose last expression is the result, one function that is
  // then called, a body with `return`, an ES module, or any of these in a Markdown fence.
  [[nodiscard]] Execution execute(std::string_view code, ExecuteOptions options = ExecuteOptions());

  // A module in a sandbox of its own, whose exported functions are the tools. It keeps its state
  // from call to call and lives as long as the Provider. Waits until the module has been evaluated.
  Result<Provider> load_provider(std::string_view name, std::string_view module,
                                 ExecuteOptions options = ExecuteOptions());

  // Goes on with an execution that was put to sleep (Report::asleep), with an answer to each of its
  // calls, in their order. Limits, providers, modules and observers are those of `options`; tools
  // are found again by their names. Fails where the image is damaged, of another version of Cordon,
  // not sealed with this engine's key, or larger than the limits allow: what it has beside its
  // guest's memory may take 64 MiB more than that.
  Result<Execution> resume(BytesView image, std::vector<Result<Value>> answers,
                           ExecuteOptions options = ExecuteOptions());
  // The calls that it waits for. An image without a seal may tell others than its program made.
  static Result<std::vector<PendingCall>> pending_calls(BytesView image, const Limits& limits = {},
                                                        BytesView image_key = {});

  // Runs the top level of a module once. What it left is where execute() then starts from, any
  // number of times, for the price of copying it: the default export is called with
  // ExecuteOptions::input, or is the result where it is no function. Nothing that one execution
  // does to the module is seen by another. Tools are those of the names that were there for
  // prepare(). Waits until the module has been evaluated.
  Result<Prepared> prepare(std::string_view module, ExecuteOptions options = ExecuteOptions());
  [[nodiscard]] Execution execute(const Prepared& prepared,
                                  ExecuteOptions options = ExecuteOptions());

  // For callers that drive the engine themselves: runs what is ready for at most about `budget`.
  // Returns when run_some should be called again at the latest; before that, when a tool has
  // answered.
  std::chrono::steady_clock::time_point run_some(std::chrono::milliseconds budget);

  struct Load {
    std::size_t running = 0;  // sandboxes in use: computing, ready, or waiting
    std::size_t waiting = 0;  // of these, those that wait for a tool, a client or a timer
    std::size_t queued = 0;   // executions that wait for a sandbox
    std::size_t asleep = 0;   // wait as well, and gave their sandboxes back
  };
  Load load() const;

 private:
  friend class host::ScriptTask;
  explicit Engine(std::shared_ptr<host::Scheduler> scheduler);
  std::shared_ptr<host::Scheduler> scheduler_;
};

}  // namespace cordon
