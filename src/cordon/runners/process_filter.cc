#include "cordon/runners/process_filter.h"

#include <cerrno>
#include <fcntl.h>
#include <initializer_list>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <utility>

#include <asm/ioctls.h>

#include "cordon/base/seccomp_program.h"

namespace cordon::runners {
namespace {

// Calls of kernels that are newer than this machine's headers may be. All machines number them
// alike.
constexpr long quotactl_fd = 443;
constexpr long process_mrelease = 448;
constexpr long fchmodat2 = 452;
constexpr long setxattrat = 463;
constexpr long removexattrat = 466;
constexpr long open_tree_attr = 467;
constexpr long file_setattr = 469;

constexpr std::uint32_t refusal(int error) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

// Each rule decides or falls through to the next; the end allows. Rules for arguments look at the
// lower half, which is all that the kernel takes of flags, commands and numbers of processes.
class Rules {
 public:
  void refuse(std::initializer_list<long> numbers, int error) {
    for (const long number : numbers) {
      program_.test(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 1);
      program_.decide(refusal(error));
    }
  }
  // Where the argument has one of these bits.
  void refuse_bits(long number, std::uint32_t argument, std::uint32_t bits, int error) {
    refuse_where(number, argument, {BPF_JSET, bits, true}, error);
  }
  void refuse_value(long number, std::uint32_t argument, std::uint32_t value, int error) {
    refuse_where(number, argument, {BPF_JEQ, value, true}, error);
  }
  void refuse_other_than(long number, std::uint32_t argument, std::uint32_t value, int error) {
    refuse_where(number, argument, {BPF_JEQ, value, false}, error);
  }
  // Where the argument is not 0 and the pointer is not null.
  void refuse_with_pointer(long number, std::uint32_t argument, std::uint32_t pointer, int error) {
    program_.test(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 8);
    program_.load_argument(argument);
    program_.test(BPF_JEQ, 0, 5, 0);
    refuse_not_null(pointer, error);
    program_.load_number();
  }
  // Where the pointer is not null.
  void refuse_pointer(long number, std::uint32_t pointer, int error) {
    program_.test(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 6);
    refuse_not_null(pointer, error);
    program_.load_number();
  }

  std::vector<sock_filter> take() {
    program_.decide(SECCOMP_RET_ALLOW);
    return std::move(program_.code());
  }

 private:
  struct Test {
    unsigned how;
    std::uint32_t operand;
    bool refuses;  // where it holds, or where it does not
  };
  void refuse_where(long number, std::uint32_t argument, Test test, int error) {
    program_.test(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 4);
    program_.load_argument(argument);
    program_.test(test.how, test.operand, test.refuses ? 0 : 1, test.refuses ? 1 : 0);
    program_.decide(refusal(error));
    // The next rule tests the number of the call again.
    program_.load_number();
  }
  // Five steps, which fall through for null.
  void refuse_not_null(std::uint32_t pointer, int error) {
    program_.load_argument(pointer);
    program_.test(BPF_JEQ, 0, 0, 2);
    program_.load_argument(pointer, SeccompProgram::Half::upper);
    program_.test(BPF_JEQ, 0, 1, 0);
    program_.decide(refusal(error));
  }

