#include "cordon/transport/stdio_pipe.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <poll.h>
#include <unistd.h>

namespace cordon::transport {
namespace {

// As much as a host's pipe holds. Pages that nothing is read into cost nothing.
constexpr std::size_t read_bytes = std::size_t{256} << 10;

int milliseconds_until(Instant until) {
  if (until == Instant::max()) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
}

}  // namespace

StdioPipe::Ready StdioPipe::wait(bool wants_output, Instant until) {
  pollfd watched[2] = {
      {.fd = input_ended_ ? -1 : input_, .events = POLLIN, .revents = 0},
      {.fd = wants_output ? output_.number() : -1, .events = POLLOUT, .revents = 0},
  };
  if (poll(watched, 2, milliseconds_until(until)) < 0) return {};
  // Errors are told by read and write.
  return {.input = watched[0].revents != 0, .output = watched[1].revents != 0};
}

std::string_view StdioPipe::read() {
  if (buffer_ == nullptr) buffer_ = std::make_unique_for_overwrite<char[]>(read_bytes);
  const ssize_t got = ::read(input_, buffer_.get(), read_bytes);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return {};
  if (got <= 0) {
    input_ended_ = true;
    return {};
  }
  return {buffer_.get(), static_cast<std::size_t>(got)};
}

Result<> StdioPipe::write(std::string& text) {
  written_ += CORDON_TRY(output_.write_some(std::string_view(text).substr(written_)));
  // What is left moves no further than what has gone, so all of it moves once on the whole.
  if (written_ >= text.size() / 2) {
    text.erase(0, written_);
    written_ = 0;
  }
  return {};
}

}  // namespace cordon::transport
