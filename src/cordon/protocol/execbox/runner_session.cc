#include "cordon/protocol/execbox/runner_session.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "cordon/codec/json/decode.h"

namespace cordon::execbox {
namespace {

constexpr std::string_view call_prefix = "call-";

std::string call_id_of(std::uint64_t call) {
  return std::string(call_prefix) + std::to_string(call);
}

// The number in one of our own ids, each of which has only one spelling.
std::optional<std::uint64_t> call_of(std::string_view call_id) {
  if (!call_id.starts_with(call_prefix)) return std::nullopt;
  const std::string_view digits = call_id.substr(call_prefix.size());
  std::uint64_t call = 0;
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  const auto parsed = std::from_chars(begin, end, call);
  if (parsed.ec != std::errc() || parsed.ptr != end || digits.starts_with('0')) return std::nullopt;
  return call;
}

bool begins_as_object(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin != std::string_view::npos && text[begin] == '{';
}

Error timed_out() { return {ErrorCode::timeout, std::string(timed_out_text)}; }

}  // namespace

RunnerSession::RunnerSession(const SessionLimits& limits, KnownManifests* known)
    : limits_(limits),
      known_(known),
      budget_(std::make_shared<Budget>(
          Budget::Limits{.bytes = std::max(4 * limits.message_bytes, Budget::min_message_bytes)})) {
}

RunnerSession::Heard RunnerSession::on_message(std::string_view text) {
  if (state_ == State::over) return Heard::noise;
  if (std::optional<Execute> execute = read_many_tools(text)) {
    on(*std::move(execute));
    return Heard::object;
  }
  const json::DecodeOptions options{
      .max_bytes = limits_.message_bytes, .max_depth = max_nesting, .budget = budget_};
  const Result<Value> message = json::decode(text, options);
  if (message) {
    std::visit([this](auto&& known) { on(std::forward<decltype(known)>(known)); },
               read_message(*message, limits_.ceilings));
    return message->is_object() ? Heard::object : Heard::noise;
  }
  // Broken JSON is noise. The sender of JSON that cannot be read waits for an answer.
  const ErrorCode why = message.error().code;
  if (why != ErrorCode::too_large && why != ErrorCode::too_deep && why != ErrorCode::invalid_utf8)
    return Heard::noise;
  EnvelopeScanner scanner;
  scanner.feed(text);
  const std::optional<Envelope> envelope = scanner.finish();
  if (envelope) {
    on_unreadable(*envelope, why == ErrorCode::too_large  ? "it is too large"
                             : why == ErrorCode::too_deep ? "it is nested too deeply"
                                                          : "it is not UTF-8");
  }
  return begins_as_object(text) ? Heard::object : Heard::noise;
}

// An `execute` whose providers take most of it. Nothing if it has to be read as any other message
// is, perhaps only for what is wrong with it.
std::optional<Execute> RunnerSession::read_many_tools(std::string_view text) const {
  if (state_ != State::idle || text.size() > limits_.message_bytes) return std::nullopt;
  const std::optional<SplitExecute> split = split_execute(text);
  if (!split) return std::nullopt;
  const Result<Value> message = json::decode(
      split->without_providers,
      {.max_bytes = limits_.message_bytes, .max_depth = max_nesting, .budget = budget_});
  if (!message) return std::nullopt;
  HostMessage read = read_message(*message, limits_.ceilings);
  auto* const execute = std::get_if<Execute>(&read);
  if (execute == nullptr) return std::nullopt;
  Manifests manifests = known_ == nullptr ? nullptr : known_->find(split->providers);
  if (manifests == nullptr) {
    auto made = read_usual_manifests(split->providers);
    if (!made) return std::nullopt;
    manifests = std::make_shared<const std::vector<ProviderManifest>>(*std::move(made));
    if (known_ != nullptr) known_->keep(split->providers, manifests);
  }
  execute->providers = *manifests;
  return std::move(*execute);
}

void RunnerSession::on_oversized(const std::optional<Envelope>& envelope) {
  if (state_ == State::over || !envelope) return;
  on_unreadable(*envelope, "it is larger than " + std::to_string(limits_.message_bytes) + " bytes");
}

void RunnerSession::on_unreadable(const Envelope& envelope, const std::string& why) {
  if (envelope.type == "execute" && envelope.id) {
    on(MalformedExecute{*envelope.id, "Invalid execute message: " + why});
  } else if (envelope.type == "tool_result" && envelope.call_id) {
    settle(*envelope.call_id, Error{ErrorCode::serialization_error, "Tool result refused: " + why});
  }
}

void RunnerSession::on(Execute message) {
  if (state_ != State::idle) {
    refuse(message.id, ErrorCode::internal_error,
           "QuickJS endpoint already has an active execution");
    return;
  }
  state_ = State::running;
  id_ = message.id;
  write_started(output_, id_);
  orders_.emplace_back(Start{std::move(message)});
}

void RunnerSession::on(const MalformedExecute& message) {
  refuse(message.id, ErrorCode::validation_error, message.reason);
  // This would have been the session's execution.
  if (state_ == State::idle) state_ = State::over;
}

void RunnerSession::on(const Cancel& message) {
  if (state_ != State::running || message.id != id_) return;
  state_ = State::cancelling;
  orders_.emplace_back(Stop{});
}

void RunnerSession::on(ToolResult message) { settle(message.call_id, std::move(message.outcome)); }

void RunnerSession::settle(const std::string& call_id, std::variant<Value, Error> outcome) {
  if (state_ != State::running) return;
  const std::optional<std::uint64_t> call = call_of(call_id);
  if (!call || open_calls_.erase(*call) == 0) return;
  waits_ = false;
  orders_.emplace_back(Settle{*call, std::move(outcome)});
}

void RunnerSession::refuse(const std::string& id, ErrorCode code, std::string_view message) {
  // Under the id of the execution that runs, this would be taken for its end.
  if (state_ != State::idle && id == id_) return;
  write_done(output_,
             {.id = id, .duration = {}, .logs = {}, .outcome = Error{code, std::string(message)}});
}

void RunnerSession::on_end_of_input() {
  input_ended_ = true;
  if (state_ == State::idle) state_ = State::over;
  stop_if_abandoned();
}

void RunnerSession::on_shutdown() {
  if (state_ == State::idle) state_ = State::over;
  if (state_ == State::running) on(Cancel{id_});
}

void RunnerSession::on_wait() {
  waits_ = true;
  stop_if_abandoned();
}

// Stops a guest that waits for a tool whose answer cannot come. A guest that waits for something
// else ends by its timeout.
void RunnerSession::stop_if_abandoned() {
  if (state_ != State::running || !input_ended_ || !waits_ || open_calls_.empty()) return;
  state_ = State::abandoning;
  orders_.emplace_back(Stop{});
}

std::optional<std::uint64_t> RunnerSession::on_tool_call(std::string_view provider_name,
                                                         std::string_view safe_tool_name,
                                                         const ValueView& input) {
  if (state_ != State::running) return std::nullopt;
  const std::uint64_t call = last_call_ + 1;
  if (!write_tool_call(output_, call_id_of(call), provider_name, safe_tool_name, input)) {
    return std::nullopt;
  }
  last_call_ = call;
  open_calls_.insert(call);
  return call;
}

void RunnerSession::on_end(End end) {
  if (state_ == State::idle || state_ == State::over) return;
  Done done{.id = std::move(id_),
            .duration = end.duration,
            .logs = std::move(end.logs),
            .outcome = std::move(end.outcome),
            .diagnostics = std::move(end.diagnostics)};
  if (state_ != State::running) done.diagnostics = {};
  if (state_ == State::cancelling) done.outcome = timed_out();
  if (state_ == State::abandoning) {
    done.outcome =
        Error{ErrorCode::internal_error, "Input ended while the guest waited for a tool"};
  }
  write_done(output_, done);
  state_ = State::over;
  open_calls_.clear();
}

}  // namespace cordon::execbox
