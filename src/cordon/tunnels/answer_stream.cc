#include "cordon/tunnels/answer_stream.h"

#include <utility>

namespace cordon::tunnels {

AnswerStream::~AnswerStream() { close(); }

void AnswerStream::read(Next next) {
  const bool is_run = call_->core()->run([call = call_, next] { call->read(next); });
  if (!is_run) next(fail(ErrorCode::cancelled, "the client has ended"));
}

void AnswerStream::close() {
  call_->core()->run([call = call_] { call->close_stream(); });
}

}  // namespace cordon::tunnels
