#include "cordon/sandbox/jail.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace cordon::sandbox {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
#error "the filter is written for x86-64 and arm64"
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_shadow_memory = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool has_shadow_memory = true;
#else
constexpr bool has_shadow_memory = false;
#endif
#else
constexpr bool has_shadow_memory = false;
#endif

// What Wasmtime and the C library need besides the guest's memory: code, tables, stacks, heap.
constexpr std::uint64_t spare_bytes = std::uint64_t{256} << 20;

// Reading and writing first: the filter is walked in this order where the kernel does not keep a
// map of it.
constexpr std::uint32_t always_allowed[] = {
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_ppoll,
#ifdef SYS_poll
    SYS_poll,
#endif
    SYS_getppid,
    SYS_clock_gettime,
    SYS_getrandom,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_sched_yield,
    SYS_sigaltstack,
    SYS_rt_sigreturn,
    SYS_rt_sigprocmask,
    SYS_restart_syscall,
    SYS_close,
    SYS_exit,
    SYS_exit_group,
};
// Allowed unless they ask for memory that can be executed.
constexpr std::uint32_t allowed_without_code[] = {SYS_mmap, SYS_mprotect};

// Builds the program: each check either decides or falls through to the next.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    // Jumps over the next instruction if equal.
    add(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
    decide(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
  }

  void allow(std::uint32_t number) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    decide(SECCOMP_RET_ALLOW);
  }

  void allow_without_code(std::uint32_t number) {
    constexpr std::uint32_t protection = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
    load(protection);
    add(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0);
    decide(SECCOMP_RET_ALLOW);
    decide(SECCOMP_RET_KILL_PROCESS);
  }

  // ioctl is for the one question whether a stream is a terminal.
  void allow_ioctl(std::uint32_t request) {
    constexpr std::uint32_t request_at = offsetof(seccomp_data, args) + sizeof(std::uint64_t);
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 4);
    load(request_at);
    add(BPF_JMP | BPF_JEQ | BPF_K, request, 0, 1);
    decide(SECCOMP_RET_ALLOW);
    decide(SECCOMP_RET_KILL_PROCESS);
  }

  bool install() {
    decide(SECCOMP_RET_KILL_PROCESS);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void load(std::uint32_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
  void decide(std::uint32_t action) { add(BPF_RET | BPF_K, action, 0, 0); }
  void add(unsigned code, std::uint32_t operand, std::uint8_t if_true, std::uint8_t if_false) {
    code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, operand});
  }

  std::vector<sock_filter> code_;
};

// isatty asks for the terminal's settings by this number.
constexpr std::uint32_t terminal_settings = 0x5401;  // TCGETS

std::unexpected<Error> failed(const char* what) {
  return fail(Errc::unavailable, std::string(what) + ": " + std::generic_category().message(errno));
}

// Never above what it was: a hard limit can only go down.
void lower(decltype(RLIMIT_CORE) resource, rlim_t most) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, most);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  setrlimit(resource, &limit);
}

// Root has all of them, and so has anybody in a user namespace of his own. Nothing here needs one
// from now on.
void give_up_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  syscall(SYS_capset, &header, none);
}

}  // namespace

Result<JailDoor> enter_jail() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
  // Without the right to make namespaces of its own a process may make them inside of a user
  // namespace, which many systems grant and some do not. The filter holds without them.
  constexpr int others = CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS | CLONE_NEWCGROUP;
  if (unshare(CLONE_NEWUSER | others) != 0) unshare(CLONE_NEWUSER);
  JailDoor door;
  door.namespace_ = std::make_unique<std::atomic<int>>(-1);
  try {
    door.builder_ = std::thread([made = door.namespace_.get()] {
      // A thread may have a network of its own, and then others of its process may join it.
      if (unshare(CLONE_NEWNET) != 0) return;
      *made = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    });
  } catch (const std::system_error&) {
    // No thread to be had: close() makes the namespace itself.
  }
  lower(RLIMIT_CORE, 0);
  lower(RLIMIT_NPROC, 0);
  lower(RLIMIT_MEMLOCK, 0);
  lower(RLIMIT_MSGQUEUE, 0);
  return door;
}

void JailDoor::close() {
  if (!namespace_) return;
  if (builder_.joinable()) builder_.join();
  const int made = *namespace_;
  namespace_.reset();
  if (made < 0 || setns(made, CLONE_NEWNET) != 0) unshare(CLONE_NEWNET);
  if (made >= 0) ::close(made);
  give_up_capabilities();
}

Result<> seal_jail(std::uint64_t guest_memory_bytes) {
  if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0) {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    for (int file = 3; file < static_cast<int>(std::min<rlim_t>(files.rlim_cur, 65536)); ++file) {
      close(file);
    }
  }
  lower(RLIMIT_NOFILE, 3);
  if (!has_shadow_memory) lower(RLIMIT_DATA, guest_memory_bytes + spare_bytes);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);

  Filter filter;
  for (const std::uint32_t number : always_allowed) filter.allow(number);
  for (const std::uint32_t number : allowed_without_code) filter.allow_without_code(number);
  filter.allow_ioctl(terminal_settings);
  if (!filter.install()) return failed("no seccomp filter");
  return {};
}

}  // namespace cordon::sandbox
