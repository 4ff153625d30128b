#pragma once

// Bytes that come in pieces: the body of a request, an uploaded file, a result that is streamed.

#include "cordon/needs_cxx23.h"

#include <functional>

#include "cordon/bytes.h"
#include "cordon/export.h"
#include "cordon/result.h"

namespace cordon {

// A source is read by one reader, once, a piece at a time: whoever does not read slows down whoever
// sends. All calls come from the thread that handed the source over, and so do its answers.
class CORDON_API ByteSource {
 public:
  virtual ~ByteSource() = default;

  using Next = std::function<void(Result<Bytes>)>;
  // `next` gets the next piece once there is one, perhaps before read() returns. No bytes are the
  // end; an error (ErrorCode::closed where the sender went away) is one too. Not while one read is
  // pending.
  virtual void read(Next next) = 0;
  // The reader wants no more. What is pending is answered with ErrorCode::cancelled.
  virtual void close() = 0;
};

}  // namespace cordon
