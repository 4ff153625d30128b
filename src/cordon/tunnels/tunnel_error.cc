#include "cordon/tunnels/tunnel_error.h"

#include <ostream>
#include <utility>

namespace cordon {

std::string_view name_of(TunnelFailure failure) {
  switch (failure) {
    case TunnelFailure::answered:
      return "answered";
    case TunnelFailure::unreachable:
      return "unreachable";
    case TunnelFailure::timeout:
      return "timeout";
    case TunnelFailure::tls:
      return "tls";
    case TunnelFailure::bad_response:
      return "bad_response";
    case TunnelFailure::truncated:
      return "truncated";
    case TunnelFailure::too_large:
      return "too_large";
    case TunnelFailure::redirect:
      return "redirect";
    case TunnelFailure::cancelled:
      return "cancelled";
    case TunnelFailure::refused:
      return "refused";
  }
  std::unreachable();
}

Error TunnelError::to_error() const {
  switch (failure) {
    case TunnelFailure::answered:
      return {ErrorCode::tool_error, message, id.value_or(code)};
    case TunnelFailure::unreachable:
    case TunnelFailure::tls:
      return {ErrorCode::unavailable, message};
    case TunnelFailure::timeout:
      return {ErrorCode::timeout, message};
    case TunnelFailure::bad_response:
    case TunnelFailure::redirect:
      return {ErrorCode::protocol_violation, message};
    case TunnelFailure::truncated:
      return {ErrorCode::truncated, message};
    case TunnelFailure::too_large:
      return {ErrorCode::too_large, message};
    case TunnelFailure::cancelled:
      return {ErrorCode::cancelled, message};
    case TunnelFailure::refused:
      return {ErrorCode::invalid_argument, message};
  }
  std::unreachable();
}

std::ostream& operator<<(std::ostream& out, const TunnelError& error) {
  return out << error.id.value_or(error.code) << ": " << error.message;
}

namespace tunnels {
namespace {

namespace http = transport::http;

TunnelFailure failure_of(http::HttpFailure why) {
  switch (why) {
    case http::HttpFailure::unreachable:
      return TunnelFailure::unreachable;
    case http::HttpFailure::timeout:
      return TunnelFailure::timeout;
    case http::HttpFailure::tls:
      return TunnelFailure::tls;
    case http::HttpFailure::bad_response:
      return TunnelFailure::bad_response;
    case http::HttpFailure::truncated:
      return TunnelFailure::truncated;
    case http::HttpFailure::too_large:
      return TunnelFailure::too_large;
    case http::HttpFailure::bad_request:
    case http::HttpFailure::body_failed:
    case http::HttpFailure::overloaded:
      return TunnelFailure::refused;
    case http::HttpFailure::cancelled:
      return TunnelFailure::cancelled;
  }
  std::unreachable();
}

TunnelError error_with(TunnelFailure failure, std::string message) {
  return {.failure = failure, .code = std::string(name_of(failure)), .message = std::move(message)};
}

TunnelError answered(tunnel::AnsweredFailure told) {
  TunnelError error = error_with(TunnelFailure::answered, std::move(told.message));
  error.code = std::move(told.code);
  error.status = told.status;
  error.id = std::move(told.id);
  error.data = std::move(told.data);
  error.request_id = std::move(told.request_id);
  return error;
}

TunnelError redirected(tunnel::Redirect to) {
  TunnelError error = error_with(TunnelFailure::redirect, to.message());
  error.status = to.status;
  error.location = std::move(to.location);
  error.request_id = std::move(to.request_id);
  return error;
}

TunnelError bad(tunnel::BadAnswer answer) {
  const bool is_too_large = answer.why == tunnel::BadAnswer::Why::too_large;
  TunnelError error =
      error_with(is_too_large ? TunnelFailure::too_large : TunnelFailure::bad_response,
                 std::move(answer.message));
  error.status = answer.status;
  error.request_id = std::move(answer.request_id);
  return error;
}

}  // namespace

TunnelError error_of(const http::HttpError& error) {
  TunnelError told = error_with(failure_of(error.why), error.message);
  told.was_sent = error.was_sent;
  return told;
}

TunnelError error_of(tunnel::ClientOutcome outcome) {
  if (auto* const told = std::get_if<tunnel::AnsweredFailure>(&outcome))
    return answered(std::move(*told));
  if (auto* const to = std::get_if<tunnel::Redirect>(&outcome)) return redirected(std::move(*to));
  if (auto* const answer = std::get_if<tunnel::BadAnswer>(&outcome)) return bad(std::move(*answer));
  return error_with(TunnelFailure::bad_response, "the answer is no failure");
}

}  // namespace tunnels
}  // namespace cordon
