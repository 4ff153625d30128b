#pragma once

// Wasmtime with our configuration: what the machine code of every guest may assume, and where its
// memory comes from.
//
// An Engine is safe to use from many threads. It must outlive the modules and instances made with
// it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "cordon/result.h"

struct wasm_engine_t;

namespace cordon::sandbox {

class IdleSlots;
class KeptCopies;

// A slot is address space for one instance's memory, stack and table, ready for use. Without slots
// each instance maps its own, which suits a process that runs one.
struct EngineOptions {
  std::uint32_t slots = 0;
  // Stacks are held by guests that are running or were put off, never by those that wait.
  std::uint32_t stacks = 0;  // 0: as many as slots
};

class Engine {
 public:
  static Result<Engine> create(const EngineOptions& options);
  Engine(Engine&&) noexcept = default;
  Engine& operator=(Engine&&) = delete;
  ~Engine();

  // For the build: code that runs on every machine of this architecture that Cordon supports, which
  // is x86-64-v2 or any arm64.
  static Result<Engine> create_for_compiling();

  wasm_engine_t* raw() const { return raw_.get(); }

  // Null if there are no slots, or if it would not pay.
  const std::shared_ptr<KeptCopies>& kept_copies() const { return kept_copies_; }
  // Null where there are no slots. It may be used after the engine is gone, and is empty then.
  const std::shared_ptr<IdleSlots>& idle_slots() const { return idle_slots_; }

  // Advances the epoch: every running guest soon asks whether its slice is over. Async-signal-safe.
  void tick() const;

 private:
  struct Delete {
    void operator()(wasm_engine_t* engine) const;
  };
  explicit Engine(wasm_engine_t* raw) : raw_(raw) {}

  std::unique_ptr<wasm_engine_t, Delete> raw_;
  std::shared_ptr<KeptCopies> kept_copies_;
  std::shared_ptr<IdleSlots> idle_slots_;
};

// Whether used slots are reset with the kernel's list of written pages (Linux 6.7 and newer)
// instead of by copying.
bool has_pagemap_scan();

std::string_view wasmtime_version();

}  // namespace cordon::sandbox
