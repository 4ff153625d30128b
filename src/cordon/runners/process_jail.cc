#include "cordon/runners/process_jail.h"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <initializer_list>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace cordon::runners {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
#error "the filter is written for x86-64 and arm64"
#endif

// Landlock's words of later versions than this machine's headers may know.
constexpr std::uint64_t may_refer = 1ULL << 13;          // version 2
constexpr std::uint64_t may_truncate = 1ULL << 14;       // version 3
constexpr std::uint64_t no_foreign_signals = 1ULL << 1;  // version 6

struct LandlockRules {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

// Calls of kernels that are newer than this machine's headers may be. All machines number them
// alike.
constexpr long setxattrat = 463;
constexpr long removexattrat = 466;
constexpr long file_setattr = 469;

constexpr std::uint64_t all_writing =
    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM;

// What programs write to that keeps nothing.
constexpr const char* writable_devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                            "/dev/urandom"};

// Each rule decides or falls through to the next; the end allows.
class Rules {
 public:
  Rules() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
    refuse_with(ENOSYS);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    // The same calls by other numbers.
    constexpr std::uint32_t x32 = 0x40000000;
    add(BPF_JMP | BPF_JGE | BPF_K, x32, 0, 1);
    refuse_with(ENOSYS);
#endif
  }

  void refuse(std::initializer_list<long> numbers, int error) {
    for (const long number : numbers) {
      add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1);
      refuse_with(error);
    }
  }
  // Where the argument has one of these bits.
  void refuse_bits(long number, std::uint32_t argument, std::uint32_t bits, int error) {
    refuse_where(number, argument, BPF_JSET, bits, error);
  }
  // Where the argument's lower half is this.
  void refuse_value(long number, std::uint32_t argument, std::uint32_t value, int error) {
    refuse_where(number, argument, BPF_JEQ, value, error);
  }

  std::vector<sock_filter> take() {
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    return std::move(code_);
  }

 private:
  void refuse_where(long number, std::uint32_t argument, unsigned test, std::uint32_t operand,
                    int error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 4);
    load(static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                    argument * sizeof(std::uint64_t)));
    add(BPF_JMP | test | BPF_K, operand, 0, 1);
    refuse_with(error);
    // The next rule tests the number of the call again.
    load(offsetof(seccomp_data, nr));
  }
  void load(std::uint32_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
  void refuse_with(int error) {
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error), 0, 0);
  }
  void add(unsigned code, std::uint32_t operand, std::uint8_t if_true, std::uint8_t if_false) {
    code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, operand});
  }

  std::vector<sock_filter> code_;
};

void refuse_writing(Rules& rules, bool also_to_devices) {
  rules.refuse({SYS_unlinkat,    SYS_renameat2,    SYS_mkdirat,      SYS_linkat,    SYS_symlinkat,
                SYS_mknodat,     SYS_truncate,     SYS_fchmod,       SYS_fchmodat,  SYS_fchown,
                SYS_fchownat,    SYS_utimensat,    SYS_setxattr,     SYS_lsetxattr, SYS_fsetxattr,
                SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, setxattrat,    removexattrat,
                file_setattr},
               EROFS);
  // Attributes of a file that is open for reading.
  rules.refuse_value(SYS_ioctl, 1, FS_IOC_SETFLAGS, EROFS);
  rules.refuse_value(SYS_ioctl, 1, FS_IOC_FSSETXATTR, EROFS);
  // What they make outlives their makers.
  rules.refuse({SYS_shmget, SYS_msgget, SYS_semget, SYS_mq_open}, EACCES);
#if defined(__x86_64__)
  rules.refuse({SYS_unlink, SYS_rename, SYS_renameat, SYS_mkdir, SYS_rmdir, SYS_link, SYS_symlink,
                SYS_mknod, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat},
               EROFS);
#else
  rules.refuse({SYS_renameat}, EROFS);
#endif
#ifdef SYS_fchmodat2
  rules.refuse({SYS_fchmodat2}, EROFS);
#else
  constexpr long fchmodat2 = 452;
  rules.refuse({fchmodat2}, EROFS);
#endif
  if (!also_to_devices) return;
  constexpr std::uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  rules.refuse_bits(SYS_openat, 2, writing, EROFS);
#if defined(__x86_64__)
  rules.refuse_bits(SYS_open, 1, writing, EROFS);
  rules.refuse({SYS_creat}, EROFS);
#endif
  // Its flags lie in memory, where a filter cannot look. Programs then use openat.
  rules.refuse({SYS_openat2}, ENOSYS);
}

