#include "cordon/sandbox/engine.h"

#include <string>
#include <utility>

#include <cordon_runtime.h>

#include "cordon/limits.h"
#include "cordon/sandbox/idle_slots.h"
#include "cordon/sandbox/kept_copies.h"
#include "cordon/sandbox/wasmtime_error.h"

namespace cordon::sandbox {
namespace {

constexpr std::uint64_t mib = 1024 * 1024;

// Cranelift needs about 0.8 KiB of native stack for a call that takes 340 bytes of the guest's own,
// so with this size a guest uses up its own stack first and throws a RangeError.
constexpr std::size_t guest_stack_bytes = 4 * mib;
// Host functions run on the guest's stack too, and need this much.
constexpr std::size_t host_stack_bytes = 1 * mib;

// If the kernel cannot tell which pages were written, a slot stays resident up to this size. That
// is the whole initial memory, since page faults cost more than copying it back.
constexpr std::size_t resident_bytes = 4 * mib;
constexpr std::size_t resident_stack_bytes = 64 * 1024;
constexpr std::size_t max_table_elements = 8192;

// What compiled code depends on: the same for the build and for every run.
wasm_config_t* new_config() {
  wasm_config_t* config = wasm_config_new();
  wasmtime_config_cranelift_opt_level_set(config, WASMTIME_OPT_LEVEL_SPEED);
  wasmtime_config_epoch_interruption_set(config, true);
  wasmtime_config_max_wasm_stack_set(config, guest_stack_bytes);
  wasmtime_config_async_stack_size_set(config, guest_stack_bytes + host_stack_bytes);
  // Four gigabytes of address space per memory, so that the page tables check bounds.
  wasmtime_config_memory_reservation_set(config, max_memory_bytes);
  wasmtime_config_memory_init_cow_set(config, true);
  // Threads, GC, exceptions and the component model are not compiled into the runtime at all.
  wasmtime_config_wasm_memory64_set(config, false);
  wasmtime_config_wasm_multi_memory_set(config, false);
  wasmtime_config_wasm_relaxed_simd_set(config, false);
  wasmtime_config_wasm_tail_call_set(config, false);
  return config;
}

void use_slots(wasm_config_t* config, const EngineOptions& options) {
  wasmtime_pooling_allocation_config_t* pool = wasmtime_pooling_allocation_config_new();
  wasmtime_pooling_allocation_config_total_core_instances_set(pool, options.slots);
  wasmtime_pooling_allocation_config_total_memories_set(pool, options.slots);
  wasmtime_pooling_allocation_config_total_tables_set(pool, options.slots);
  wasmtime_pooling_allocation_config_total_stacks_set(
      pool, options.stacks == 0 ? options.slots : options.stacks);
  wasmtime_pooling_allocation_config_max_memory_size_set(pool, max_memory_bytes);
  wasmtime_pooling_allocation_config_table_elements_set(pool, max_table_elements);
  wasmtime_pooling_allocation_config_table_keep_resident_set(pool,
                                                             max_table_elements * sizeof(void*));
  wasmtime_pooling_allocation_config_linear_memory_keep_resident_set(pool, resident_bytes);
  wasmtime_pooling_allocation_config_async_stack_keep_resident_set(pool, resident_stack_bytes);
  cordon_runtime_use_pagemap_scan(pool);
  wasmtime_pooling_allocation_strategy_set(config, pool);
  wasmtime_pooling_allocation_config_delete(pool);
}

}  // namespace

void Engine::Delete::operator()(wasm_engine_t* engine) const { wasm_engine_delete(engine); }

Result<Engine> Engine::create(const EngineOptions& options) {
  wasm_config_t* config = new_config();
  if (options.slots > 0) use_slots(config, options);
  wasm_engine_t* engine = nullptr;
  const Result<> made = checked(cordon_runtime_engine_new(config, &engine), ErrorCode::unavailable);
  if (!made) {
    return fail(ErrorCode::unavailable, "no room for " + std::to_string(options.slots) +
                                            " sandboxes: " + made.error().message +
                                            " (see `cordon doctor`, or ask for fewer)");
  }
  Engine result(engine);
  if (options.slots > 0) result.idle_slots_ = std::make_shared<IdleSlots>();
  // If slots are reset by copying, a copy that is kept would be cleared entirely.
  if (options.slots > 0 && has_pagemap_scan()) result.kept_copies_ = std::make_shared<KeptCopies>();
  return result;
}

Engine::~Engine() {
  if (idle_slots_ != nullptr) idle_slots_->forget();
}

Result<Engine> Engine::create_for_compiling() {
  wasm_config_t* config = new_config();
#if defined(__x86_64__)
  CORDON_TRY(checked(wasmtime_config_target_set(config, "x86_64-unknown-linux-gnu"),
                     ErrorCode::internal_error));
  for (const char* feature :
       {"has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt", "has_cmpxchg16b"}) {
    wasmtime_config_cranelift_flag_enable(config, feature);
  }
#elif defined(__aarch64__)
  CORDON_TRY(checked(wasmtime_config_target_set(config, "aarch64-unknown-linux-gnu"),
                     ErrorCode::internal_error));
#else
#error "the guest is compiled for x86-64 and arm64"
#endif
  wasm_engine_t* engine = nullptr;
  CORDON_TRY(checked(cordon_runtime_engine_new(config, &engine), ErrorCode::internal_error));
  return Engine(engine);
}

void Engine::tick() const { wasmtime_engine_increment_epoch(raw()); }

bool has_pagemap_scan() { return cordon_runtime_has_pagemap_scan(); }

std::string_view wasmtime_version() { return WASMTIME_VERSION; }

}  // namespace cordon::sandbox
