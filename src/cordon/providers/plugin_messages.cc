// PluginWorker, as far as it hears the guest: answers, chunks and callbacks.

#include <algorithm>
#include <chrono>

#include "cordon/providers/plugin_worker.h"

namespace cordon::providers {
namespace {

using duplex::Message;

// What a chunk takes beside its bytes.
constexpr std::size_t chunk_overhead = 64;

}  // namespace

void PluginWorker::answer_callbacks() {
  duplex::HostSession& session = link_->session();
  for (const CallbackAnswer& answer : inbox_->take()) {
    if (answer.result) {
      const Result<> written = session.respond(answer.id, *answer.result);
      if (!written) (void)session.respond_error(answer.id, written.error().message);
    } else {
      (void)session.respond_error(answer.id, answer.result.error().message);
    }
  }
}

void PluginWorker::on_message(Message& message) {
  if (auto* call = std::get_if<duplex::FunctionCall>(&message)) {
    on_callback(*call);
  } else if (auto* response = std::get_if<duplex::FunctionResponse>(&message)) {
    settle(response->id, std::move(response->result));
  } else if (auto* error = std::get_if<duplex::FunctionError>(&message)) {
    settle(error->id, fail(ErrorCode::tool_error, std::move(error->error)));
  } else {
    const std::lock_guard lock(mutex_);
    if (auto* chunk = std::get_if<duplex::StreamChunk>(&message)) {
      on_chunk(*chunk);
    } else {
      const auto* end = std::get_if<duplex::StreamEnd>(&message);
      const auto stream = streams_.find(end ? end->id : std::get<duplex::StreamError>(message).id);
      PluginPending& pending = *stream->second;
      // One that was given up already keeps its failure.
      if (end == nullptr && !pending.is_stream_over) {
        pending.stream_failure = Error{ErrorCode::io, std::get<duplex::StreamError>(message).error};
      }
      pending.is_stream_over = true;
      pending.chunk_deadline.reset();
      awake(pending);
      streams_.erase(stream);
    }
    turn_.notify_all();
  }
}

void PluginWorker::on_chunk(duplex::StreamChunk& chunk) {
  PluginPending& pending = *streams_.at(chunk.id);
  if (pending.is_stream_over) return;  // given up: the guest cannot be told to stop
  pending.chunk_deadline.reset();
  const std::size_t bytes = link_->session().message_memory() + chunk_overhead;
  const std::size_t most = owner_.options().unread_bytes;
  Charge held(held_);
  // One is always taken, however large it is, if no other streams have taken all that there is.
  if ((!pending.chunks.empty() && pending.unread_bytes + bytes > most) || !held.add(bytes)) {
    pending.is_stream_over = true;
    pending.stream_failure = Error{ErrorCode::too_large, "more than " + std::to_string(most) +
                                                             " bytes of the stream were not read"};
  } else {
    pending.unread_bytes += bytes;
    pending.chunks.push_back({std::move(chunk.chunk), bytes, std::move(held)});
  }
  awake(pending);
}

void PluginWorker::on_callback(duplex::FunctionCall& call) {
  // The session counts those that it will answer. A guest may ask for things without wanting to
  // hear of them, and they are work all the same.
  const std::size_t most = link_->session().limits().open_callbacks;
  if (inbox_->open() >= most) {
    return end_process(
        {ErrorCode::too_large, "more than " + std::to_string(most) + " open callbacks"});
  }
  Charge held(held_);
  if (!held.add(link_->session().message_memory())) {
    return end_process({ErrorCode::too_large, "callbacks that are open take more than " +
                                                  std::to_string(held_->limits().bytes) +
                                                  " bytes of memory"});
  }
  ToolFunction function;
  const FunctionContract* contract = nullptr;
  if (const auto reference = references_.find(call.function_name); reference != references_.end()) {
    function = reference->second;
  } else {
    const auto& tools = owner_.options().callbacks->tools();
    function = std::ranges::find(tools, call.function_name, &Tool::name)->function;
    contract = owner_.contract().callback(call.function_name);
  }
  std::optional<std::string> id;
  if (call.expects_response) id = std::move(call.id);
  std::chrono::milliseconds timeout = owner_.options().callback_timeout;
  CallbackInbox::Check check;
  if (contract != nullptr) {
    if (const auto wrong = complaint(contract->params, call.params)) {
      if (id) (void)link_->session().respond_error(*id, "params: " + *wrong);
      return;
    }
    timeout = contract->timeout.value_or(timeout);
    if (contract->result) {
      // What is wrong with it is the host's affair.
      check = [contract](Value result) -> Result<Value> {
        if (!complaint(contract->result, result)) return result;
        return fail(ErrorCode::tool_error, "the result is not what its schema asks for");
      };
    }
  }
  const Instant deadline = std::chrono::steady_clock::now() + timeout;
  Reply reply = inbox_->reply_for(std::move(id), std::move(held), deadline, std::move(check));
  function(std::move(call.params), std::move(reply));
}

void PluginWorker::settle(const std::string& id, Result<Value> result) {
  had_answered_ = true;
  const Pending pending = locked([&] { return calls_.at(id); });
  for (const std::string& name : pending->references) references_.erase(name);
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
