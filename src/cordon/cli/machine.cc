#include "cordon/cli/machine.h"

#include <fstream>
#include <optional>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "cordon/js/versions.h"
#include "cordon/runners/process_jail.h"
#include "cordon/sandbox/engine.h"
#include "cordon/version.h"

namespace cordon::cli {
namespace {

// A sandbox in use takes about this many mappings.
constexpr std::uint64_t mappings_per_sandbox = 3;
constexpr std::uint64_t wanted_sandboxes = 10'000;

std::optional<std::string> first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::uint64_t number_in(const char* path) {
  const auto line = first_line(path);
  return line ? std::strtoull(line->c_str(), nullptr, 10) : 0;
}

Finding versions() {
  const js::Versions versions = js::versions();
  return {.subject = "engine",
          .state = fmt::format("cordon {}, Wasmtime {}, QuickJS-ng {}", CORDON_VERSION,
                               versions.wasmtime, versions.quickjs)};
}

Finding kernel() {
  utsname names{};
  uname(&names);
  return {.subject = "kernel",
          .state = fmt::format("{} {} on {}", names.sysname, names.release, names.machine)};
}

Finding processor() {
  Finding finding{.subject = "processor",
                  .state = fmt::format("{} cores", std::thread::hardware_concurrency())};
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("popcnt") != 0 &&
                  __builtin_cpu_supports("ssse3") != 0;
  const bool v3 = v2 && __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
  finding.state += v3 ? ", x86-64-v3" : v2 ? ", x86-64-v2" : ", below x86-64-v2";
  if (!v2) {
    finding.grade = Grade::missing;
    finding.advice = "the compiled guest needs SSE4.2 and POPCNT (x86-64-v2)";
  }
#endif
  return finding;
}

Finding page_tracking() {
  if (sandbox::has_pagemap_scan())
    return {.subject = "page tracking",
            .state = "PAGEMAP_SCAN: fresh sandboxes in tens of microseconds"};
  return {.subject = "page tracking",
          .grade = Grade::limited,
          .state = "no PAGEMAP_SCAN: used memory is copied back",
          .advice = "Linux 6.7 or newer makes a fresh sandbox about twice as fast"};
}

Finding mappings() {
  const std::uint64_t most = number_in("/proc/sys/vm/max_map_count");
  const std::uint64_t sandboxes = most / mappings_per_sandbox;
  Finding finding{.subject = "vm.max_map_count",
                  .state = fmt::format("{}: about {} sandboxes at once", most, sandboxes)};
  if (sandboxes < wanted_sandboxes) {
    finding.grade = Grade::limited;
    finding.advice =
        fmt::format("for {} at once: sysctl -w vm.max_map_count=262144", wanted_sandboxes);
  }
  return finding;
}

Finding address_space() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return {.subject = "address space", .state = "unlimited"};
  return {.subject = "address space",
          .grade = Grade::limited,
          .state = fmt::format("{} GiB", limit.rlim_cur >> 30),
          .advice = "each sandbox sets 4 GiB of addresses aside: ulimit -v unlimited"};
}

Finding open_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  Finding finding{.subject = "open files",
                  .state = fmt::format("{} (may be raised to {})", limit.rlim_cur, limit.rlim_max)};
  if (limit.rlim_max < 65536) {
    finding.grade = Grade::limited;
    finding.advice =
        "a server with many connections wants more: raise the hard limit of open files";
  }
  return finding;
}

Finding huge_pages() {
  const auto mode = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  return {.subject = "huge pages", .state = mode ? "transparent: " + *mode : "none"};
}

Finding seccomp() {
  const auto actions = first_line("/proc/sys/kernel/seccomp/actions_avail");
  if (actions) return {.subject = "seccomp", .state = *actions};
  return {.subject = "seccomp",
          .grade = Grade::limited,
          .state = "none",
          .advice = "WebAssembly plugins would run behind one wall instead of two"};
}

Finding namespaces() {
  const std::uint64_t most = number_in("/proc/sys/user/max_user_namespaces");
  const auto unprivileged = first_line("/proc/sys/kernel/unprivileged_userns_clone");
  const bool allowed = most > 0 && (!unprivileged || *unprivileged != "0" || geteuid() == 0);
  if (allowed)
    return {.subject = "user namespaces", .state = fmt::format("allowed, {} at most", most)};
  return {.subject = "user namespaces",
          .grade = Grade::limited,
          .state = "not allowed",
          .advice = "plugin processes cannot have namespaces of their own"};
}

// A process in the jail tries what it must not do.
Finding jail() {
  const Result<std::string> kept = runners::try_jail();
  if (kept) return {.subject = "jail", .state = *kept};
  return {.subject = "jail",
          .grade = Grade::limited,
          .state = kept.error().message,
          .advice = "`cordon run --runner` starts programs only with --no-jail"};
}

}  // namespace

std::vector<Finding> examine_machine() {
  return {versions(),   kernel(),     processor(), page_tracking(), mappings(), address_space(),
          open_files(), huge_pages(), seccomp(),   namespaces(),    jail()};
}

}  // namespace cordon::cli
