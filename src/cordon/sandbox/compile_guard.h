#pragma once

// Limits the cost of compiling a module from outside. Cranelift's time and memory are not in
// proportion to a module's size. So the module is checked beforehand, and both are limited while it
// works.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "cordon/base/instant.h"
#include "cordon/bytes.h"
#include "cordon/limits.h"
#include "cordon/result.h"

namespace cordon::sandbox {

inline constexpr std::size_t max_module_bytes = std::size_t{64} << 20;

// Refuses a module that no compiler would write, before ours sees it. It checks the size of
// functions and their locals, jump tables and branches.
Result<> check_module(BytesView wasm);

// While it lives, a process that takes more time or memory ends with this code and names the limit
// on standard error. It uses the process's timer (last_word.h).
class CompileGuard {
 public:
  // The caller has a deadline of its own, with its own message. Ours is not set if it is later.
  CompileGuard(const CompileLimits& limits, int exit_code, Instant callers_deadline);
  ~CompileGuard();
  CompileGuard(const CompileGuard&) = delete;
  CompileGuard& operator=(const CompileGuard&) = delete;

 private:
  bool has_timer_ = false;
  bool has_limit_ = false;
  std::uint64_t usual_data_bytes_ = 0;
};

}  // namespace cordon::sandbox
