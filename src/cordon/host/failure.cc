#include "cordon/host/failure.h"

#include <utility>

#include "cordon/base/error_table.h"
#include "cordon/host/value_advice.h"

namespace cordon::host {
namespace {

constexpr const char* unserializable = "Guest code returned a non-serializable value";

// The code that a guest sees for a tool's failure, and that ends the execution if the guest does
// not catch it. Codes that say how a program ends stay as they are. Codes about the inside of a
// tool become tool_error.
constexpr auto tool_codes = error_table<ErrorCode>({{
    {ErrorCode::none, ErrorCode::tool_error},
    {ErrorCode::invalid_argument, ErrorCode::validation_error},
    {ErrorCode::not_found, ErrorCode::tool_error},
    {ErrorCode::already_exists, ErrorCode::tool_error},
    {ErrorCode::type_mismatch, ErrorCode::validation_error},
    {ErrorCode::unsupported, ErrorCode::tool_error},
    {ErrorCode::malformed, ErrorCode::tool_error},
    {ErrorCode::truncated, ErrorCode::tool_error},
    {ErrorCode::invalid_utf8, ErrorCode::tool_error},
    {ErrorCode::too_large, ErrorCode::tool_error},
    {ErrorCode::too_deep, ErrorCode::tool_error},
    {ErrorCode::cyclic, ErrorCode::tool_error},
    {ErrorCode::protocol_violation, ErrorCode::tool_error},
    {ErrorCode::bad_frame, ErrorCode::tool_error},
    {ErrorCode::bad_version, ErrorCode::tool_error},
    {ErrorCode::bad_message, ErrorCode::tool_error},
    {ErrorCode::unauthorized_callback, ErrorCode::tool_error},
    {ErrorCode::unknown_id, ErrorCode::tool_error},
    {ErrorCode::syntax_error, ErrorCode::syntax_error},
    {ErrorCode::runtime_error, ErrorCode::runtime_error},
    {ErrorCode::tool_error, ErrorCode::tool_error},
    {ErrorCode::validation_error, ErrorCode::validation_error},
    {ErrorCode::serialization_error, ErrorCode::serialization_error},
    {ErrorCode::timeout, ErrorCode::timeout},
    {ErrorCode::memory_limit, ErrorCode::memory_limit},
    {ErrorCode::stack_overflow, ErrorCode::stack_overflow},
    {ErrorCode::cancelled, ErrorCode::cancelled},
    {ErrorCode::sandbox_error, ErrorCode::sandbox_error},
    {ErrorCode::overloaded, ErrorCode::overloaded},
    {ErrorCode::unavailable, ErrorCode::tool_error},
    {ErrorCode::permission_denied, ErrorCode::tool_error},
    {ErrorCode::io, ErrorCode::tool_error},
    {ErrorCode::closed, ErrorCode::tool_error},
    {ErrorCode::exited, ErrorCode::tool_error},
    {ErrorCode::runner_error, ErrorCode::tool_error},
    {ErrorCode::internal_error, ErrorCode::internal_error},
}});

ExecutionError plain(ErrorCode code, std::string message) {
  return Error{code, std::move(message)};
}

std::string memory_exceeded(const Limits& limits) {
  return "Memory limit of " + std::to_string(limits.memory_bytes) + " bytes exceeded";
}

std::string listed(const std::vector<std::string>& names, std::string_view last_word) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last_word : std::string_view(", ");
    text += names[i];
  }
  return text;
}

// A hint for an unknown name. The text comes from the guest: it is shown, and nothing depends on
// it.
void add_hint(ExecutionError& error, const js::Thrown& thrown) {
  if (thrown.unknown_name.empty() || thrown.names.empty()) return;
  error.hint = "there is no " + thrown.unknown_name;
  if (thrown.names_are_near) {
    error.suggestions = thrown.names;
    error.hint += "; did you mean " + listed(thrown.names, " or ") + "?";
  } else {
    error.hint += ", but " + listed(thrown.names, " and ");
  }
}

void take_refusal(ExecutionError& error, const js::Unserializable& refused, Leaving leaving) {
  error.reason = refused.reason;
  error.place = refused.place;
  error.hint = advice_on_value(refused, leaving);
  error.may_leave_as_json = may_leave_as_json(refused);
}

}  // namespace

Error failure_of(Error error) {
  error.code = tool_codes[error.code];
  return error;
}

