#include "cordon/host/task_input.h"

#include <algorithm>
#include <utility>

namespace cordon::host {
namespace {

// The largest piece that a guest gets, so that one with little memory can take it.
constexpr std::size_t max_piece_bytes = std::size_t{512} << 10;

Error failure_of_stream(const Error& error) {
  const bool is_gone = error.code == ErrorCode::closed || error.code == ErrorCode::cancelled;
  return {ErrorCode::tool_error, error.message, is_gone ? "aborted" : "stream_error"};
}

}  // namespace

TaskInput::TaskInput(std::shared_ptr<ByteSource> source, Answer answer)
    : source_(std::move(source)), answer_(std::move(answer)) {}

void TaskInput::read(std::uint64_t call) {
  waiting_.push_back(call);
  serve();
}

void TaskInput::close() {
  if (source_ == nullptr) return;
  // A pending read is answered with an error, before close() returns or later.
  const std::shared_ptr<ByteSource> source = std::move(source_);
  piece_.clear();
  if (!is_over_) error_ = Error{ErrorCode::cancelled, "the stream was closed"};
  is_over_ = true;
  source->close();
  serve();
}

void TaskInput::detach() {
  close();
  answer_ = {};
}

void TaskInput::serve() {
  if (std::exchange(is_serving_, true)) return;
  const std::shared_ptr<TaskInput> self = shared_from_this();
  while (!waiting_.empty()) {
    if (can_answer()) {
      Delivery::PortAnswer answer = next_answer();
      if (answer_) answer_(std::move(answer));
      continue;
    }
    if (is_reading_) break;
    is_reading_ = true;
    // The source may answer before read() returns: then there is something for the next round.
    source_->read([self](Result<Bytes> piece) { self->take(std::move(piece)); });
    if (is_reading_) break;
  }
  is_serving_ = false;
}

void TaskInput::take(Result<Bytes> piece) {
  is_reading_ = false;
  if (is_over_) return;  // closed meanwhile
  if (!piece) {
    error_ = std::move(piece.error());
    is_over_ = true;
  } else if (piece->empty()) {
    is_over_ = true;
  } else {
    piece_ = *std::move(piece);
    cut_ = 0;
  }
  serve();
}

Delivery::PortAnswer TaskInput::next_answer() {
  const std::uint64_t call = waiting_.front();
  waiting_.pop_front();
  if (!piece_.empty()) return {call, cut()};
  if (error_) return {call, failure_of_stream(*error_)};
  return {call, std::monostate()};
}

Bytes TaskInput::cut() {
  if (cut_ == 0 && piece_.size() <= max_piece_bytes) return std::exchange(piece_, {});
  const std::size_t size = std::min(max_piece_bytes, piece_.size() - cut_);
  const auto from = piece_.begin() + static_cast<std::ptrdiff_t>(cut_);
  Bytes part(from, from + static_cast<std::ptrdiff_t>(size));
  cut_ += size;
  if (cut_ == piece_.size()) piece_.clear();
  return part;
}

}  // namespace cordon::host
