#include "cordon/transport/stdio_pipe.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace cordon::transport {
namespace {

constexpr std::size_t read_bytes = std::size_t{64} << 10;

int milliseconds_until(Instant until) {
  if (until == Instant::max()) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
}

}  // namespace

StdioPipe::StdioPipe(int input, int output) : input_(input), output_(output) {
  struct stat status{};
  if (fstat(output, &status) != 0) return;
  if (S_ISSOCK(status.st_mode)) output_kind_ = Output::socket;
  if (!S_ISFIFO(status.st_mode)) return;
  // The same pipe opened once more does not share its flags with others, so it may refuse to wait.
  const std::string name = "/proc/self/fd/" + std::to_string(output);
  const int own = open(name.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (own < 0) return;
  output_ = own;
  output_kind_ = Output::own_pipe;
}

StdioPipe::~StdioPipe() {
  if (output_kind_ == Output::own_pipe) close(output_);
}

StdioPipe::Ready StdioPipe::wait(bool wants_output, Instant until) {
  pollfd watched[2] = {
      {.fd = input_ended_ ? -1 : input_, .events = POLLIN, .revents = 0},
      {.fd = wants_output ? output_ : -1, .events = POLLOUT, .revents = 0},
  };
  if (poll(watched, 2, milliseconds_until(until)) < 0) return {};
  // Errors are told by read and write.
  return {.input = watched[0].revents != 0, .output = watched[1].revents != 0};
}

std::string_view StdioPipe::read() {
  buffer_.resize(read_bytes);
  const ssize_t got = ::read(input_, buffer_.data(), buffer_.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return {};
  if (got <= 0) {
    input_ended_ = true;
    return {};
  }
  return std::string_view(buffer_).substr(0, static_cast<std::size_t>(got));
}

Result<> StdioPipe::write(std::string& text) {
  const char* start = text.data() + written_;
  const std::size_t size = text.size() - written_;
  ssize_t wrote = -1;
  switch (output_kind_) {
    case Output::socket:
      wrote = send(output_, start, size, MSG_DONTWAIT | MSG_NOSIGNAL);
      break;
    case Output::own_pipe:
      wrote = ::write(output_, start, size);
      break;
    case Output::other:
      // What has room has it for this much.
      wrote = ::write(output_, start, std::min<std::size_t>(size, PIPE_BUF));
      break;
  }
  if (wrote < 0) {
    if (errno == EINTR || errno == EAGAIN) return {};
    return fail(ErrorCode::closed,
                "cannot write to standard output: " + std::generic_category().message(errno));
  }
  written_ += static_cast<std::size_t>(wrote);
  // What is left moves no further than what has gone, so all of it moves once on the whole.
  if (written_ >= text.size() / 2) {
    text.erase(0, written_);
    written_ = 0;
  }
  return {};
}

}  // namespace cordon::transport
