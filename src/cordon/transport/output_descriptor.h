#pragma once

// A descriptor that is written to without waiting for its reader. Its own flags stay as they are:
// standard output is shared with others.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cordon/result.h"

namespace cordon::transport {

class OutputDescriptor {
 public:
  // Borrows it.
  explicit OutputDescriptor(int descriptor);
  ~OutputDescriptor();
  OutputDescriptor(const OutputDescriptor&) = delete;
  OutputDescriptor& operator=(const OutputDescriptor&) = delete;

  // What to wait on until there is room.
  int number() const { return number_; }
  // Whether write_some() may be tried before anything said that there is room.
  bool may_be_tried() const { return kind_ != Kind::other; }

  // Writes some of the text and tells how much. 0: there is no room now. Fails with
  // ErrorCode::closed if the reader is gone, or the disk is full.
  Result<std::size_t> write_some(std::string_view text) const;

 private:
  enum class Kind : std::uint8_t {
    socket,
    own_pipe,
    file,   // it has room, or fails
    other,  // such as a terminal: once it has room, it has it for a little
  };

  int number_;
  Kind kind_ = Kind::other;
};

}  // namespace cordon::transport
