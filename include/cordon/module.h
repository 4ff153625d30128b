#pragma once

// Module: an ES module whose top level has run once, and whose functions are called any number of
// times.
//
//   Result<Module> shop = engine->load(
//       "let sold = 0; export const sell = ({count}) => (sold += count);", {.name = "shop.js"});
//   Report report = shop->call("sell", Value::object({{"count", 3}})).get();  // report.result == 3
//
// Each call has a fresh sandbox that starts from what the top level left, for the price of copying
// it: nothing that one call does is seen by another. keep() gives one that stays, and remembers.

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

// A handle: copies mean the same module, and any thread may use it. It does not keep its engine
// alive: calls after the engine's end are `overloaded`.
class CORDON_API Module {
 public:
  // Names of the exported functions. That of the default export is "default".
  const std::vector<std::string>& functions() const;
  bool has(std::string_view function) const;

  // Calls an exported function with one argument. Without options, those that the module was loaded
  // with hold: limits, providers, modules and observers. In options that are given, `input`,
  // `name`, `program` and `values` do not count; tools are found by the names that the top level
  // saw. A function that does not exist fails like one that throws. A default export that is no
  // function is the result itself.
  [[nodiscard]] Execution call(std::string_view function, Value input = Value()) const;
  [[nodiscard]] Execution call(std::string_view function, Value input,
                               ExecuteOptions options) const;
  // The same with any number of arguments up to eight.
  [[nodiscard]] Execution apply(std::string_view function, std::vector<Value> arguments) const;
  [[nodiscard]] Execution apply(std::string_view function, std::vector<Value> arguments,
                                ExecuteOptions options) const;

  // The exported functions as tools. Each call has a fresh sandbox, beside the one that the caller
  // keeps while it waits: an engine that runs both needs slots for both.
  Provider provider(std::string_view name) const;
  Provider provider(std::string_view name, ExecuteOptions options) const;

  // A sandbox of its own that stays, and keeps its state from call to call. It takes a slot of the
  // engine. Waits until it is there; fails where the engine is overloaded or the memory too small.
  Result<KeptModule> keep() const;
  Result<KeptModule> keep(ExecuteOptions options) const;

  // The same module on another engine of this process: load once, call on every engine.
  Module on(Engine& engine) const;

  // What a sandbox has at its start that an empty one has not. It is copied, or mapped where it is
  // large, and then costs what the call touches of it.
  std::size_t bytes() const;

 private:
  struct State;
  friend struct detail::ModuleAccess;
  explicit Module(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

// A module in a sandbox that stays. A handle: copies mean the same sandbox, any thread may use it,
// and the sandbox ends with the last of them and of the providers made of it. TimePolicy says what
// its limits of time mean. One that met a limit is gone: all further calls fail.
class CORDON_API KeptModule {
 public:
  const std::vector<std::string>& functions() const;

  // Waits for the answer. An engine without workers is driven by this thread meanwhile.
  Result<Value> call(std::string_view function, Value input = Value()) const;
  // `done` is called once, by the thread that drives the guest. Do not wait in it.
  void call(std::string_view function, Value input,
            std::move_only_function<void(Result<Value>)> done) const;

  // The exported functions as tools, all of this one sandbox.
  Provider provider(std::string_view name) const;

 private:
  struct State;
  friend struct detail::ModuleAccess;
  explicit KeptModule(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace cordon
