#include "cordon/sandbox/compile_guard.h"

#include <algorithm>
#include <string>
#include <sys/resource.h>

#include <cordon_runtime.h>

#include "cordon/sandbox/jail.h"
#include "cordon/sandbox/last_word.h"
#include "cordon/sandbox/wasmtime_error.h"

namespace cordon::sandbox {
namespace {

// Several times what compilers write. The largest function of optimized code that we saw has 83 KB
// and 533 locals, with 200,000 joins; QuickJS without any optimization has one of 151 KB, 14,189
// locals and 20 million joins. A join costs Cranelift up to 0.4 µs.
constexpr cordon_module_limits_t module_limits{
    .functions = 100'000,
    .body_bytes = 1024 * 1024,
    .locals = 30'000,
    .targets = 20'000,
    .joins = 40'000'000,
};

std::string line_of(const std::string& complaint) {
  return "cordon guest: the module is refused: " + complaint + "\n";
}

}  // namespace

Result<> check_module(BytesView wasm) {
  if (wasm.size() > max_module_bytes) return fail(ErrorCode::too_large, "it is larger than 64MiB");
  return checked(cordon_runtime_check_module(wasm.data(), wasm.size(), &module_limits),
                 ErrorCode::too_large);
}

CompileGuard::CompileGuard(const CompileLimits& limits, int exit_code, Instant callers_deadline) {
  const Instant until = std::chrono::steady_clock::now() + limits.timeout;
  if (until < callers_deadline) {
    has_timer_ = true;
    end_at(until, exit_code,
           line_of("compiling it takes longer than " + std::to_string(limits.timeout.count()) +
                   " ms (--compile-timeout, or the plugin's compile.timeoutMs)"));
  }
  if (has_shadow_memory) return;
  rlimit data{};
  getrlimit(RLIMIT_DATA, &data);
  usual_data_bytes_ = data.rlim_cur;
  has_limit_ = true;
  end_on_abort(exit_code,
               line_of("compiling it takes more than " + std::to_string(limits.memory_bytes) +
                       " bytes (--compile-memory, or the plugin's compile.memoryLimitBytes)"));
  // A crash of the compiler is not a limit.
  cordon_runtime_on_panic(abort_as_usual);
  data.rlim_cur = std::min<rlim_t>(data.rlim_cur, own_memory().data_bytes + limits.memory_bytes);
  setrlimit(RLIMIT_DATA, &data);
}

CompileGuard::~CompileGuard() {
  if (has_timer_) end_at_no_time();
  if (!has_limit_) return;
  rlimit data{};
  getrlimit(RLIMIT_DATA, &data);
  data.rlim_cur = usual_data_bytes_;
  setrlimit(RLIMIT_DATA, &data);
  abort_as_usual();
}

}  // namespace cordon::sandbox
