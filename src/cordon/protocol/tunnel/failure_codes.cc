#include "cordon/protocol/tunnel/failure_codes.h"

#include <cstdint>
#include <utility>

#include "cordon/base/error_table.h"

namespace cordon::tunnel {
namespace {

enum class Told : std::uint8_t { failed, invalid_input, overloaded, client_went };

constexpr auto told = error_table<Told>({{
    {ErrorCode::none, Told::failed},
    {ErrorCode::invalid_argument, Told::invalid_input},
    {ErrorCode::not_found, Told::failed},
    {ErrorCode::already_exists, Told::failed},
    {ErrorCode::type_mismatch, Told::failed},
    {ErrorCode::unsupported, Told::failed},
    {ErrorCode::malformed, Told::failed},
    {ErrorCode::truncated, Told::failed},
    {ErrorCode::invalid_utf8, Told::failed},
    {ErrorCode::too_large, Told::failed},
    {ErrorCode::too_deep, Told::failed},
    {ErrorCode::cyclic, Told::failed},
    {ErrorCode::protocol_violation, Told::failed},
    {ErrorCode::bad_frame, Told::failed},
    {ErrorCode::bad_version, Told::failed},
    {ErrorCode::bad_message, Told::failed},
    {ErrorCode::unauthorized_callback, Told::failed},
    {ErrorCode::unknown_id, Told::failed},
    {ErrorCode::syntax_error, Told::failed},
    {ErrorCode::runtime_error, Told::failed},
    {ErrorCode::tool_error, Told::failed},
    {ErrorCode::validation_error, Told::failed},
    {ErrorCode::serialization_error, Told::failed},
    {ErrorCode::timeout, Told::failed},
    {ErrorCode::memory_limit, Told::failed},
    {ErrorCode::stack_overflow, Told::failed},
    {ErrorCode::cancelled, Told::client_went},
    {ErrorCode::sandbox_error, Told::failed},
    {ErrorCode::overloaded, Told::overloaded},
    {ErrorCode::unavailable, Told::failed},
    {ErrorCode::permission_denied, Told::failed},
    {ErrorCode::io, Told::failed},
    {ErrorCode::closed, Told::failed},
    {ErrorCode::exited, Told::failed},
    {ErrorCode::runner_error, Told::failed},
    {ErrorCode::internal_error, Told::failed},
}});

}  // namespace

Refusal refusal_of_failure(ErrorCode code, std::string_view reason) {
  switch (told[code]) {
    case Told::failed:
      return internal_error();
    case Told::invalid_input:
      return validation_error(reason);
    case Told::overloaded:
      return overloaded();
    case Told::client_went:
      return request_aborted();
  }
  std::unreachable();
}

}  // namespace cordon::tunnel
