#include "cordon/sandbox/jail.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
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

// What Wasmtime and the C library need besides the guest's memory: code, tables, stacks, heap.
constexpr std::uint64_t spare_bytes = std::uint64_t{256} << 20;
// Addresses that are reserved for the guest's memory to grow into, with room between. Without this
// limit a process could fill the machine with page tables: of pages that it only reads.
constexpr std::uint64_t reserved_bytes = std::uint64_t{8} << 30;
// After the time that it has, for a more polite end.
constexpr std::chrono::seconds time_to_end{1};
constexpr int last_standard_stream = STDERR_FILENO;

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
    SYS_rt_sigprocmask,  // a forged return from a handler could block signals as well
    SYS_restart_syscall,
    SYS_exit,
    SYS_exit_group,
};
// All that an allocator asks for. Shared mappings and stacks are not counted as data, so a process
// could have any amount of them.
constexpr std::uint32_t allowed_map_flags =
    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_NORESERVE | MAP_STACK;

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

  // Where the argument has none of these bits.
  void allow_without(std::uint32_t number, std::uint32_t argument, std::uint32_t bits) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
    load_argument(argument);
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    decide(SECCOMP_RET_ALLOW);
    decide(SECCOMP_RET_KILL_PROCESS);
  }

  void allow_mmap() {
    constexpr std::uint32_t protection = 2;
    constexpr std::uint32_t flags = 3;
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 6);
    load_argument(protection);
    add(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 3, 0);
    load_argument(flags);
    add(BPF_JMP | BPF_JSET | BPF_K, ~allowed_map_flags, 1, 0);
    decide(SECCOMP_RET_ALLOW);
    decide(SECCOMP_RET_KILL_PROCESS);
  }

  // Where the argument is at most that.
  void allow_up_to(std::uint32_t number, std::uint32_t argument, std::uint32_t max) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
    load_argument(argument);
    add(BPF_JMP | BPF_JGT | BPF_K, max, 1, 0);
    decide(SECCOMP_RET_ALLOW);
    decide(SECCOMP_RET_KILL_PROCESS);
  }

  void allow_equal(std::uint32_t number, std::uint32_t argument, std::uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
    load_argument(argument);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
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
  // Its lower half: what is looked at here has no more.
  void load_argument(std::uint32_t number) {
    load(static_cast<std::uint32_t>(offsetof(seccomp_data, args) + number * sizeof(std::uint64_t)));
  }
  void decide(std::uint32_t action) { add(BPF_RET | BPF_K, action, 0, 0); }
  void add(unsigned code, std::uint32_t operand, std::uint8_t if_true, std::uint8_t if_false) {
    code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, operand});
  }

  std::vector<sock_filter> code_;
};

// isatty asks for the terminal's settings by this number.
constexpr std::uint32_t terminal_settings = 0x5401;  // TCGETS

std::unexpected<Error> failed(const char* what) {
  return fail(ErrorCode::unavailable,
              std::string(what) + ": " + std::generic_category().message(errno));
}

// Never above what it was: a hard limit can only go down.
void lower(decltype(RLIMIT_CORE) resource, rlim_t most) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, most);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  setrlimit(resource, &limit);
}

// A thread that ends takes its children with it, by PR_SET_PDEATHSIG, though its process may live
// on. The first thread of a process is the one that does not end before it.
bool was_started_by_main_thread(pid_t host) {
  const std::string id = std::to_string(host);
  std::ifstream children("/proc/" + id + "/task/" + id + "/children");
  for (pid_t child = 0; children >> child;) {
    if (child == getpid()) return true;
  }
  return false;
}

// By the clock and by the processor. SIGKILL is not to be blocked, and the timer cannot be reached
// any more once the filter is there.
void kill_after(std::chrono::milliseconds time) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  timer_t timer{};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
    itimerspec at{};
    at.it_value.tv_sec = time.count() / 1000;
    at.it_value.tv_nsec = time.count() % 1000 * 1'000'000;
    timer_settime(timer, 0, &at, nullptr);
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  lower(RLIMIT_CPU, static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 2 +
                                        std::chrono::ceil<std::chrono::seconds>(time).count()));
}

// The host's environment came along, and hosts have secrets in theirs.
void forget_environment() {
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    explicit_bzero(*variable, std::strlen(*variable));
  }
  environ = nullptr;
}

void close_all_but_streams_and(int kept) {
  const auto close_range_of = [](unsigned first, unsigned last) {
    return first > last || syscall(SYS_close_range, first, last, 0u) == 0;
  };
  constexpr unsigned first = last_standard_stream + 1;
  const auto hole = static_cast<unsigned>(kept);
  if (kept <= last_standard_stream
          ? close_range_of(first, ~0u)
          : close_range_of(first, hole - 1) && close_range_of(hole + 1, ~0u)) {
    return;
  }
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  for (int file = first; file < static_cast<int>(std::min<rlim_t>(files.rlim_cur, 65536)); ++file) {
    if (file != kept) close(file);
  }
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

void end_with_host(int lifeline) {
  const pid_t host = getppid();
  if (was_started_by_main_thread(host) && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 &&
      getppid() != host) {
    _exit(exit_without_host);
  }
  if (lifeline < 0) return;
  fcntl(lifeline, F_SETOWN, getpid());
  fcntl(lifeline, F_SETSIG, SIGKILL);
  fcntl(lifeline, F_SETFL, fcntl(lifeline, F_GETFL) | O_ASYNC | O_NONBLOCK);
  // The kernel tells of what happens from here on.
  pollfd end{.fd = lifeline, .events = POLLIN, .revents = 0};
  if (poll(&end, 1, 0) != 0) _exit(exit_without_host);
}

OwnMemory own_memory() {
  std::ifstream figures("/proc/self/statm");
  std::uint64_t pages[6] = {};  // of all, resident, shared, of code, of nothing, of data and stack
  for (std::uint64_t& figure : pages) figures >> figure;
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {pages[0] * page_bytes, pages[5] * page_bytes};
}

Result<> seal_jail(const JailLimits& limits) {
  forget_environment();
  close_all_but_streams_and(limits.lifeline);
  lower(RLIMIT_NOFILE, 3);
  const OwnMemory memory = own_memory();
  if (!has_shadow_memory) {
    lower(RLIMIT_DATA, limits.guest_memory_bytes + spare_bytes);
    lower(RLIMIT_AS,
          memory.address_bytes + limits.guest_memory_bytes + spare_bytes + reserved_bytes);
  }
  if (limits.time) kill_after(*limits.time + time_to_end);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);

  Filter filter;
  for (const std::uint32_t number : always_allowed) filter.allow(number);
  filter.allow_mmap();
  filter.allow_without(SYS_mprotect, 2, PROT_EXEC);
  filter.allow_up_to(SYS_close, 0, last_standard_stream);
  // For the one question whether a stream is a terminal.
  filter.allow_equal(SYS_ioctl, 1, terminal_settings);
  if (!filter.install()) return failed("no seccomp filter");
  return {};
}

}  // namespace cordon::sandbox
