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

#include "cordon/needs_cxx23.h"

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
#include "cordon/module.h"
#include "cordon/provider.h"
#include "cordon/result.h"

namespace cordon {

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
  // differs from a fresh one, some KiB; the answer restores it, and nobody sees the difference. So
  // many more may wait than there are slots. Where more than a hundred sandboxes are in use, it
  // waits 20 ms at most. Nothing: each keeps its sandbox to its end.
  std::optional<std::chrono::milliseconds> hibernate_after = {};
  // How many may hibernate, and what all of them may take. Those beyond keep their sandboxes, so
  // that in the end the queue is full, and new executions are `overloaded`.
  std::size_t max_hibernated = 1'000'000;
  std::uint64_t max_hibernated_bytes = std::uint64_t{1} << 30;
  // Seals the images of suspended executions (Report::suspended) with HMAC-SHA-256; 16 bytes at
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

  // Runs the top level of an ES module once; its functions are then called by their names, any
  // number of times. Waits until the module has been evaluated and until the tools that it called
  // have answered. Fails where it does not parse, throws, or meets a limit.
  Result<Module> load(std::string_view text, ExecuteOptions options = ExecuteOptions());

  // Goes on with a suspended execution (Report::suspended), with an answer to each of
  // its calls, in their order. Limits, providers, modules and observers are those of `options`;
  // tools are found again by their names. Fails where the image is damaged, of another version of
  // Cordon, not sealed with this engine's key, or larger than the limits allow: what it has beside
  // its guest's memory may take 64 MiB more than that.
  Result<Execution> resume(BytesView image, std::vector<Result<Value>> answers,
                           ExecuteOptions options = ExecuteOptions());
  // The calls that it waits for. An image without a seal may tell others than its program made.
  static Result<std::vector<PendingCall>> pending_calls(BytesView image, const Limits& limits = {},
                                                        BytesView image_key = {});

  // For callers that drive the engine themselves: runs what is ready for at most about `budget`.
  // Returns when run_some should be called again at the latest; before that, when a tool has
  // answered.
  std::chrono::steady_clock::time_point run_some(std::chrono::milliseconds budget);

  struct Figures {
    std::size_t running = 0;     // sandboxes in use: computing, ready, or waiting
    std::size_t waiting = 0;     // of these, those that wait for a tool, a client or a timer
    std::size_t queued = 0;      // executions that wait for a sandbox
    std::size_t hibernated = 0;  // wait as well, and gave their sandboxes back
  };
  Figures figures() const;

 private:
  friend struct detail::ModuleAccess;
  struct State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cordon
