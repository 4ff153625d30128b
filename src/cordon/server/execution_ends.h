#pragma once

// How executions end, as metrics count them: the label `end` of cordon_executions_total.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cordon/base/error_table.h"
#include "cordon/error.h"

namespace cordon::server {

enum class End : std::uint8_t {
  ok,
  runtime_error,
  tool_error,
  timeout,
  memory_limit,
  stack_overflow,
  sandbox_error,
  serialization_error,
  cancelled,
  overloaded,
  other,
};

inline constexpr std::array<std::string_view, 11> end_names = {
    "ok",           "runtime_error",  "tool_error",    "timeout",
    "memory_limit", "stack_overflow", "sandbox_error", "serialization_error",
    "cancelled",    "overloaded",     "other",
};

inline constexpr auto execution_ends = error_table<End>({{
    {ErrorCode::none, End::ok},
    {ErrorCode::invalid_argument, End::other},
    {ErrorCode::not_found, End::other},
    {ErrorCode::already_exists, End::other},
    {ErrorCode::type_mismatch, End::other},
    {ErrorCode::unsupported, End::other},
    {ErrorCode::malformed, End::other},
    {ErrorCode::truncated, End::other},
    {ErrorCode::invalid_utf8, End::other},
    {ErrorCode::too_large, End::other},
    {ErrorCode::too_deep, End::other},
    {ErrorCode::cyclic, End::other},
    {ErrorCode::protocol_violation, End::other},
    {ErrorCode::bad_frame, End::other},
    {ErrorCode::bad_version, End::other},
    {ErrorCode::bad_message, End::other},
    {ErrorCode::unauthorized_callback, End::other},
    {ErrorCode::unknown_id, End::other},
    {ErrorCode::syntax_error, End::other},
    {ErrorCode::runtime_error, End::runtime_error},
    {ErrorCode::tool_error, End::tool_error},
    {ErrorCode::validation_error, End::other},
    {ErrorCode::serialization_error, End::serialization_error},
    {ErrorCode::timeout, End::timeout},
    {ErrorCode::memory_limit, End::memory_limit},
    {ErrorCode::stack_overflow, End::stack_overflow},
    {ErrorCode::cancelled, End::cancelled},
    {ErrorCode::sandbox_error, End::sandbox_error},
    {ErrorCode::overloaded, End::overloaded},
    {ErrorCode::unavailable, End::other},
    {ErrorCode::permission_denied, End::other},
    {ErrorCode::io, End::other},
    {ErrorCode::closed, End::other},
    {ErrorCode::exited, End::other},
    {ErrorCode::runner_error, End::other},
    {ErrorCode::internal_error, End::other},
}});

inline std::size_t end_index(ErrorCode code) {
  return static_cast<std::size_t>(execution_ends[code]);
}

}  // namespace cordon::server
