#include "engine/process.h"

#include <array>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <spawn.h>

namespace cordon::bench {
namespace {

// A line such as `Pss:   1234 kB` of a file in /proc/self.
std::uint64_t kib_line(const std::string& path, std::string_view name) {
  std::istringstream lines(file_text(path));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    std::uint64_t kib = 0;
    if (digits == std::string::npos) return 0;
    std::from_chars(line.data() + digits, line.data() + line.size(), kib);
    return kib * 1024;
  }
  return 0;
}

class Pipe {
 public:
  Pipe() { open_ = pipe2(ends_.data(), O_CLOEXEC) == 0; }
  ~Pipe() {
    close_reading();
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  explicit operator bool() const { return open_; }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_reading() { shut(ends_[0]); }
  void close_writing() { shut(ends_[1]); }

 private:
  static void shut(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }

  std::array<int, 2> ends_{-1, -1};
  bool open_ = false;
};

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&raw_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&raw_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void connect(int from, int to) { posix_spawn_file_actions_adddup2(&raw_, from, to); }
  void connect_to_nothing(int to, int mode) {
    posix_spawn_file_actions_addopen(&raw_, to, "/dev/null", mode, 0);
  }

  Result<pid_t> start(const std::vector<std::string>& command) const {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command)
      arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments[0], &raw_, nullptr, arguments.data(), environ);
    if (error != 0)
      return fail(ErrorCode::unavailable,
                  command[0] + ": " + std::generic_category().message(error));
    return child;
  }

 private:
  posix_spawn_file_actions_t raw_{};
};

Result<> wait_for(pid_t child, const std::string& name) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail(ErrorCode::io, "waitpid");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return fail(ErrorCode::internal_error,
              name + (WIFEXITED(status) ? " exited with " + std::to_string(WEXITSTATUS(status))
                                        : " ended by signal " + std::to_string(WTERMSIG(status))));
}

}  // namespace

std::uint64_t pss_bytes() { return kib_line("/proc/self/smaps_rollup", "Pss:"); }
std::uint64_t resident_bytes() { return kib_line("/proc/self/smaps_rollup", "Rss:"); }

std::string own_path() {
  std::array<char, 4096> path{};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : std::string();
}

std::string file_text(const std::string& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Result<std::string> output_of(const std::vector<std::string>& command, std::string_view input) {
  Pipe to;
  Pipe from;
  if (!to || !from) return fail(ErrorCode::io, "no pipe");
  SpawnActions actions;
  actions.connect(to.reading(), STDIN_FILENO);
  actions.connect(from.writing(), STDOUT_FILENO);
  const pid_t child = CORDON_TRY(actions.start(command));
  to.close_reading();
  from.close_writing();

  // A request is smaller than a pipe's buffer, so this does not block.
  const bool sent =
      write(to.writing(), input.data(), input.size()) == static_cast<ssize_t>(input.size());
  to.close_writing();
  std::string output;
  std::array<char, 4096> chunk{};
  for (;;) {
    const ssize_t size = read(from.reading(), chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    output.append(chunk.data(), static_cast<std::size_t>(size));
  }
  CORDON_TRY(wait_for(child, command[0]));
  if (!sent) return fail(ErrorCode::io, command[0] + " did not take its input");
  return output;
}

Result<std::chrono::duration<double>> time_of_process(const std::vector<std::string>& command) {
  SpawnActions actions;
  actions.connect_to_nothing(STDIN_FILENO, O_RDONLY);
  actions.connect_to_nothing(STDOUT_FILENO, O_WRONLY);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = CORDON_TRY(actions.start(command));
  CORDON_TRY(wait_for(child, command[0]));
  return std::chrono::steady_clock::now() - start;
}

}  // namespace cordon::bench
