#pragma once

// Module: an ES module whose top level has run once and whose functions you call any number of
// times.
//
//   Result<Module> shop = engine->load(
//       "let sold = 0; export const sell = ({count}) => (sold += count);", {.name = "shop.js"});
//   Report report = shop->call("sell", Value::object({{"count", 3}})).get();  // report.result == 3
//
// Each call runs in a fresh sandbox that starts from the state after the top level, for the price
// of copying that state. No call sees what another one did. keep() gives you a sandbox that stays
// and remembers.

#include "cordon/needs_cxx23.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/execution.h"
#include "cordon/export.h"
#include "cordon/provider.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon {

class Engine;
class KeptModule;

namespace detail {
struct ModuleAccess;
}

// A handle: copies are the same module, and any thread may use it. It does not keep its engine
// alive. Calls after the engine's end are `overloaded`.
class CORDON_API Module {
 public:
  // The names of the exported functions. The default export is called "default".
  const std::vector<std::string>& functions() const;
  bool has(std::string_view function) const;

  // Calls an exported function with one argument. Without options the call has those that the
  // module was loaded with: limits, providers, modules and observers. In options that you pass,
  // `input`, `name`, `program` and `values` are ignored, and tools are found by the names that the
  // top level saw. A function that does not exist fails like one that throws. A default export that
  // is not a function is the result itself.
  [[nodiscard]] Execution call(std::string_view function, Value input = Value()) const;
  [[nodiscard]] Execution call(std::string_view function, Value input,
                               ExecuteOptions options) const;
  // The same with up to eight arguments.
  [[nodiscard]] Execution apply(std::string_view function, std::vector<Value> arguments) const;
  [[nodiscard]] Execution apply(std::string_view function, std::vector<Value> arguments,
                                ExecuteOptions options) const;

  // The exported functions as tools. Each call takes a fresh sandbox, while its caller keeps its
  // own and waits. An engine that runs both needs slots for both.
  Provider provider(std::string_view name) const;
  Provider provider(std::string_view name, ExecuteOptions options) const;

  // A sandbox that stays and keeps its state from call to call. It takes a slot of the engine.
  // Waits until the sandbox is ready. Fails if the engine is overloaded or the memory too small.
  Result<KeptModule> keep() const;
  Result<KeptModule> keep(ExecuteOptions options) const;

  // The same module on another engine of this process: load once, call on every engine.
  Module on(Engine& engine) const;

  // The size of the state that a call's sandbox starts from. It is copied, or mapped if it is
  // large; a call then pays only for the parts that it touches.
  std::size_t bytes() const;

 private:
  struct State;
  friend struct detail::ModuleAccess;
  explicit Module(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

// A module in a sandbox that stays. A handle: copies are the same sandbox, and any thread may use
// it. The sandbox ends with the last handle and the last provider made from it. TimePolicy says
// what its time limits mean. Once it has met a limit, all further calls fail.
class CORDON_API KeptModule {
 public:
  const std::vector<std::string>& functions() const;

  // Waits for the answer. If the engine has no workers, this thread runs the guest meanwhile.
  Result<Value> call(std::string_view function, Value input = Value()) const;
  // Calls `done` once, on the thread that drives the guest. Do not wait in it.
  void call(std::string_view function, Value input,
            std::move_only_function<void(Result<Value>)> done) const;

  // The exported functions as tools, all in this one sandbox.
  Provider provider(std::string_view name) const;

 private:
  struct State;
  friend struct detail::ModuleAccess;
  explicit KeptModule(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace cordon