  SeccompProgram program_{refusal(ENOSYS)};
};

// Sockets reach others by a network, by a path or by an abstract name. What is left is a pair whose
// ends are connected for good: one of datagrams could send to any name.
void refuse_sockets(Rules& rules) {
  rules.refuse({SYS_socket, SYS_connect, SYS_bind, SYS_listen}, EACCES);
  rules.refuse_other_than(SYS_socketpair, 0, AF_UNIX, EACCES);
  // SOCK_STREAM is 1, SOCK_SEQPACKET 5, and the kinds between them with this bit are no others.
  static_assert(SOCK_DGRAM == 2 && SOCK_RAW == 3 && SOCK_STREAM == 1 && SOCK_SEQPACKET == 5);
  rules.refuse_bits(SYS_socketpair, 1, SOCK_DGRAM, EACCES);
  // It opens and connects by requests that a filter does not see.
  rules.refuse({SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register}, ENOSYS);
}

void refuse_writing(Rules& rules, OpeningForWriting opening) {
  rules.refuse({SYS_unlinkat,    SYS_renameat2,    SYS_mkdirat,      SYS_linkat,    SYS_symlinkat,
                SYS_mknodat,     SYS_truncate,     SYS_fchmod,       SYS_fchmodat,  SYS_fchown,
                SYS_fchownat,    SYS_utimensat,    SYS_setxattr,     SYS_lsetxattr, SYS_fsetxattr,
                SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, setxattrat,    removexattrat,
                file_setattr,    fchmodat2},
               EROFS);
  // Attributes of a file that is open for reading.
  rules.refuse_value(SYS_ioctl, 1, FS_IOC_SETFLAGS, EROFS);
  rules.refuse_value(SYS_ioctl, 1, FS_IOC_FSSETXATTR, EROFS);
#if defined(__x86_64__)
  rules.refuse({SYS_unlink, SYS_rename, SYS_renameat, SYS_mkdir, SYS_rmdir, SYS_link, SYS_symlink,
                SYS_mknod, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat},
               EROFS);
#else
  rules.refuse({SYS_renameat}, EROFS);
#endif
  if (opening == OpeningForWriting::left_to_landlock) return;
  constexpr std::uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  rules.refuse_bits(SYS_openat, 2, writing, EROFS);
#if defined(__x86_64__)
  rules.refuse_bits(SYS_open, 1, writing, EROFS);
  rules.refuse({SYS_creat}, EROFS);
#endif
  // Its flags lie in memory, where a filter cannot look. Programs then use openat.
  rules.refuse({SYS_openat2}, ENOSYS);
}

// Other processes of the same user.
void refuse_ways_into_others(Rules& rules) {
  rules.refuse({SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_kcmp,
                SYS_process_madvise, process_mrelease, SYS_migrate_pages, SYS_perf_event_open},
               EPERM);
  // Shared memory, semaphores and queues of System V and POSIX: those of others can be found and
  // used, and what is made outlives its makers.
  rules.refuse(
      {SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl,
       SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink},
      EACCES);
  // Limits, signals and priorities are for its own.
  rules.refuse_with_pointer(SYS_prlimit64, 0, 2, EPERM);
  constexpr auto everybody = static_cast<std::uint32_t>(-1);
  rules.refuse_value(SYS_kill, 0, everybody, EPERM);
  rules.refuse_other_than(SYS_setpriority, 0, PRIO_PROCESS, EPERM);
  constexpr std::uint32_t io_priority_of_a_process = 1;
  rules.refuse_other_than(SYS_ioprio_set, 0, io_priority_of_a_process, EPERM);
  // A lease on a file that is open for reading makes those wait who open it.
  rules.refuse_value(SYS_fcntl, 1, F_SETLEASE, EPERM);
  // Keys that a terminal's next reader takes for typed ones.
  rules.refuse_value(SYS_ioctl, 1, TIOCSTI, EPERM);
  rules.refuse_value(SYS_ioctl, 1, TIOCLINUX, EPERM);
}

// What is for the whole machine, and parts of the kernel that programs do not need and that had
// holes before.
void refuse_power(Rules& rules) {
  rules.refuse({SYS_bpf,           SYS_userfaultfd,     SYS_add_key,       SYS_request_key,
                SYS_keyctl,        SYS_mount,           SYS_umount2,       SYS_pivot_root,
                SYS_chroot,        SYS_unshare,         SYS_setns,         SYS_move_mount,
                SYS_open_tree,     open_tree_attr,      SYS_fsopen,        SYS_fsmount,
                SYS_fspick,        SYS_fsconfig,        SYS_mount_setattr, SYS_open_by_handle_at,
                SYS_fanotify_init, SYS_swapon,          SYS_swapoff,       SYS_reboot,
                SYS_kexec_load,    SYS_kexec_file_load, SYS_init_module,   SYS_finit_module,
                SYS_delete_module, SYS_quotactl,        quotactl_fd,       SYS_acct,
                SYS_syslog,        SYS_vhangup,         SYS_settimeofday,  SYS_clock_settime,
                SYS_clock_adjtime, SYS_adjtimex,        SYS_sethostname,   SYS_setdomainname},
               EPERM);
#if defined(__x86_64__)
  rules.refuse({SYS_ioperm, SYS_iopl, SYS_modify_ldt}, EPERM);
#endif
  constexpr std::uint32_t namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID |
                                       CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  rules.refuse_bits(SYS_clone, 0, namespaces, EPERM);
  rules.refuse({SYS_clone3}, ENOSYS);  // its flags lie in memory; programs then use clone
}

}  // namespace

std::vector<sock_filter> make_process_filter(OpeningForWriting opening) {
  Rules rules;
  refuse_sockets(rules);
  refuse_writing(rules, opening);
  refuse_ways_into_others(rules);
  refuse_power(rules);
  return rules.take();
}

}  // namespace cordon::runners
