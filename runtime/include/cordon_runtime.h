/* What runtime/src/lib.rs adds to Wasmtime's C API. */
#pragma once

#include <wasmtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the kernel can tell which pages of a memory were written (Linux 6.7 and newer). */
bool cordon_runtime_has_pagemap_scan(void);

/* Resets a used slot by the kernel's list of written pages, where the kernel has it. */
void cordon_runtime_use_pagemap_scan(wasmtime_pooling_allocation_config_t* pool);

/* wasm_engine_new_with_config that reports what went wrong where the original aborts. Consumes
 * `config`. */
wasmtime_error_t* cordon_runtime_engine_new(wasm_config_t* config, wasm_engine_t** engine_out);

/* wasmtime_module_deserialize that uses the code where it lies, or copies it where it was loaded
   before. `image` begins with a page, is never written to, and stays as long as the process. */
wasmtime_error_t* cordon_runtime_module_load_in_place(const wasm_engine_t* engine,
                                                      const uint8_t* image, size_t length,
                                                      wasmtime_module_t** module_out);

/* What one module may ask of the compiler. */
typedef struct {
  uint32_t functions;
  uint32_t body_bytes; /* of one function */
  uint32_t locals;     /* that one function declares */
  uint32_t targets;    /* of one jump table */
  uint64_t joins;      /* branches of one function times its locals */
} cordon_module_limits_t;

/* Fails for a module that is past one of the limits, or that does not parse. Takes time and memory
   in proportion to its size, and little of both. */
wasmtime_error_t* cordon_runtime_check_module(const uint8_t* wasm, size_t length,
                                              const cordon_module_limits_t* limits);

/* Calls `told` at a panic of Rust code, before the process is aborted for it. */
void cordon_runtime_on_panic(void (*told)(void));

/* Runs `init_function` of a module whose imports all trap, and hands `sink` the module anew with
   the memory and globals that were left. */
wasmtime_error_t* cordon_runtime_snapshot(
    const uint8_t* wasm, size_t length, const char* init_function,
    void (*sink)(void* data, const uint8_t* bytes, size_t length), void* sink_data);

/* Compiles a module that we wrote, with fewer checks for interruption than Wasmtime's own (see
   src/checks.rs), and hands `sink` the machine code. Never for a module from outside. */
wasmtime_error_t* cordon_runtime_compile_ahead(
    const wasm_engine_t* engine, const uint8_t* wasm, size_t length,
    void (*sink)(void* data, const uint8_t* bytes, size_t length), void* sink_data);

/* What a store's one memory may grow to, and whether it wanted more than that. */
typedef struct cordon_memory_limit {
  uint64_t max_bytes;
  bool was_refused;
} cordon_memory_limit_t;

/* wasmtime_store_limiter for one instance with one memory and one table, which tells of a growth
   that it refused: the C API's own does not. `limit` stays where it is as long as the store, and is
   read and written only while the store runs. */
void cordon_runtime_limit_memory(wasmtime_store_t* store, cordon_memory_limit_t* limit);

#ifdef __cplusplus
}
#endif
