#pragma once

// Standard input and output as a stream in both directions, on one thread: reading never waits for
// the reader of the output, nor the other way round, so that a peer which writes before it reads
// cannot lock both up. The descriptors' own flags stay as they are: they are shared with others.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "cordon/base/instant.h"
#include "cordon/result.h"
#include "cordon/transport/output_descriptor.h"

namespace cordon::transport {

class StdioPipe {
 public:
  StdioPipe(int input, int output) : input_(input), output_(output) {}

  struct Ready {
    bool input = false;
    bool output = false;
  };
  // Until there is input, or room for output where it is wanted, or `until` has come.
  Ready wait(bool wants_output, Instant until);

  // Some of what there is; empty at the end of the input. Once wait() has said so.
  std::string_view read();
  bool input_ended() const { return input_ended_; }

  // Takes what was written from the front of `text`. Call it once wait() has said that there is
  // room. Fails with ErrorCode::closed if the reader is gone.
  Result<> write(std::string& text);

 private:
  int input_;
  OutputDescriptor output_;
  bool input_ended_ = false;
  std::size_t written_ = 0;  // of the text that is being written
  std::unique_ptr<char[]> buffer_;
};

}  // namespace cordon::transport
