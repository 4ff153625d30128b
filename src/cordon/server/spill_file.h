#pragma once

// Bytes that have to wait for their reader, in a file that has no name and is gone with its
// process.

#include <cstdint>

#include "cordon/bytes.h"
#include "cordon/result.h"

namespace cordon::server {

class SpillFile {
 public:
  SpillFile() = default;
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  // The file is made with the first bytes, where TMPDIR says or in /tmp.
  Result<> append(BytesView bytes);
  std::uint64_t unread_bytes() const { return written_ - read_; }
  // Some of the oldest; none where all was read.
  Result<Bytes> take();

 private:
  Result<> open();

  int descriptor_ = -1;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;
};

}  // namespace cordon::server
