#pragma once

// What compiling a module from outside may cost. Cranelift's time and memory are not in proportion
// to a module's size, so there is a look at the module before it, and a limit on both while it
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

// Refuses a module that no compiler would write, before ours sees it: by the size of its functions,
// and by what each has of locals, jump tables and branches.
Result<> check_module(BytesView wasm);

// While it lives, a process that takes more time or memory than that ends with this code, and says
// on standard error which limit it was. It takes the process's timer (last_word.h).
class CompileGuard {
 public:
  // The caller has a time of his own, of which he says something himself: then ours is not set if
  // it is later.
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
