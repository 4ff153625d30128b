#pragma once

// A streamed answer as its caller reads it: from any thread, a piece at a time.

#include <memory>

#include "cordon/byte_source.h"
#include "cordon/tunnels/remote_call.h"

namespace cordon::tunnels {

class AnswerStream : public ByteSource {
 public:
  explicit AnswerStream(std::shared_ptr<RemoteCall> call) : call_(std::move(call)) {}
  ~AnswerStream() override;

  void read(Next next) override;
  void close() override;

 private:
  const std::shared_ptr<RemoteCall> call_;
};

}  // namespace cordon::tunnels
