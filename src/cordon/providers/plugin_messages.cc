// PluginWorker, as far as it hears the guest: answers and chunks.

#include <algorithm>
#include <chrono>

#include "cordon/providers/plugin_worker.h"

namespace cordon::providers {
namespace {

// What a chunk takes beside its bytes.
constexpr std::size_t chunk_overhead = 64;

}  // namespace

void PluginWorker::on_event(StreamOver& over) {
  const std::lock_guard lock(mutex_);
  const auto stream = streams_.find(over.stream);
  PluginPending& pending = *stream->second;
  // One that was given up already keeps its failure.
  if (over.error && !pending.is_stream_over) pending.stream_failure = std::move(over.error);
  pending.is_stream_over = true;
  pending.chunk_deadline.reset();
  awake(pending);
  streams_.erase(stream);
  turn_.notify_all();
}

void PluginWorker::on_event(StreamPiece& piece) {
  const std::lock_guard lock(mutex_);
  PluginPending& pending = *streams_.at(piece.stream);
  if (pending.is_stream_over) return;  // given up: the guest cannot be told to stop
  pending.chunk_deadline.reset();
  const std::size_t bytes = piece.memory_bytes + chunk_overhead;
  const std::size_t most = owner_.options().unread_bytes;
  Charge held(conversation_->budget());
  // One is always taken, however large it is, if no other streams have taken all that there is.
  if ((!pending.chunks.empty() && pending.unread_bytes + bytes > most) || !held.add(bytes)) {
    pending.is_stream_over = true;
    pending.stream_failure = Error{ErrorCode::too_large, "more than " + std::to_string(most) +
                                                             " bytes of the stream were not read"};
  } else {
    pending.unread_bytes += bytes;
    pending.chunks.push_back({std::move(piece.value), bytes, std::move(held)});
  }
  awake(pending);
  turn_.notify_all();
}

void PluginWorker::on_event(CallAnswer& answer) {
  const std::string& id = answer.id;
  Result<Value>& result = answer.result;
  const Pending pending = locked([&] { return calls_.at(id); });
  if (result && pending->contract != nullptr) {
    if (auto wrong = complaint(pending->contract->result, *result)) {
      result = fail(ErrorCode::validation_error, *std::move(wrong));
    }
  }
  const std::lock_guard lock(mutex_);
  if (pending->is_cancelled) {
    --cancelled_;
    calls_.erase(id);
    turn_.notify_all();
    return;
  }
  pending->result = std::move(result);
  pending->is_answered = true;
  // A function that failed need not end its stream.
  if (!pending->result && !pending->stream_id.empty() && !pending->is_stream_over) {
    pending->stream_failure = pending->result.error();
    pending->is_stream_over = true;
  }
  // The reader of its stream does not wait yet.
  if (pending->stream_id.empty() || pending->has_chunk_or_end()) awake(*pending);
  calls_.erase(id);
  turn_.notify_all();
}

}  // namespace cordon::providers
