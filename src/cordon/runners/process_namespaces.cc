#include "cordon/runners/process_namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace cordon::runners {
namespace {

constexpr int isolated = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

std::string identity(unsigned id) {
  const std::string number = std::to_string(id);
  return number + " " + number + " 1";
}

bool write_to(const char* file, std::string_view text) noexcept {
  const int opened = open(file, O_WRONLY | O_CLOEXEC);
  if (opened < 0) return false;
  const bool is_written =
      write(opened, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(opened);
  return is_written;
}

// A namespace counts the processes of its own user, so that the user's others do not matter.
void limit_processes() noexcept {
  constexpr rlim_t max_processes = 4096;  // threads included
  rlimit limit{};
  if (getrlimit(RLIMIT_NPROC, &limit) != 0) return;
  if (limit.rlim_max > max_processes) limit.rlim_max = max_processes;
  if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NPROC, &limit);
}

}  // namespace

ProcessNamespaces::ProcessNamespaces() {
  if (geteuid() == 0) return;
  user_map_ = identity(geteuid());
  group_map_ = identity(getegid());
}

bool ProcessNamespaces::enter() const noexcept {
  if (user_map_.empty()) return unshare(isolated) == 0;
  if (unshare(CLONE_NEWUSER | isolated) != 0) return false;
  // The files of /proc belong to the user only where others of that user may read the memory. Who
  // is in the jail may not all the same, by Landlock and by this namespace; and the start of the
  // program ends it. Without these lines the user is "nobody" within, and may do the same.
  prctl(PR_SET_DUMPABLE, 1);
  // The kernel asks for this before a group may be named.
  if (write_to("/proc/self/setgroups", "deny")) write_to("/proc/self/gid_map", group_map_);
  write_to("/proc/self/uid_map", user_map_);
  prctl(PR_SET_DUMPABLE, 0);
  limit_processes();
  return true;
}

}  // namespace cordon::runners
