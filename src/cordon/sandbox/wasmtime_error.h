#pragma once

// Converts Wasmtime's errors to ours. Only .cc files of this layer include it.

#include <memory>
#include <string>

#include <cordon_runtime.h>

#include "cordon/result.h"

namespace cordon::sandbox {

struct DeleteError {
  void operator()(wasmtime_error_t* error) const { wasmtime_error_delete(error); }
};
struct DeleteTrap {
  void operator()(wasm_trap_t* trap) const { wasm_trap_delete(trap); }
};
using OwnedError = std::unique_ptr<wasmtime_error_t, DeleteError>;
using OwnedTrap = std::unique_ptr<wasm_trap_t, DeleteTrap>;

std::string message_of(const wasmtime_error_t& error);

// Takes `error`. Succeeds if it is null.
Result<> checked(wasmtime_error_t* error, ErrorCode code);

}  // namespace cordon::sandbox
