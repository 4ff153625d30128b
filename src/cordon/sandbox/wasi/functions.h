#pragma once

// WASI preview 1, our own: all of its functions can be linked, and those that would need a
// capability beyond the standard streams, a clock and randomness return an error number.
//
// They read and write the process's descriptors directly. Wasmtime's own functions take 19 µs more
// per round trip, which is four times the trip itself.

#include <cstdint>
#include <span>
#include <string_view>

#include "cordon/sandbox/module.h"
#include "cordon/sandbox/wasi/clocks.h"
#include "cordon/sandbox/wasi/errno.h"
#include "cordon/sandbox/wasi/memory.h"
#include "cordon/sandbox/wasi/streams.h"

namespace cordon::sandbox::wasi {

inline constexpr std::string_view import_space = "wasi_snapshot_preview1";

// What the functions of one guest share.
struct Context {
  Streams streams = {};
  Clocks clocks = {};
  // Called now and then while the guest sleeps.
  void (*while_waiting)() = [] {};
};

struct Function {
  std::string_view name;
  std::string_view signature;  // the parameters, as in HostFunction; the result is an i32
  Errno (*call)(Context& context, Memory memory, const RawValue* arguments);
};

// All but proc_exit, which returns nothing and ends the process.
std::span<const Function> functions();

// The exit code of the process for a proc_exit of the guest: the same code, if a process can return
// it.
int exit_code_of(std::uint32_t code);

}  // namespace cordon::sandbox::wasi
