#pragma once

// The JavaScript guest of this build: QuickJS-ng with our shim, already initialised, as machine
// code inside the program.

#include <cstdint>
#include <memory>

#include "cordon/base/bytes.h"
#include "cordon/base/thread_annotations.h"
#include "cordon/result.h"
#include "cordon/sandbox/engine.h"
#include "cordon/sandbox/module.h"

namespace cordon::js {

// The compiled guest, embedded in this program.
BytesView guest_code();

// Loaded once per engine. Any thread may make any number of guests from it.
class GuestModule {
 public:
  static Result<std::unique_ptr<GuestModule>> create(const sandbox::EngineOptions& options);

  const sandbox::Engine& engine() const { return engine_; }
  const sandbox::Template& code() const { return template_; }
  // The address of the inbox for small messages in every guest's memory.
  std::uint32_t inbox_address() const { return inbox_address_; }
  // The stack lies between address 0 and this one in every guest's memory. It is empty when no code
  // runs.
  std::uint32_t stack_top() const { return stack_top_; }
  // The memory of a fresh guest. The first call reads it, which takes a slot for a moment. Any
  // thread may call it.
  Result<BytesView> base_memory() const;

 private:
  GuestModule(sandbox::Engine engine, sandbox::Module module);

  sandbox::Engine engine_;
  sandbox::Module module_;
  sandbox::Template template_;
  std::uint32_t inbox_address_ = 0;
  std::uint32_t stack_top_ = 0;
  mutable Mutex base_mutex_;
  mutable Bytes base_memory_ CORDON_GUARDED_BY(base_mutex_);
};

}  // namespace cordon::js
