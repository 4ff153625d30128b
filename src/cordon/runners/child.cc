#include "cordon/runners/child.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "cordon/runners/process_jail.h"

namespace cordon::runners {
namespace {

struct Pipe {
  Descriptor read;
  Descriptor write;
};

std::unexpected<Error> broken(const char* what) {
  return fail(ErrorCode::unavailable,
              std::string(what) + ": " + std::generic_category().message(errno));
}

// Past the three numbers that the runner's own streams get.
Descriptor moved_up(int number) {
  const Descriptor low(number);
  return Descriptor(fcntl(low.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

Result<Pipe> new_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return broken("no pipe");
  Pipe pipe{moved_up(ends[0]), moved_up(ends[1])};
  if (!pipe.read || !pipe.write) return broken("no pipe");
  return pipe;
}

void never_wait(const Descriptor& end) {
  fcntl(end.number(), F_SETFL, fcntl(end.number(), F_GETFL) | O_NONBLOCK);
}

bool is_program(const std::string& path) {
  struct stat status{};
  return access(path.c_str(), X_OK) == 0 && stat(path.c_str(), &status) == 0 &&
         S_ISREG(status.st_mode);
}

Result<std::string> find_program(const std::string& name) {
  const auto missing = [&](int why) {
    return fail(ErrorCode::unavailable,
                "cannot start '" + name + "': " + std::generic_category().message(why));
  };
  if (name.contains('/')) {
    if (is_program(name)) return name;
    struct stat status{};
    const bool is_there = stat(name.c_str(), &status) == 0;
    return missing(is_there ? EACCES : errno);
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment.
  const char* const path = std::getenv("PATH");
  std::string left = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (true) {
    const std::size_t colon = left.find(':');
    const std::string folder = left.substr(0, colon);
    std::string program = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(program)) return program;
    if (colon == std::string::npos) return missing(ENOENT);
    left.erase(0, colon + 1);
  }
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

// All that the two processes need, made before the fork: between a fork and an exec only system
// calls are allowed, since other threads of ours may have held any lock.
struct Plan {
  const char* program;
  char* const* arguments;
  char* const* shell_arguments;  // for a script without a first line that names its interpreter
  char* const* environment;
  int input;
  int output;
  int errors;
  int started;              // errno of the start, or its end for a start that went well
  int status;               // gets the wait status of the runner
  int lifeline;             // ends with us
  const ProcessJail* jail;  // or null
};

// Why the runner did not start.
struct Failure {
  int error;
  bool is_of_jail;
};

[[noreturn]] void give_up(const Plan& plan, bool is_of_jail) {
  const Failure failure{errno, is_of_jail};
  if (write(plan.started, &failure, sizeof failure) != sizeof failure) _exit(126);
  _exit(127);
}

[[noreturn]] void be_runner(const Plan& plan) {
  // A session without a terminal, and so a process group of its own: what it opens by the name of
  // the terminal is not ours.
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &usual, nullptr);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): a process that was forked has one thread.
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(plan.input, STDIN_FILENO);
  dup2(plan.output, STDOUT_FILENO);
  dup2(plan.errors, STDERR_FILENO);
  // Not all that we have open is ours to close at exec: we may have inherited some.
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (plan.jail != nullptr && !plan.jail->enter()) give_up(plan, true);
  execve(plan.program, plan.arguments, plan.environment);
  if (errno == ENOEXEC) execve("/bin/sh", plan.shell_arguments, plan.environment);
  give_up(plan, false);
}

// The next number in the text of /proc's file of children, and where it ends.
pid_t next_number(const char* text, ssize_t size, ssize_t& at) {
  while (at < size && (text[at] < '0' || text[at] > '9')) ++at;
  pid_t number = 0;
  while (at < size && text[at] >= '0' && text[at] <= '9') number = number * 10 + (text[at++] - '0');
  return number;
}

// Those that the runner left behind are children of the keeper, or become so when theirs are
// killed.
void kill_children() {
  std::array<char, 4096> text{};
  const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  for (ssize_t at = 0; at < size;) {
    const pid_t child = next_number(text.data(), size, at);
    if (child > 0) kill(child, SIGKILL);
  }
}

[[noreturn]] void end_all(pid_t runner) {
  kill(-runner, SIGKILL);
  kill(runner, SIGKILL);
  while (true) {
    kill_children();
    const pid_t ended = waitpid(-1, nullptr, 0);
    if (ended < 0 && errno == ECHILD) _exit(0);
  }
}

[[noreturn]] void be_keeper(const Plan& plan) {
  setpgid(0, 0);  // the terminal's signals are for us
  // It has a copy of our memory and environment, which the runner must not read.
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t all;
  sigfillset(&all);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): a process that was forked has one thread.
  sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  const int signals = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
  const pid_t runner = fork();
  if (runner == 0) be_runner(plan);
  if (runner < 0) give_up(plan, false);
  // Only what the keeper needs stays open: an open pipe would not end for its other side.
  std::array<int, 3> kept = {plan.status, plan.lifeline, signals};
  if (kept[0] > kept[1]) std::swap(kept[0], kept[1]);
  if (kept[1] > kept[2]) std::swap(kept[1], kept[2]);
  if (kept[0] > kept[1]) std::swap(kept[0], kept[1]);
  unsigned next = 0;
  for (const int number : kept) {
    if (static_cast<unsigned>(number) > next)
      syscall(SYS_close_range, next, static_cast<unsigned>(number) - 1, 0);
    next = static_cast<unsigned>(number) + 1;
  }
  syscall(SYS_close_range, next, ~0U, 0);

  bool is_told = false;
  while (true) {
    std::array<pollfd, 2> waiting = {pollfd{plan.lifeline, POLLIN, 0}, pollfd{signals, POLLIN, 0}};
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) end_all(runner);
    if (waiting[0].revents != 0) end_all(runner);
    signalfd_siginfo ignored{};
    while (read(signals, &ignored, sizeof ignored) > 0) {
    }
    // It stays unwaited for, so that nobody else gets its number, which is that of its group too.
    siginfo_t ended{};
    if (is_told ||
        waitid(P_PID, static_cast<id_t>(runner), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        ended.si_pid != runner)
      continue;
    const int status = ended.si_code == CLD_EXITED ? W_EXITCODE(ended.si_status, 0)
                                                   : W_EXITCODE(0, ended.si_status);
    is_told = true;
    if (write(plan.status, &status, sizeof status) != sizeof status) end_all(runner);
  }
}

}  // namespace

std::vector<std::string> environment_of_runners() {
  std::vector<std::string> all;
  for (const char* name :
       {"HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"}) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment.
    if (const char* value = std::getenv(name)) all.push_back(std::string(name) + "=" + value);
  }
  return all;
}

