#include "cordon/protocol/duplex/host_session.h"

#include <utility>

namespace cordon::duplex {
namespace {

// An id comes from the guest, so it is cut when it is shown.
std::string shown(std::string_view text) { return debug_text(Value(text)); }

}  // namespace

Result<> HostSession::writable() const {
  if (!violation_) return {};
  return fail(ErrorCode::closed,
              std::string(name_of(violation_->code)) + ": " + violation_->message);
}

Result<> HostSession::wrote(Result<> result, std::size_t before) {
  if (!result) return result;
  ++figures_.frames_out;
  figures_.bytes_out += output_.size() - before;
  return {};
}

Result<std::string> HostSession::call(std::string_view function_name, const ValueView& params,
                                      const CallOptions& options) {
  CORDON_TRY(writable());
  std::string id = ids_.next();
  const bool expects_response = options.answer == Answer::expected;
  const std::size_t before = output_.size();
  CORDON_TRY(wrote(
      write_function_call(output_, id, function_name, params, expects_response, limits_), before));
  if (!expects_response) return id;
  for (const std::string& name : options.references) references_.insert(name);
  calls_.emplace(id, Call{options.references});
  if (options.deadline) deadlines_.emplace(*options.deadline, id);
  return id;
}

Result<> HostSession::respond(std::string_view id, const ValueView& result) {
  CORDON_TRY(writable());
  const auto open = callbacks_.find(std::string(id));
  if (open == callbacks_.end()) return {};
  const std::size_t before = output_.size();
  CORDON_TRY(wrote(write_function_response(output_, id, result, limits_), before));
  callbacks_.erase(open);
  check_unread(before);
  return {};
}

Result<> HostSession::respond_error(std::string_view id, std::string_view error) {
  CORDON_TRY(writable());
  const auto open = callbacks_.find(std::string(id));
  if (open == callbacks_.end()) return {};
  const std::size_t before = output_.size();
  CORDON_TRY(wrote(write_function_error(output_, id, error, limits_), before));
  callbacks_.erase(open);
  check_unread(before);
  return {};
}

void HostSession::check_unread(std::size_t before) {
  if (before == 0 || output_.size() <= limits_.unread_answer_bytes) return;
  end({ErrorCode::too_large, "the guest does not read: " + std::to_string(output_.size()) +
                                 " bytes wait for it, where " +
                                 std::to_string(limits_.unread_answer_bytes) + " are allowed"});
}

Result<> HostSession::open_incoming(std::string id) {
  CORDON_TRY(writable());
  if (!incoming_.insert(std::move(id)).second) {
    return fail(ErrorCode::already_exists, "a stream of this id is open");
  }
  return {};
}

Result<> HostSession::open_outgoing(std::string id) {
  CORDON_TRY(writable());
  if (!outgoing_.insert(std::move(id)).second) {
    return fail(ErrorCode::already_exists, "a stream of this id is open");
  }
  return {};
}

Result<> HostSession::send_chunk(std::string_view id, const ValueView& chunk) {
  CORDON_TRY(writable());
  if (!outgoing_.contains(id)) return fail(ErrorCode::not_found, "no such stream is open");
  const std::size_t before = output_.size();
  return wrote(write_stream_chunk(output_, id, chunk, limits_), before);
}

Result<> HostSession::send_end(std::string_view id) {
  CORDON_TRY(writable());
  const auto open = outgoing_.find(id);
  if (open == outgoing_.end()) return fail(ErrorCode::not_found, "no such stream is open");
  const std::size_t before = output_.size();
  CORDON_TRY(wrote(write_stream_end(output_, id, limits_), before));
  outgoing_.erase(open);
  return {};
}

Result<> HostSession::send_error(std::string_view id, std::string_view error) {
  CORDON_TRY(writable());
  const auto open = outgoing_.find(id);
  if (open == outgoing_.end()) return fail(ErrorCode::not_found, "no such stream is open");
  const std::size_t before = output_.size();
  CORDON_TRY(wrote(write_stream_error(output_, id, error, limits_), before));
  outgoing_.erase(open);
  return {};
}

Result<std::optional<Message>> HostSession::next() {
  if (violation_) return std::unexpected(*violation_);
  Result<std::optional<BytesView>> payload = input_.next();
  if (!payload) return std::unexpected(end(std::move(payload).error()));
  if (!*payload) return std::nullopt;
  ++figures_.frames_in;
  // Each message has a budget of its own, since the guest cannot control how long a message is
  // kept.
  const auto budget = std::make_shared<Budget>(Budget::Limits{.bytes = limits_.memory_bytes()});
  Result<Message> message = read_message(**payload, limits_, budget);
  message_memory_ = budget->used();
  if (!message) return std::unexpected(end(std::move(message).error()));
  Result<> admitted = admit(*message);
  if (!admitted) return std::unexpected(end(std::move(admitted).error()));
  return *std::move(message);
}

Result<> HostSession::admit(const Message& message) {
  if (const auto* call = std::get_if<FunctionCall>(&message)) return admit_call(*call);
  if (const auto* response = std::get_if<FunctionResponse>(&message)) return settle(response->id);
  if (const auto* error = std::get_if<FunctionError>(&message)) return settle(error->id);

  const auto* chunk = std::get_if<StreamChunk>(&message);
  const auto* stream_end = std::get_if<StreamEnd>(&message);
  const std::string& id = chunk != nullptr        ? chunk->id
                          : stream_end != nullptr ? stream_end->id
                                                  : std::get<StreamError>(message).id;
  const auto stream = incoming_.find(id);
  if (stream == incoming_.end()) {
    return fail(ErrorCode::unknown_id, "no stream " + shown(id) + " is open");
  }
  if (chunk == nullptr) incoming_.erase(stream);
  return {};
}

Result<> HostSession::admit_call(const FunctionCall& call) {
  if (!allowed_.contains(call.function_name) && !references_.contains(call.function_name)) {
    return fail(ErrorCode::unauthorized_callback,
                "the guest may not call " + shown(call.function_name));
  }
  if (callbacks_.contains(call.id)) {
    return fail(ErrorCode::bad_message,
                "a second callback with the id " + shown(call.id) + " while one is open");
  }
  if (!call.expects_response) return {};
  if (callbacks_.size() >= limits_.open_callbacks) {
    return fail(ErrorCode::too_large,
                "more than " + std::to_string(limits_.open_callbacks) + " open callbacks");
  }
  callbacks_.insert(call.id);
  return {};
}

Result<> HostSession::settle(const std::string& id) {
  const auto call = calls_.find(id);
  if (call == calls_.end()) {
    return fail(ErrorCode::unknown_id, "no call " + shown(id) + " waits for an answer");
  }
  for (const std::string& name : call->second.references) references_.erase(name);
  calls_.erase(call);
  return {};
}

std::optional<Instant> HostSession::deadline() {
  while (!deadlines_.empty() && !calls_.contains(deadlines_.top().second)) deadlines_.pop();
  if (violation_ || deadlines_.empty()) return std::nullopt;
  return deadlines_.top().first;
}

Result<> HostSession::on_time(Instant now) {
  if (violation_) return std::unexpected(*violation_);
  const std::optional<Instant> earliest = deadline();
  if (!earliest || now < *earliest) return {};
  return std::unexpected(end({ErrorCode::timeout, "a call was not answered in time"}));
}

Error HostSession::on_exit(std::string detail) {
  return violation_ ? *violation_ : end({ErrorCode::exited, std::move(detail)});
}

Error HostSession::end(Error violation) {
  violation_ = std::move(violation);
  calls_.clear();
  deadlines_ = {};
  callbacks_.clear();
  references_.clear();
  incoming_.clear();
  outgoing_.clear();
  output_.clear();
  return *violation_;
}

}  // namespace cordon::duplex