ExecutionError error_of(const js::Thrown& thrown, const CallLedger& calls) {
  ExecutionError error = plain(ErrorCode::runtime_error, thrown.error.message);
  error.name = thrown.error.name;
  error.stack = thrown.error.stack;
  for (const js::ErrorText& cause : thrown.causes)
    error.causes.push_back({cause.name, cause.message, cause.stack});
  if (const auto location = js::location_of(thrown.error.stack)) {
    error.location = SourceLocation{location->file, location->line, location->column};
    error.function = location->function;
  }
  add_hint(error, thrown);
  if (thrown.is_refused_input) {
    error.code = ErrorCode::serialization_error;
    error.message = unserializable;
    take_refusal(error, thrown.refused_input, Leaving::as_input);
  }
  if (thrown.is_syntax_error && thrown.error.name == "SyntaxError")
    error.code = ErrorCode::syntax_error;
  // The guest says which call it was. The code and the message come from the host.
  const CallLedger::Failure* failure =
      thrown.failed_call == 0 ? nullptr : calls.failure_of(thrown.failed_call);
  if (failure != nullptr) {
    static_cast<Error&>(error) = failure->told;
    error.from_tool = true;
    error.call = failure->call;
    error.hint = "it is the failure of " + error.call->provider + "." + error.call->tool + "(" +
                 error.call->input + ")";
  }
  return error;
}

ExecutionError error_of(const js::Unserializable& refused) {
  ExecutionError error = plain(ErrorCode::serialization_error, unserializable);
  take_refusal(error, refused, Leaving::as_result);
  return error;
}

ExecutionError error_of(const js::StripRefusal& refusal, const std::string& file,
                        std::uint32_t first_line) {
  ExecutionError error = plain(ErrorCode::syntax_error, refusal.message);
  error.name = "SyntaxError";
  error.location = SourceLocation{file, refusal.line + first_line - 1, refusal.column};
  error.stack = "    at " + file + ":" + std::to_string(error.location->line) + ":" +
                std::to_string(refusal.column) + "\n";
  return error;
}

ExecutionError error_of(js::GuestEnd end, const std::string& text, const Limits& limits) {
  switch (end) {
    case js::GuestEnd::memory_limit:
      return plain(ErrorCode::memory_limit, memory_exceeded(limits));
    case js::GuestEnd::stack_overflow:
      return plain(ErrorCode::stack_overflow, "Stack overflow");
    default:
      return sandbox_error(text);
  }
}

ExecutionError error_of_start(const Error& error) {
  switch (error.code) {
    case ErrorCode::overloaded:
      return overloaded(error.message);
    case ErrorCode::serialization_error:
      return plain(ErrorCode::serialization_error,
                   "The input cannot enter the sandbox: " + error.message);
    case ErrorCode::memory_limit:
      return plain(ErrorCode::memory_limit,
                   "The image needs more memory than the execution may have");
    default:
      return internal_error(error.message);
  }
}

Error told_outside(const ExecutionError& error, ErrorCode otherwise) {
  Error told{error.is(ErrorCode::timeout) ? ErrorCode::timeout : otherwise, error.message};
  if (const auto& place = error.location) {
    told.message += " (" + place->file + ":" + std::to_string(place->line) + ":" +
                    std::to_string(place->column) + ")";
  }
  return told;
}

std::string message_with_place(const ExecutionError& error) {
  if (error.reason.empty()) return error.message;
  std::string text = error.message + ": " + error.reason;
  if (!error.place.empty()) text += " at " + error.place;
  return text;
}

std::string tool_refusal_text(const ExecutionError& error) {
  const std::string text = message_with_place(error);
  return error.hint.empty() ? text : text + "; in the tool, " + error.hint;
}

ExecutionError types_past_memory_limit(const std::string& name, const Limits& limits) {
  return plain(ErrorCode::memory_limit,
               memory_exceeded(limits) + " while the types of " + name + " were stripped");
}

ExecutionError timed_out() { return plain(ErrorCode::timeout, "Execution timed out"); }
ExecutionError cancelled() { return plain(ErrorCode::cancelled, "Execution was cancelled"); }
ExecutionError overloaded(std::string message) {
  return plain(ErrorCode::overloaded, std::move(message));
}
ExecutionError sandbox_error(std::string message) {
  return plain(ErrorCode::sandbox_error, "The sandbox was stopped: " + std::move(message));
}
ExecutionError internal_error(std::string message) {
  return plain(ErrorCode::internal_error, std::move(message));
}

}  // namespace cordon::host