Result<Child> Child::start(const std::vector<std::string>& words,
                           const std::vector<std::string>& environment, Confinement confinement) {
  const std::string program = CORDON_TRY(find_program(words.front()));
  Pipe input = CORDON_TRY(new_pipe());
  Pipe output = CORDON_TRY(new_pipe());
  Pipe errors = CORDON_TRY(new_pipe());
  Pipe started = CORDON_TRY(new_pipe());
  Pipe status = CORDON_TRY(new_pipe());
  Pipe lifeline = CORDON_TRY(new_pipe());
  std::vector<std::string> shell_words = {"/bin/sh", program};
  shell_words.insert(shell_words.end(), words.begin() + 1, words.end());
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> shell_arguments = pointers(shell_words);
  const std::vector<char*> variables = pointers(environment);
  std::optional<ProcessJail> jail;
  if (confinement == Confinement::jail) {
    jail.emplace();
    // Processes of one user may read each other otherwise.
    prctl(PR_SET_DUMPABLE, 0);
  }
  const Plan plan{.program = program.c_str(),
                  .arguments = arguments.data(),
                  .shell_arguments = shell_arguments.data(),
                  .environment = variables.data(),
                  .input = input.read.number(),
                  .output = output.write.number(),
                  .errors = errors.write.number(),
                  .started = started.write.number(),
                  .status = status.write.number(),
                  .lifeline = lifeline.read.number(),
                  .jail = jail ? &*jail : nullptr};
  const pid_t keeper = fork();
  if (keeper == 0) {
    // Its copy of our end would keep it alive.
    lifeline.write.close();
    be_keeper(plan);
  }
  if (keeper < 0) return broken("no process");
  for (Descriptor* end :
       {&input.read, &output.write, &errors.write, &started.write, &status.write, &lifeline.read})
    end->close();
  Child child(keeper, std::move(input.write), std::move(output.read), std::move(errors.read),
              std::move(status.read), std::move(lifeline.write));
  Failure failure{};
  ssize_t size = 0;
  do {
    size = read(started.read.number(), &failure, sizeof failure);
  } while (size < 0 && errno == EINTR);
  if (size == sizeof failure) {
    return fail(ErrorCode::unavailable,
                "cannot " + std::string(failure.is_of_jail ? "jail" : "start") + " '" +
                    words.front() + "': " + std::generic_category().message(failure.error));
  }
  return child;
}

Child::Child(pid_t keeper, Descriptor input, Descriptor output, Descriptor errors,
             Descriptor status, Descriptor lifeline)
    : keeper_(keeper),
      input_(std::move(input)),
      output_(std::move(output)),
      errors_(std::move(errors)),
      status_(std::move(status)),
      lifeline_(std::move(lifeline)) {
  constexpr int pipe_bytes = 256 * 1024;  // for larger messages in one write
  for (const Descriptor* end : {&input_, &output_, &errors_, &status_}) never_wait(*end);
  fcntl(input_.number(), F_SETPIPE_SZ, pipe_bytes);
  fcntl(output_.number(), F_SETPIPE_SZ, pipe_bytes);
}

std::optional<std::string> Child::end_text() {
  int status = 0;
  if (!wait_status_ && read(status_.number(), &status, sizeof status) == sizeof status)
    wait_status_ = status;
  if (!wait_status_) return std::nullopt;
  if (WIFSIGNALED(*wait_status_)) {
    const int number = WTERMSIG(*wait_status_);
    const char* const name = sigdescr_np(number);
    return "was ended by signal " + std::to_string(number) +
           (name == nullptr ? "" : " (" + std::string(name) + ")");
  }
  return "exited with code " + std::to_string(WEXITSTATUS(*wait_status_));
}

void Child::begin_end() {
  lifeline_.close();
  input_.close();
}

void Child::end() {
  begin_end();
  const pid_t keeper = std::exchange(keeper_.id, -1);
  if (keeper < 0) return;
  // A process in the kernel's hands may not die at once. Nobody waits for it longer than this.
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  while (waitpid(keeper, nullptr, WNOHANG) == 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

}  // namespace cordon::runners
