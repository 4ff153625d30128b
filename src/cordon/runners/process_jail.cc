#include "cordon/runners/process_jail.h"

#include <cstddef>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cordon/base/seccomp_program.h"
#include "cordon/runners/process_filter.h"

namespace cordon::runners {
namespace {

// Landlock's words of later versions than this machine's headers may know.
constexpr std::uint64_t may_refer = 1ULL << 13;          // version 2
constexpr std::uint64_t may_truncate = 1ULL << 14;       // version 3
constexpr std::uint64_t no_foreign_signals = 1ULL << 1;  // version 6

constexpr int version_with_scopes = 6;

struct LandlockRules {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

constexpr std::uint64_t all_writing =
    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM;

// What programs write to that keeps nothing.
constexpr const char* writable_devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                            "/dev/urandom"};

int landlock_version() {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

bool enter_landlock(int version) {
  LandlockRules rules{.files = all_writing};
  if (version >= 2) rules.files |= may_refer;
  if (version >= 3) rules.files |= may_truncate;
  if (version >= version_with_scopes) rules.scopes = no_foreign_signals;
  const std::size_t known = version >= version_with_scopes ? sizeof rules : sizeof rules.files;
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
    : landlock_version_(landlock_version()),
      filter_(make_process_filter(landlock_version_ > 0 ? OpeningForWriting::left_to_landlock
                                                        : OpeningForWriting::refused)) {}

ProcessJail::~ProcessJail() = default;

bool ProcessJail::confines_signals() const { return landlock_version_ >= version_with_scopes; }

// Without new privileges a filter needs none to be installed, and a program of root regains no
// capability by its start.
bool ProcessJail::enter() const noexcept {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_MSGQUEUE, &none);
  // What it lacks without them the filter has, too.
  namespaces_.enter();
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
  return install_seccomp(filter_);
}

namespace {

// What a process that tries the jail ends with.
enum Trial : int { holds, holds_without_namespaces, not_entered, has_network, may_write };

// A number that says which network this process has.
ino_t network() {
  struct stat status{};
  return stat("/proc/self/ns/net", &status) == 0 ? status.st_ino : 0;
}

[[noreturn]] void try_within(const ProcessJail& jail) {
  const ino_t outside = network();
  if (!jail.enter()) _exit(not_entered);
  if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0)
    _exit(has_network);
  // Its own name, in a place where all may write.
  constexpr const char* file = "/tmp/.cordon-jail-trial";
  if (open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0) _exit(may_write);
  _exit(network() != outside ? holds : holds_without_namespaces);
}

// What the jail is made of on this machine, and what is missing for that reason.
std::string parts_of(const ProcessJail& jail, bool has_namespaces) {
  std::string text = "no network, no writing: seccomp";
  if (jail.has_landlock()) text += ", Landlock";
  if (has_namespaces) text += ", namespaces";
  if (!jail.has_landlock()) text += "; /dev/null is not writable either";
  if (!jail.confines_signals()) text += "; signals reach other processes of the user";
  return text;
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
      return parts_of(jail, true);
    case holds_without_namespaces:
      return parts_of(jail, false);
    case not_entered:
      return fail(ErrorCode::unavailable, "the kernel has no seccomp filters");
    case has_network:
      return fail(ErrorCode::unavailable, "a process has the network all the same");
    default:
      return fail(ErrorCode::unavailable, "a process may write all the same");
  }
}

}  // namespace cordon::runners
