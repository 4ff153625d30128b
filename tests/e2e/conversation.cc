#include "conversation.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace cordon::e2e {
namespace {

using Clock = std::chrono::steady_clock;

void close_end(int& end) {
  if (end >= 0) close(std::exchange(end, -1));
}

}  // namespace

Conversation::Conversation(const std::string& program, std::vector<std::string> arguments) {
  std::signal(SIGPIPE, SIG_IGN);
  int in[2];
  int out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  std::vector<char*> pointers = {const_cast<char*>("cordon")};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execv(program.c_str(), pointers.data());
    _exit(126);
  }
  close(in[0]);
  close(out[1]);
  input_ = in[1];
  output_ = out[0];
}

Conversation::~Conversation() {
  close_end(input_);
  close_end(output_);
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
}

bool Conversation::send(std::string_view line) { return send_bytes(std::string(line) + "\n"); }

bool Conversation::send_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(input_, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

void Conversation::end_input() { close_end(input_); }
void Conversation::close_output() { close_end(output_); }

bool Conversation::has_output(std::chrono::milliseconds within) {
  if (!unread_.empty()) return true;
  pollfd watched{.fd = output_, .events = POLLIN, .revents = 0};
  return poll(&watched, 1, static_cast<int>(within.count())) > 0;
}

bool Conversation::read_more(std::chrono::milliseconds within) {
  pollfd watched{.fd = output_, .events = POLLIN, .revents = 0};
  const int ready = poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(within.count(), 0)));
  if (ready == 0) throw std::runtime_error("no line came in time; so far: " + unread_);
  char buffer[65536];
  const ssize_t got = read(output_, buffer, sizeof buffer);
  if (got <= 0) return false;
  unread_.append(buffer, static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> Conversation::receive(std::chrono::milliseconds within) {
  const auto until = Clock::now() + within;
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = unread_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    searched = unread_.size();
    if (!read_more(std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()))) {
      if (unread_.empty()) return std::nullopt;
      throw std::runtime_error("the output ends in the middle of a line: " + unread_);
    }
  }
}

int Conversation::wait() {
  const auto until = Clock::now() + std::chrono::seconds(20);
  int status = 0;
  while (waitpid(process_, &status, WNOHANG) == 0) {
    if (Clock::now() > until) throw std::runtime_error("it does not come to its end");
    usleep(1000);
  }
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace cordon::e2e
