#pragma once

// The three descriptors of a guest: its standard streams, which it may read, write, close and swap,
// and none besides.

#include <array>
#include <cstdint>
#include <ctime>
#include <span>
#include <sys/uio.h>

#include "cordon/sandbox/wasi/errno.h"

namespace cordon::sandbox::wasi {

struct Stream {
  int descriptor = -1;  // of this process; -1 if the guest has closed it
  bool reads = false;
  bool never_waits =
      false;  // the guest set FDFLAGS_NONBLOCK: our side keeps the flag, not the pipe

  bool is_open() const { return descriptor >= 0; }
};

class Streams {
 public:
  static constexpr std::uint32_t count = 3;

  Streams();

  // nullptr for one that is closed or never existed.
  Stream* find(std::uint32_t descriptor);
  // Moves a stream to another number, and closes what was there.
  Errno renumber(std::uint32_t from, std::uint32_t to);

 private:
  std::array<Stream, count> streams_;
};

// Both wait as long as it takes, unless the stream is non-blocking. A short count is passed on as
// such.
Errno read_from(const Stream& stream, std::span<iovec> parts, std::uint32_t& done);
Errno write_to(const Stream& stream, std::span<iovec> parts, std::uint32_t& done);

}  // namespace cordon::sandbox::wasi
