#include "cordon/host/failure.h"

#include <utility>

namespace cordon::host {
namespace {

constexpr const char* unserializable = "Guest code returned a non-serializable value";

std::string code_of(Errc code) {
  switch (code) {
    case Errc::timeout:
      return "timeout";
    case Errc::memory_limit:
      return "memory_limit";
    case Errc::invalid_argument:
    case Errc::type_mismatch:
      return "validation_error";
    case Errc::not_serializable:
      return "serialization_error";
    case Errc::guest_error:
      return "runtime_error";
    case Errc::internal:
      return "internal_error";
    default:
      return "tool_error";
  }
}

ExecutionError plain(std::string code, std::string message) {
  ExecutionError error;
  error.code = std::move(code);
  error.message = std::move(message);
  return error;
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

// For a name that is not there. The guest's own words: they are shown, and nothing depends on them.
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

}  // namespace

js::CallFailure failure_of(const Error& error) { return {code_of(error.code), error.detail}; }

ExecutionError error_of(const js::Thrown& thrown, const CallLedger& calls) {
  ExecutionError error = plain("runtime_error", thrown.error.message);
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
    error.code = "serialization_error";
    error.message = unserializable;
    error.reason = thrown.refused_input.reason;
    error.place = thrown.refused_input.place;
  }
  if (thrown.is_syntax_error && thrown.error.name == "SyntaxError") error.code = "syntax_error";
  // The guest says which call it was; the code and the message are the host's own.
  const CallLedger::Failure* failure =
      thrown.failed_call == 0 ? nullptr : calls.failure_of(thrown.failed_call);
  if (failure != nullptr) {
    error.code = failure->told.code;
    error.message = failure->told.message;
    error.from_tool = true;
    error.call = failure->call;
    error.hint = "it is the failure of " + error.call->provider + "." + error.call->tool + "(" +
                 error.call->input + ")";
  }
  return error;
}

ExecutionError error_of(const js::Unserializable& refused) {
  ExecutionError error = plain("serialization_error", unserializable);
  error.place = refused.place;
  error.reason = refused.reason;
  return error;
}

ExecutionError error_of(const js::StripRefusal& refusal, const std::string& file,
                        std::uint32_t first_line) {
  ExecutionError error = plain("syntax_error", refusal.message);
  error.name = "SyntaxError";
  error.location = SourceLocation{file, refusal.line + first_line - 1, refusal.column};
  error.stack = "    at " + file + ":" + std::to_string(error.location->line) + ":" +
                std::to_string(refusal.column) + "\n";
  return error;
}

ExecutionError error_of(js::GuestEnd end, const std::string& text, const Limits& limits) {
  switch (end) {
    case js::GuestEnd::memory_limit:
      return plain("memory_limit", memory_exceeded(limits));
    case js::GuestEnd::stack_overflow:
      return plain("stack_overflow", "Stack overflow");
    default:
      return sandbox_error(text);
  }
}

ExecutionError error_of_start(const Error& error) {
  switch (error.code) {
    case Errc::overloaded:
      return overloaded(error.detail);
    case Errc::not_serializable:
      return plain("serialization_error", "The input cannot enter the sandbox: " + error.detail);
    case Errc::memory_limit:
      return plain("memory_limit", "The image needs more memory than the execution may have");
    default:
      return internal_error(error.detail);
  }
}

ExecutionError types_past_memory_limit(const std::string& name, const Limits& limits) {
  return plain("memory_limit",
               memory_exceeded(limits) + " while the types of " + name + " were stripped");
}

ExecutionError timed_out() { return plain("timeout", "Execution timed out"); }
ExecutionError cancelled() { return plain("cancelled", "Execution was cancelled"); }
ExecutionError overloaded(std::string message) { return plain("overloaded", std::move(message)); }
ExecutionError sandbox_error(std::string message) {
  return plain("sandbox_error", "The sandbox was stopped: " + std::move(message));
}
ExecutionError internal_error(std::string message) {
  return plain("internal_error", std::move(message));
}

}  // namespace cordon::host
