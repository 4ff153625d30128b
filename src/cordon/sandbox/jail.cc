#include "cordon/sandbox/jail.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <linux/capability.h>
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

#include "cordon/base/seccomp_program.h"

namespace cordon::sandbox {
namespace {

// How much Wasmtime and the C library need besides the guest's memory: code, tables, stacks, heap.
constexpr std::uint64_t spare_bytes = std::uint64_t{256} << 20;
// Addresses that are reserved for the guest's memory to grow into, with gaps. Without this limit a
// process could fill the machine with the page tables of pages that it only reads.
constexpr std::uint64_t reserved_bytes = std::uint64_t{8} << 30;
// How much later the kill comes, so that a more polite end can come first.
constexpr std::chrono::seconds time_to_end{1};
constexpr int last_standard_stream = STDERR_FILENO;

// Reading and writing come first: kernels that keep no map of the filter walk it in this order.
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
// The flags that an allocator needs. Shared mappings and growing stacks are not counted as data, so
// a process could have any amount of them.
constexpr std::uint32_t allowed_map_flags =
    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_NORESERVE | MAP_STACK;

// What it does not allow kills. It can allow mmap without PROT_EXEC, but could not allow `open` of
// some paths, since a filter does not see them.
class Filter {
 public:
  void allow(std::uint32_t number) {
    program_.test(BPF_JEQ, number, 0, 1);
    program_.decide(SECCOMP_RET_ALLOW);
  }

  // Allows the call if the argument has none of these bits.
  void allow_without(std::uint32_t number, std::uint32_t argument, std::uint32_t bits) {
    allow_where(number, argument, BPF_JSET, bits, false);
  }

  void allow_mmap() {
    constexpr std::uint32_t protection = 2;
    constexpr std::uint32_t flags = 3;
    program_.test(BPF_JEQ, SYS_mmap, 0, 6);
    program_.load_argument(protection);
    program_.test(BPF_JSET, PROT_EXEC, 3, 0);
    program_.load_argument(flags);
    program_.test(BPF_JSET, ~allowed_map_flags, 1, 0);
    program_.decide(SECCOMP_RET_ALLOW);
    program_.decide(SECCOMP_RET_KILL_PROCESS);
  }

  // Allows the call if the argument is at most `max`.
  void allow_up_to(std::uint32_t number, std::uint32_t argument, std::uint32_t max) {
    allow_where(number, argument, BPF_JGT, max, false);
  }

  void allow_equal(std::uint32_t number, std::uint32_t argument, std::uint32_t value) {
    allow_where(number, argument, BPF_JEQ, value, true);
  }

  bool install() {
    program_.decide(SECCOMP_RET_KILL_PROCESS);
    return install_seccomp(program_.code());
  }

 private:
  void allow_where(std::uint32_t number, std::uint32_t argument, unsigned how,
                   std::uint32_t operand, bool holds) {
    program_.test(BPF_JEQ, number, 0, 4);
    program_.load_argument(argument);
    program_.test(how, operand, holds ? 0 : 1, holds ? 1 : 0);
    program_.decide(SECCOMP_RET_ALLOW);
    program_.decide(SECCOMP_RET_KILL_PROCESS);
  }

  SeccompProgram program_{SECCOMP_RET_KILL_PROCESS};
};

// isatty asks for the terminal's settings by this number.
constexpr std::uint32_t terminal_settings = 0x5401;  // TCGETS

std::unexpected<Error> failed(const char* what) {
  return fail(ErrorCode::unavailable,
              std::string(what) + ": " + std::generic_category().message(errno));
}

// Never raises a limit: a hard limit can only go down.
void lower(decltype(RLIMIT_CORE) resource, rlim_t most) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, most);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  setrlimit(resource, &limit);
}

// With PR_SET_PDEATHSIG the end of a thread kills the children that it started, though its process
// may live on. Only the main thread lives as long as its process.
bool was_started_by_main_thread(pid_t host) {
  const std::string id = std::to_string(host);
  std::ifstream children("/proc/" + id + "/task/" + id + "/children");
  for (pid_t child = 0; children >> child;) {
    if (child == getpid()) return true;
  }
  return false;
}

// Kills by the clock and by processor time. SIGKILL cannot be blocked, and once the filter is there
// the timer cannot be changed.
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

// The process inherited the host's environment, which may hold secrets.
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

// Root has all capabilities, and so has any user in a user namespace of its own. From now on
// nothing here needs one.
void give_up_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  syscall(SYS_capset, &header, none);
}

}  // namespace

// The jail closes in two steps, because a module has to be compiled in between:
//
//   enter_jail   no new privileges, no core files, no new processes, namespaces. The compiler can
//                still map code and allocate.
//   seal_jail    memory limits, no descriptors, no environment, and the filter. From here on
//                nothing can be made executable, opened or undone.
//
// PR_SET_NO_NEW_PRIVS comes first, since a filter without it needs privileges. The user namespace
// grants the right to make the others. Capabilities are given up last (JailDoor::close), since
// entering the network namespace needs them.
Result<JailDoor> enter_jail() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
  // A process without the right to make namespaces may make them inside a user namespace, which
  // many systems grant and some do not. The filter holds without them.
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
    // There is no thread, so close() makes the namespace itself.
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
  // The kernel reports only what happens from here on, so look whether it has happened already.
  pollfd end{.fd = lifeline, .events = POLLIN, .revents = 0};
  if (poll(&end, 1, 0) != 0) _exit(exit_without_host);
}

OwnMemory own_memory() {
  std::ifstream figures("/proc/self/statm");
  std::uint64_t pages[6] = {};  // all, resident, shared, code, unused, data and stack
  for (std::uint64_t& figure : pages) figures >> figure;
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {pages[0] * page_bytes, pages[5] * page_bytes};
}

// Everything that the filter forbids has to be done before it is installed: the timer that kills
// this process, the limits, closing descriptors. A limit that cannot be set is not fatal, since the
// filter holds without it. A filter that cannot be installed is.
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
  // isatty() asks whether a stream is a terminal.
  filter.allow_equal(SYS_ioctl, 1, terminal_settings);
  if (!filter.install()) return failed("no seccomp filter");
  return {};
}

}  // namespace cordon::sandbox