std::vector<sock_filter> make_filter(bool has_landlock) {
  Rules rules;
  rules.refuse({SYS_socket}, EACCES);
  // It opens and connects by requests that a filter does not see.
  rules.refuse({SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register}, ENOSYS);
  refuse_writing(rules, !has_landlock);
  rules.refuse({SYS_ptrace,
                SYS_process_vm_readv,
                SYS_process_vm_writev,
                SYS_pidfd_getfd,
                SYS_bpf,
                SYS_perf_event_open,
                SYS_add_key,
                SYS_request_key,
                SYS_keyctl,
                SYS_mount,
                SYS_umount2,
                SYS_pivot_root,
                SYS_chroot,
                SYS_unshare,
                SYS_setns,
                SYS_move_mount,
                SYS_open_tree,
                SYS_fsopen,
                SYS_fsmount,
                SYS_fspick,
                SYS_fsconfig,
                SYS_mount_setattr,
                SYS_open_by_handle_at,
                SYS_swapon,
                SYS_swapoff,
                SYS_reboot,
                SYS_kexec_load,
                SYS_init_module,
                SYS_finit_module,
                SYS_delete_module,
                SYS_quotactl,
                SYS_acct,
                SYS_settimeofday,
                SYS_clock_settime,
                SYS_clock_adjtime,
                SYS_adjtimex,
                SYS_sethostname,
                SYS_setdomainname},
               EPERM);
  constexpr std::uint32_t namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID |
                                       CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  rules.refuse_bits(SYS_clone, 0, namespaces, EPERM);
  rules.refuse({SYS_clone3}, ENOSYS);  // its flags lie in memory; programs then use clone
  return rules.take();
}

int landlock_version() {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

bool enter_landlock(int version) {
  LandlockRules rules{.files = all_writing};
  if (version >= 2) rules.files |= may_refer;
  if (version >= 3) rules.files |= may_truncate;
  if (version >= 6) rules.scopes = no_foreign_signals;
  const std::size_t known = version >= 6 ? sizeof rules : sizeof rules.files;
  const auto ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &rules, known, 0));
  if (ruleset < 0) return false;
  for (const char* device : writable_devices) {
    landlock_path_beneath_attr rule{};
    rule.parent_fd = open(device, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0) continue;
    rule.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE;
    if (version >= 3) rule.allowed_access |= may_truncate;
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
  }
  const bool entered = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return entered;
}

}  // namespace

ProcessJail::ProcessJail()
    : landlock_version_(landlock_version()), filter_(make_filter(landlock_version_ > 0)) {}

ProcessJail::~ProcessJail() = default;

// Without new privileges a filter needs none to be installed, and a program of root regains no
// capability by its start.
bool ProcessJail::enter() const noexcept {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  if (landlock_version_ > 0 && !enter_landlock(landlock_version_)) return false;
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  // For a program that only root can reach: reading is allowed.
  __user_cap_data_struct kept[_LINUX_CAPABILITY_U32S_3] = {};
  syscall(SYS_capget, &header, kept);
  constexpr std::uint32_t may_read = 1U << CAP_DAC_READ_SEARCH;
  const std::uint32_t left = kept[0].permitted & may_read;
  kept[0] = {.effective = left, .permitted = left, .inheritable = 0};
  kept[1] = {};
  if (syscall(SYS_capset, &header, kept) != 0) return false;
  const sock_fprog program{static_cast<unsigned short>(filter_.size()),
                           const_cast<sock_filter*>(filter_.data())};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

namespace {

// What a process that tries the jail ends with.
enum Trial : int { holds, not_entered, has_network, may_write };

[[noreturn]] void try_within(const ProcessJail& jail) {
  if (!jail.enter()) _exit(not_entered);
  if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0)
    _exit(has_network);
  // Its own name, in a place where all may write.
  constexpr const char* file = "/tmp/.cordon-jail-trial";
  if (open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0) _exit(may_write);
  _exit(holds);
}

}  // namespace

Result<std::string> try_jail() {
  const ProcessJail jail;
  const pid_t process = fork();
  if (process == 0) try_within(jail);
  int status = 0;
  if (process < 0 || waitpid(process, &status, 0) < 0 || !WIFEXITED(status))
    return fail(ErrorCode::unavailable, "cannot be tried");
  switch (WEXITSTATUS(status)) {
    case holds:
      return "no network, no writing: seccomp" +
             std::string(jail.has_landlock() ? ", Landlock" : "; /dev/null is not writable either");
    case not_entered:
      return fail(ErrorCode::unavailable, "the kernel has no seccomp filters");
    case has_network:
      return fail(ErrorCode::unavailable, "a process has the network all the same");
    default:
      return fail(ErrorCode::unavailable, "a process may write all the same");
  }
}

}  // namespace cordon::runners
