#include "cordon/sandbox/wasi/streams.h"

#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace cordon::sandbox::wasi {
namespace {

Errno errno_of(int error) {
  switch (error) {
    case EPIPE:
      return Errno::pipe;
    case EBADF:
      return Errno::badf;
    default:
      return Errno::io;
  }
}

// The process that started us may share a pipe that is non-blocking, but a guest expects a blocking
// one.
void wait_for(int descriptor, short events) {
  pollfd waiting{.fd = descriptor, .events = events, .revents = 0};
  poll(&waiting, 1, -1);
}

bool is_ready(int descriptor, short events) {
  pollfd waiting{.fd = descriptor, .events = events, .revents = 0};
  return poll(&waiting, 1, 0) > 0;
}

template <class Move>
Errno move_bytes(const Stream& stream, short events, std::uint32_t& done, Move move) {
  if (stream.never_waits && !is_ready(stream.descriptor, events)) return Errno::again;
  while (true) {
    const ssize_t moved = move();
    if (moved >= 0) {
      done = static_cast<std::uint32_t>(moved);
      return Errno::success;
    }
    if (errno == EAGAIN) {
      wait_for(stream.descriptor, events);
    } else if (errno != EINTR) {
      return errno_of(errno);
    }
  }
}

}  // namespace

Streams::Streams()
    : streams_{Stream{STDIN_FILENO, true, false}, Stream{STDOUT_FILENO, false, false},
               Stream{STDERR_FILENO, false, false}} {}

Stream* Streams::find(std::uint32_t descriptor) {
  if (descriptor >= count || !streams_[descriptor].is_open()) return nullptr;
  return &streams_[descriptor];
}

Errno Streams::renumber(std::uint32_t from, std::uint32_t to) {
  Stream* const source = find(from);
  Stream* const target = find(to);
  if (source == nullptr || target == nullptr) return Errno::badf;
  if (source == target) return Errno::success;
  close(target->descriptor);
  *target = std::exchange(*source, {});
  return Errno::success;
}

Errno read_from(const Stream& stream, std::span<iovec> parts, std::uint32_t& done) {
  return move_bytes(stream, POLLIN, done, [&] {
    // One part is nearly all there ever is, and read is the quicker call.
    return parts.size() == 1
               ? read(stream.descriptor, parts[0].iov_base, parts[0].iov_len)
               : readv(stream.descriptor, parts.data(), static_cast<int>(parts.size()));
  });
}

Errno write_to(const Stream& stream, std::span<iovec> parts, std::uint32_t& done) {
  return move_bytes(stream, POLLOUT, done, [&] {
    return parts.size() == 1
               ? write(stream.descriptor, parts[0].iov_base, parts[0].iov_len)
               : writev(stream.descriptor, parts.data(), static_cast<int>(parts.size()));
  });
}

}  // namespace cordon::sandbox::wasi
