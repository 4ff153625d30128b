#include "cordon/result.h"

#include <ostream>

#include "cordon/base/error_table.h"

namespace cordon {
namespace {

constexpr auto names = error_table<std::string_view>({{
    {ErrorCode::none, "none"},
    {ErrorCode::invalid_argument, "invalid_argument"},
    {ErrorCode::not_found, "not_found"},
    {ErrorCode::already_exists, "already_exists"},
    {ErrorCode::type_mismatch, "type_mismatch"},
    {ErrorCode::unsupported, "unsupported"},
    {ErrorCode::malformed, "malformed"},
    {ErrorCode::truncated, "truncated"},
    {ErrorCode::invalid_utf8, "invalid_utf8"},
    {ErrorCode::too_large, "too_large"},
    {ErrorCode::too_deep, "too_deep"},
    {ErrorCode::cyclic, "cyclic"},
    {ErrorCode::protocol_violation, "protocol_violation"},
    {ErrorCode::bad_frame, "bad_frame"},
    {ErrorCode::bad_version, "bad_version"},
    {ErrorCode::bad_message, "bad_message"},
    {ErrorCode::unauthorized_callback, "unauthorized_callback"},
    {ErrorCode::unknown_id, "unknown_id"},
    {ErrorCode::syntax_error, "syntax_error"},
    {ErrorCode::runtime_error, "runtime_error"},
    {ErrorCode::tool_error, "tool_error"},
    {ErrorCode::validation_error, "validation_error"},
    {ErrorCode::serialization_error, "serialization_error"},
    {ErrorCode::timeout, "timeout"},
    {ErrorCode::memory_limit, "memory_limit"},
    {ErrorCode::stack_overflow, "stack_overflow"},
    {ErrorCode::cancelled, "cancelled"},
    {ErrorCode::sandbox_error, "sandbox_error"},
    {ErrorCode::overloaded, "overloaded"},
    {ErrorCode::unavailable, "unavailable"},
    {ErrorCode::permission_denied, "permission_denied"},
    {ErrorCode::io, "io"},
    {ErrorCode::closed, "closed"},
    {ErrorCode::exited, "exited"},
    {ErrorCode::runner_error, "runner_error"},
    {ErrorCode::internal_error, "internal_error"},
}});

}  // namespace

std::string_view name_of(ErrorCode code) { return names[code]; }

std::string_view Error::code_text() const {
  return own_code.empty() ? name_of(code) : std::string_view(own_code);
}

std::string to_string(const Error& error) {
  std::string text(error.code_text());
  if (!error.message.empty()) text.append(": ").append(error.message);
  return text;
}

std::ostream& operator<<(std::ostream& out, const Error& error) { return out << to_string(error); }

std::ostream& operator<<(std::ostream& out, ErrorCode code) { return out << name_of(code); }

}  // namespace cordon
