#pragma once

// Bytes that come in pieces: the body of a request, an uploaded file, a result that is streamed.

#include "cordon/needs_cxx23.h"

#include <functional>

#include "cordon/bytes.h"
#include "cordon/export.h"
#include "cordon/result.h"

namespace cordon {

// One reader reads a source once, piece by piece. A reader that stops reading slows the sender
// down. All calls and all answers are made on the thread that handed the source over.
class CORDON_API ByteSource {
 public:
  virtual ~ByteSource() = default;

  using Next = std::function<void(Result<Bytes>)>;
  // Calls `next` with the next piece once there is one, perhaps before read() returns. An empty
  // piece is the end, and so is an error (ErrorCode::closed if the sender went away). Do not call
  // it while a read is pending.
  virtual void read(Next next) = 0;
  // The reader wants no more. A pending read is answered with ErrorCode::cancelled.
  virtual void close() = 0;
};

}  // namespace cordon
