#include "cordon/providers/guest_process.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <spawn.h>

extern char** environ;

namespace cordon::providers {
namespace {

struct Pipe {
  int ends[2] = {-1, -1};

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  int take(int which) { return std::exchange(ends[which], -1); }
};

void never_wait(int descriptor) {
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

// Room for larger messages in one write, where the system gives it.
constexpr int pipe_bytes = 256 * 1024;

}  // namespace

Result<GuestProcess> GuestProcess::start(const std::vector<std::string>& command,
                                         Lifeline lifeline) {
  Pipe pipes[4];
  const std::size_t count = lifeline == Lifeline::given ? 4 : 3;
  for (std::size_t i = 0; i < count; ++i) {
    if (!pipes[i].open()) {
      return fail(ErrorCode::unavailable, "no pipe: " + std::generic_category().message(errno));
    }
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes[0].ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes[1].ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes[2].ends[1], STDERR_FILENO);
  // Last, since one of those above may have this number here.
  if (lifeline == Lifeline::given) {
    posix_spawn_file_actions_adddup2(&actions, pipes[3].ends[0], lifeline_descriptor);
  }
  // Not all that this process has open is ours to close at exec: it may have inherited some itself.
  posix_spawn_file_actions_addclosefrom_np(&actions, static_cast<int>(count));
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own, so that what it starts can be killed with it, and signals as a program
  // expects them: we ignore SIGPIPE and may have blocked others.
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);

  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  pid_t id = -1;
  const int error =
      posix_spawnp(&id, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return fail(ErrorCode::unavailable,
                "cannot start '" + command[0] + "': " + std::generic_category().message(error));
  }
  GuestProcess process(id, pipes[0].take(1), pipes[1].take(0), pipes[2].take(0), pipes[3].take(1));
  process.handle_ = static_cast<int>(syscall(SYS_pidfd_open, id, 0));
  for (const int end : {process.input_, process.output_, process.errors_}) never_wait(end);
  fcntl(process.input_, F_SETPIPE_SZ, pipe_bytes);
  fcntl(process.output_, F_SETPIPE_SZ, pipe_bytes);
  return process;
}

GuestProcess::GuestProcess(GuestProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      errors_(std::exchange(other.errors_, -1)),
      lifeline_(std::exchange(other.lifeline_, -1)),
      handle_(std::exchange(other.handle_, -1)),
      has_ended_(other.has_ended_),
      status_(other.status_) {}

GuestProcess::~GuestProcess() {
  kill();
  for (int* end : {&input_, &output_, &errors_, &lifeline_, &handle_}) close_end(*end);
}

void GuestProcess::close_end(int& end) {
  if (end >= 0) close(std::exchange(end, -1));
}

void GuestProcess::kill() {
  if (id_ < 0 || has_ended_) return;
  // The group first: its number is safe from reuse only until the process has been waited for.
  ::kill(-id_, SIGKILL);
  ::kill(id_, SIGKILL);
  while (waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
  }
  has_ended_ = true;
}

bool GuestProcess::is_alive() const {
  if (has_ended_ || id_ < 0) return false;
  siginfo_t end{};
  return waitid(P_PID, static_cast<id_t>(id_), &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         end.si_pid == 0;
}

bool GuestProcess::wait(std::chrono::milliseconds most) {
  if (has_ended_ || id_ < 0) return true;
  if (handle_ >= 0) {
    pollfd waiting{.fd = handle_, .events = POLLIN, .revents = 0};
    poll(&waiting, 1, static_cast<int>(most.count()));
  } else {
    std::this_thread::sleep_for(std::min(most, std::chrono::milliseconds(20)));
  }
  siginfo_t end{};
  if (waitid(P_PID, static_cast<id_t>(id_), &end, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      end.si_pid != id_) {
    return false;
  }
  ::kill(-id_, SIGKILL);
  has_ended_ = waitpid(id_, &status_, 0) == id_;
  return has_ended_;
}

std::string GuestProcess::end_text() const {
  if (!has_ended_) return "it still runs";
  if (WIFSIGNALED(status_)) {
    return "signal " + std::to_string(WTERMSIG(status_)) + " ended it";
  }
  return "it exited with code " + std::to_string(WEXITSTATUS(status_));
}

}  // namespace cordon::providers
