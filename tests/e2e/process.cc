#include "process.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <signal.h>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <pty.h>

namespace cordon::e2e {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void broken(const std::string& what) {
  throw std::runtime_error(what + ": " + std::generic_category().message(errno));
}

// The two ends of one standard stream of the child; -1 where there is none.
struct Ends {
  int ours = -1;
  int theirs = -1;
};

Ends make_ends(Stream stream) {
  Ends ends;
  int pair[2];
  switch (stream) {
    case Stream::pipe:
    case Stream::closed_pipe:
      if (pipe2(pair, O_CLOEXEC) != 0) broken("pipe");
      ends = {pair[0], pair[1]};
      break;
    case Stream::terminal:
      if (openpty(&ends.ours, &ends.theirs, nullptr, nullptr, nullptr) != 0) broken("openpty");
      fcntl(ends.ours, F_SETFD, FD_CLOEXEC);
      fcntl(ends.theirs, F_SETFD, FD_CLOEXEC);
      break;
    case Stream::full_device:
      ends.theirs = open("/dev/full", O_WRONLY | O_CLOEXEC);
      break;
    case Stream::closed:
      break;
  }
  if (stream == Stream::closed_pipe) {
    close(ends.ours);
    ends.ours = -1;
  }
  return ends;
}

void become(int descriptor, int standard) {
  if (descriptor < 0) {
    close(standard);
  } else {
    dup2(descriptor, standard);
  }
}

// Runs in the child, between fork and exec.
[[noreturn]] void become_program(const std::string& program, const Command& command, int in,
                                 int out, int err) {
  setpgid(0, 0);
  become(in, STDIN_FILENO);
  become(out, STDOUT_FILENO);
  become(err, STDERR_FILENO);
  if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) _exit(125);
  unsetenv("NO_COLOR");
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments = {const_cast<char*>("cordon")};
  for (const std::string& argument : command.arguments) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  _exit(126);
}

// True while more may come.
bool take(int descriptor, std::string& text) {
  char buffer[65536];
  const ssize_t got = read(descriptor, buffer, sizeof buffer);
  if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  // A terminal whose other side is closed answers EIO.
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

class Watch {
 public:
  Watch(pid_t child, int in, int out, int err, const Command& command)
      : child_(child), in_(in), out_(out), err_(err), command_(command) {
    if (in_ >= 0) fcntl(in_, F_SETFL, O_NONBLOCK);
  }

  Ended to_the_end() {
    const auto start = Clock::now();
    bool is_done = !command_.meanwhile;
    while (out_ >= 0 || err_ >= 0) {
      const auto now = Clock::now();
      is_done = is_done || command_.meanwhile(child_);
      if (now >= start + command_.time_limit && !ended_.timed_out) {
        ended_.timed_out = true;
        kill(-child_, SIGKILL);
      }
      turn();
    }
    finish_input();
    wait_for_exit(start);
    ended_.took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
    return std::move(ended_);
  }

 private:
  void turn() {
    if (written_ == command_.input.size() && !command_.keeps_input_open) finish_input();
    pollfd ready[3] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}, {-1, POLLOUT, 0}};
    if (in_ >= 0 && written_ < command_.input.size()) ready[2].fd = in_;
    poll(ready, 3, 10);
    if (ready[0].revents != 0 && !take(out_, ended_.output)) shut(out_);
    if (ready[1].revents != 0) {
      if (!take(err_, ended_.errors)) shut(err_);
      if (command_.on_errors) command_.on_errors(child_, ended_.errors);
    }
    if (ready[2].revents != 0) {
      const ssize_t put =
          write(in_, command_.input.data() + written_, command_.input.size() - written_);
      if (put > 0) written_ += static_cast<std::size_t>(put);
      if (put < 0 && errno != EAGAIN && errno != EINTR) finish_input();
    }
  }

  static void shut(int& descriptor) {
    if (descriptor >= 0) close(descriptor);
    descriptor = -1;
  }
  void finish_input() {
    shut(in_);
    written_ = command_.input.size();
  }

  // A process whose streams are closed may run on; the time limit holds for that too.
  void wait_for_exit(Clock::time_point start) {
    int status = 0;
    while (waitpid(child_, &status, WNOHANG) == 0) {
      if (Clock::now() >= start + command_.time_limit && !ended_.timed_out) {
        ended_.timed_out = true;
        kill(-child_, SIGKILL);
      }
      usleep(1000);
    }
    if (WIFEXITED(status)) ended_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ended_.signal = WTERMSIG(status);
  }

  pid_t child_;
  int in_;
  int out_;
  int err_;
  const Command& command_;
  std::size_t written_ = 0;
  Ended ended_;
};

}  // namespace

Ended run(const std::string& program, const Command& command) {
  signal(SIGPIPE, SIG_IGN);
  int in[2];
  if (pipe2(in, O_CLOEXEC) != 0) broken("pipe");
  const Ends out = make_ends(command.output);
  const Ends err = make_ends(command.errors);
  const pid_t child = fork();
  if (child < 0) broken("fork");
  if (child == 0) {
    signal(SIGPIPE, SIG_DFL);
    become_program(program, command, in[0], out.theirs, err.theirs);
  }
  close(in[0]);
  if (out.theirs >= 0) close(out.theirs);
  if (err.theirs >= 0) close(err.theirs);
  return Watch(child, in[1], out.ours, err.ours, command).to_the_end();
}

bool blocks(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  const std::string key = "SigBlk:\t";
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(key)) continue;
    const std::uint64_t mask = std::stoull(line.substr(key.size()), nullptr, 16);
    return (mask >> (signal - 1) & 1) != 0;
  }
  return false;
}

std::string cordon_program() {
  if (const char* named = std::getenv("CORDON_PROGRAM")) return named;
  const auto test = std::filesystem::read_symlink("/proc/self/exe");
  return test.parent_path().parent_path() / "bin" / "cordon";
}

Folder::Folder() : path_("/tmp/cordon_e2e_XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) broken("mkdtemp");
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::file(const std::string& name, const std::string& content) const {
  const std::filesystem::path path = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

}  // namespace cordon::e2e
