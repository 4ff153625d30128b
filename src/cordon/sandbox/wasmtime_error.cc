#include "cordon/sandbox/wasmtime_error.h"

namespace cordon::sandbox {

std::string message_of(const wasmtime_error_t& error) {
  wasm_byte_vec_t text;
  wasmtime_error_message(&error, &text);
  std::string message(text.data, text.size);
  wasm_byte_vec_delete(&text);
  return message;
}

Result<> checked(wasmtime_error_t* error, ErrorCode code) {
  if (error == nullptr) return {};
  const OwnedError owned(error);
  return fail(code, message_of(*owned));
}

}  // namespace cordon::sandbox
