#pragma once

// The body of a request, out of bytes that may come in any pieces: as many as its head says, or
// chunks.

#include <cstddef>
#include <cstdint>
#include <span>

#include "cordon/result.h"
#include "cordon/transport/http/head_parser.h"

namespace cordon::transport::http {

class BodyDecoder {
 public:
  // No body.
  BodyDecoder() = default;
  // Trailers are read and dropped; `trailers` bounds them.
  BodyDecoder(const Framing& framing, const HeadLimits& trailers);

  struct Step {
    std::size_t used = 0;    // bytes that belong to this request
    std::size_t offset = 0;  // of what they held of the body
    std::size_t size = 0;
  };
  // Takes all of `bytes`, up to the end of the body. The data of several chunks is moved together.
  // ErrorCode::malformed for what are no chunks; then nothing more may be fed.
  Result<Step> decode(std::span<std::uint8_t> bytes);

  bool is_done() const { return state_ == State::done; }
  // For a body with a length: what is still to come. For a chunked one it is at least this much.
  std::uint64_t left() const { return left_; }
  bool is_chunked() const { return is_chunked_; }
  // The number of bytes that are known to be data, so that they can be read straight to where they
  // are wanted. The caller then reports how many it read.
  std::uint64_t plain_left() const { return state_ == State::data ? left_ : 0; }
  void skip_plain(std::uint64_t bytes);

 private:
  enum class State : std::uint8_t {
    size,       // hexadecimal digits
    extension,  // up to the line's end
    size_end,   // LF
    data,       // left_ bytes
    data_cr,    // CR LF after a chunk
    data_lf,
    trailer,  // a line, from its first byte
    trailer_name,
    trailer_value,
    trailer_lf,  // LF of a trailer
    end_lf,      // LF of the empty line
    done
  };
  Result<> step(std::uint8_t byte);
  Result<> count_trailer();

  State state_ = State::done;
  bool is_chunked_ = false;
  std::uint64_t left_ = 0;
  HeadLimits trailers_ = {};
  unsigned digits_ = 0;
  std::size_t extension_bytes_ = 0;
};

}  // namespace cordon::transport::http
