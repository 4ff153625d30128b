#pragma once

// Code that instances are made from: compiled at build time, loaded at start, and linked with the
// host functions that it imports.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/result.h"
#include "cordon/sandbox/engine.h"

struct wasmtime_instance_pre;
struct wasmtime_module;

namespace cordon::sandbox {

class Instance;

// An argument or result of a host function. Results overwrite the arguments from the first on.
union alignas(16) RawValue {
  std::int32_t i32;
  std::int64_t i64;
  double f64;
};

enum class Proceed {
  on,
  stop,  // the guest is unwound at once: none of its code runs again
  wait,  // only if may_wait: there is no answer yet, and Instance::run returns `waiting`
};

struct HostFunction {
  std::string_view name;
  // One letter per parameter, a colon, and one per result: "iii:I". i is i32, I is i64, d is f64.
  std::string_view signature;
  Proceed (*call)(Instance& instance, std::span<RawValue> values);
  // If the function returns `wait`, the guest stays in the middle of the call. Each Instance::run
  // then calls the function again with the same arguments until it returns something else.
  bool may_wait = false;
};

// Machine code of a WebAssembly module, for the Engine it was made with.
class Module {
 public:
  // Only for bytes that this build's own compiler wrote, never for bytes from outside.
  static Result<Module> load(const Engine& engine, BytesView compiled);
  // The same for bytes that are part of the program and begin at a page. They are not copied unless
  // they are loaded again.
  static Result<Module> load_in_place(const Engine& engine, BytesView compiled);
  static Result<Module> compile(const Engine& engine, BytesView wasm);
  // Bytes for load().
  Result<Bytes> serialize() const;

  // "cordon.emit", in the module's order.
  std::vector<std::string> imports() const;

  wasmtime_module* raw() const { return raw_.get(); }

 private:
  struct Delete {
    void operator()(wasmtime_module* module) const;
  };
  explicit Module(wasmtime_module* raw) : raw_(raw) {}

  std::unique_ptr<wasmtime_module, Delete> raw_;
};

enum class Missing { refused, traps };

// A module with its imports resolved, from which instances are made. It exports `memory` and
// `enter(i32, i32) -> i32`, or the function that InstanceLimits names.
class Template {
 public:
  // `functions` resolve the imports of the module named `space`. An import that stays unresolved is
  // an error, or traps when it is called.
  static Result<Template> create(const Engine& engine, const Module& module, std::string_view space,
                                 std::span<const HostFunction> functions,
                                 Missing missing = Missing::refused);

  Template() = default;  // without a module

  wasmtime_instance_pre* raw() const { return raw_.get(); }
  const Engine& engine() const { return *engine_; }

 private:
  struct Delete {
    void operator()(wasmtime_instance_pre* pre) const;
  };
  Template(const Engine& engine, wasmtime_instance_pre* raw) : engine_(&engine), raw_(raw) {}

  const Engine* engine_ = nullptr;
  std::unique_ptr<wasmtime_instance_pre, Delete> raw_;
};

// WebAssembly from its text format.
Result<Bytes> from_text(std::string_view text);

// For the build: runs a module's `initialize` and returns the module with the memory that it left.
Result<Bytes> snapshot(BytesView wasm, const char* init_function);

// For the build: compiles a module that we wrote to machine code for Module::load. It has fewer
// checks for interruption than Module::compile inserts, so never use it for a module from outside
// (runtime/src/checks.rs).
Result<Bytes> compile_ahead(const Engine& engine, BytesView wasm);

}  // namespace cordon::sandbox
