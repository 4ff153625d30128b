#include "cordon/protocol/execbox/failure_codes.h"

#include <array>
#include <cstdint>
#include <utility>

#include "cordon/base/error_table.h"

namespace cordon::execbox {
namespace {

enum class End : std::uint8_t {
  timeout,
  memory_limit,
  validation_error,
  tool_error,
  runtime_error,
  serialization_error,
  internal_error,
};
constexpr std::array<std::string_view, 7> texts = {
    "timeout",       "memory_limit",        "validation_error", "tool_error",
    "runtime_error", "serialization_error", "internal_error"};

// A cancelled execution is reported as a timeout, as execbox's own runner does.
constexpr auto ends = error_table<End>({{
    {ErrorCode::none, End::internal_error},
    {ErrorCode::invalid_argument, End::internal_error},
    {ErrorCode::not_found, End::internal_error},
    {ErrorCode::already_exists, End::internal_error},
    {ErrorCode::type_mismatch, End::internal_error},
    {ErrorCode::unsupported, End::internal_error},
    {ErrorCode::malformed, End::internal_error},
    {ErrorCode::truncated, End::internal_error},
    {ErrorCode::invalid_utf8, End::internal_error},
    {ErrorCode::too_large, End::internal_error},
    {ErrorCode::too_deep, End::internal_error},
    {ErrorCode::cyclic, End::internal_error},
    {ErrorCode::protocol_violation, End::internal_error},
    {ErrorCode::bad_frame, End::internal_error},
    {ErrorCode::bad_version, End::internal_error},
    {ErrorCode::bad_message, End::internal_error},
    {ErrorCode::unauthorized_callback, End::internal_error},
    {ErrorCode::unknown_id, End::internal_error},
    {ErrorCode::syntax_error, End::runtime_error},
    {ErrorCode::runtime_error, End::runtime_error},
    {ErrorCode::tool_error, End::tool_error},
    {ErrorCode::validation_error, End::validation_error},
    {ErrorCode::serialization_error, End::serialization_error},
    {ErrorCode::timeout, End::timeout},
    {ErrorCode::memory_limit, End::memory_limit},
    {ErrorCode::stack_overflow, End::runtime_error},
    {ErrorCode::cancelled, End::timeout},
    {ErrorCode::sandbox_error, End::internal_error},
    {ErrorCode::overloaded, End::internal_error},
    {ErrorCode::unavailable, End::internal_error},
    {ErrorCode::permission_denied, End::internal_error},
    {ErrorCode::io, End::internal_error},
    {ErrorCode::closed, End::internal_error},
    {ErrorCode::exited, End::internal_error},
    {ErrorCode::runner_error, End::internal_error},
    {ErrorCode::internal_error, End::internal_error},
}});

std::string_view text_of(End end) { return texts[static_cast<std::size_t>(end)]; }

}  // namespace

Error read_error(std::string_view code, std::string message) {
  if (code.empty()) return {ErrorCode::runtime_error, std::move(message)};
  for (const auto& [known, end] : ends.rows()) {
    if (name_of(known) == code && text_of(end) == code) return {known, std::move(message)};
  }
  return {ErrorCode::tool_error, std::move(message), std::string(code)};
}

std::string_view code_of_end(ErrorCode code) { return text_of(ends[code]); }

}  // namespace cordon::execbox
