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
  // Threads that run guests; by default one per processor. With 0 there are none, and only the
  // thread that calls Execution::get or Engine::run_some runs guests.
  std::size_t workers = processors();
  // How many executions may run at once. Further ones wait for their turn.
  std::size_t slots = 16;
  // How many may wait for their turn. One more ends at once with the code `overloaded`.
  std::size_t queue = 10'000;
  // How long a guest computes before others get their turn.
  std::chrono::milliseconds slice{5};
  // The upper bound of Limits::memory_bytes; a larger limit is lowered to it.
  std::uint64_t memory_ceiling_bytes = max_memory_bytes;
  // Reserves address space for all slots when the engine is created, which makes each execution
  // start cheaply. Without it a process that runs only a few programs starts sooner.
  bool pool = true;
  // An execution that has waited this long for its tools hibernates: it gives its sandbox back, and
  // only what differs from a fresh sandbox is kept, a few KiB. The answer restores it, and the
  // program cannot tell. So many more executions can wait than there are slots. When more than a
  // hundred sandboxes are in use, the delay is 20 ms at most. Without a value each execution keeps
  // its sandbox to its end.
  std::optional<std::chrono::milliseconds> hibernate_after = {};
  // How many executions may hibernate, and how many bytes all of them may take. Further ones keep
  // their sandboxes, so that in the end the queue is full and new executions are `overloaded`.
  std::size_t max_hibernated = 1'000'000;
  std::uint64_t max_hibernated_bytes = std::uint64_t{1} << 30;
  // Seals the images of suspended executions (Report::suspended) with HMAC-SHA-256; at least 16
  // bytes. An engine with a key reads only images with its seal, and an engine without a key only
  // those without a seal. Set a key if others can write where images are stored: an image is a
  // program that runs with the tools that you give it.
  Bytes image_key = {};
  // For callers that drive the engine themselves: called when something is ready for run_some, by
  // any thread and under a lock. It may write to a pipe, but must not call the engine.
  std::function<void()> on_ready = {};
};

// A handle, which can be moved. Destroying it cancels what still runs and waits for the workers.
// Any thread may call any member at any time.
class CORDON_API Engine {
 public:
  static Result<Engine> create(const EngineOptions& options);
  // For a process that runs one program: no workers, no pool.
  static Result<Engine> create_one_shot(Bytes image_key = {});
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // Runs a program: a script with top-level await whose last expression is the result, one function
  // that is then called, a body with `return`, an ES module, or any of these in a Markdown fence.
  [[nodiscard]] Execution execute(std::string_view code, ExecuteOptions options = ExecuteOptions());

  // Runs the top level of an ES module once. You can then call its functions by name, any number of
  // times. Waits until the module has been evaluated and the tools that it called have answered.
  // Fails if the module does not parse, throws, or meets a limit.
  Result<Module> load(std::string_view text, ExecuteOptions options = ExecuteOptions());

  // Resumes a suspended execution (Report::suspended). `answers` has an answer for each of its
  // calls, in their order. Limits, providers, modules and observers are those of `options`; tools
  // are found again by name. Fails if the image is damaged, comes from another version of Cordon,
  // is not sealed with this engine's key, or is larger than the limits allow: beside the guest's
  // memory it may take 64 MiB.
  Result<Execution> resume(BytesView image, std::vector<Result<Value>> answers,
                           ExecuteOptions options = ExecuteOptions());
  // The calls that a suspended execution waits for. An image without a seal may list calls that its
  // program never made.
  static Result<std::vector<PendingCall>> pending_calls(BytesView image, const Limits& limits = {},
                                                        BytesView image_key = {});

  // For callers that drive the engine themselves: runs what is ready, for about `budget` at most.
  // Returns the time by which you should call it again. Call it earlier if a tool has answered.
  std::chrono::steady_clock::time_point run_some(std::chrono::milliseconds budget);

  struct Figures {
    std::size_t running = 0;     // sandboxes in use: computing, ready, or waiting
    std::size_t waiting = 0;     // those of them that wait for a tool, a client or a timer
    std::size_t queued = 0;      // executions that wait for a sandbox
    std::size_t hibernated = 0;  // executions that wait without a sandbox
  };
  Figures figures() const;

  // Gives the pages that past executions left in unused sandboxes back to the system. They are kept
  // because the next executions start sooner with them. Call this when a burst is over. Running
  // executions are not touched.
  void give_memory_back() const;

 private:
  friend struct detail::ModuleAccess;
  struct State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cordon
