#include "cordon/cli/tunnel_report.h"

#include <algorithm>
#include <iterator>
#include <unistd.h>
#include <utility>

#include "cordon/base/visible_text.h"
#include "cordon/cli/terminal.h"
#include "cordon/codec/json/encode.h"

namespace cordon::cli {
namespace {

using transport::http::HttpError;
using transport::http::HttpFailure;

std::string json_text(std::string_view text) { return json::encode(Value(text)).value_or("\"\""); }

struct Told {
  ExitCode exit_code;
  const char* code;
};

Told told(HttpFailure why) {
  switch (why) {
    case HttpFailure::unreachable:
      return {exit_violated, "unreachable"};
    case HttpFailure::timeout:
      return {exit_violated, "timeout"};
    case HttpFailure::tls:
      return {exit_violated, "tls"};
    case HttpFailure::bad_response:
      return {exit_violated, "bad_response"};
    case HttpFailure::truncated:
      return {exit_violated, "truncated"};
    case HttpFailure::too_large:
      return {exit_violated, "too_large"};
    case HttpFailure::bad_request:
      return {exit_usage, "invalid_argument"};
    case HttpFailure::body_failed:
      return {exit_internal, "io"};
    case HttpFailure::overloaded:
    case HttpFailure::cancelled:
      break;
  }
  return {exit_internal, "internal_error"};
}

}  // namespace

TunnelFailure failure_of(const tunnel::AnsweredFailure& failure) {
  return {.exit_code = exit_failed,
          .code = !failure.code.empty() ? failure.code : failure.id.value_or("error"),
          .message = failure.message,
          .status = failure.status,
          .id = failure.id,
          .data = failure.data,
          .request_id = failure.request_id};
}

TunnelFailure failure_of(const tunnel::Redirect& redirect) {
  return {.code = "redirect",
          .message = redirect.message(),
          .status = redirect.status,
          .request_id = redirect.request_id};
}

TunnelFailure failure_of(const tunnel::BadAnswer& bad) {
  using Why = tunnel::BadAnswer::Why;
  TunnelFailure failure{.code = bad.why == Why::too_large ? "too_large" : "bad_response",
                        .message = bad.message,
                        .request_id = bad.request_id};
  if (bad.status != 0) failure.status = bad.status;
  if (bad.why == Why::no_envelope) failure.message += "; is the URL the base of a tunnel?";
  return failure;
}

TunnelFailure failure_of(const HttpError& error) {
  const Told how = told(error.why);
  return {.exit_code = how.exit_code, .code = how.code, .message = error.message};
}

bool is_answer_of_proxy(const tunnel::BadAnswer& bad) {
  constexpr unsigned statuses[] = {407, 502, 503, 504};
  return bad.why != tunnel::BadAnswer::Why::too_large &&
         std::ranges::find(statuses, bad.status) != std::end(statuses);
}

TunnelFailure proxy_failure(const tunnel::BadAnswer& bad) {
  return {.code = "unreachable",
          .message = "the proxy answered with status " + std::to_string(bad.status),
          .status = bad.status,
          .request_id = bad.request_id};
}

TunnelFailure timeout_failure(std::chrono::milliseconds timeout) {
  return {.code = "timeout",
          .message = "it took longer than " + std::to_string(timeout.count()) + " ms"};
}

TunnelFailure interrupted_failure() {
  return {.exit_code = exit_interrupted, .code = "cancelled", .message = "it was interrupted"};
}

std::string failure_text(const TunnelFailure& failure) {
  std::string text = failure.code;
  if (failure.id && *failure.id != failure.code) text += " (" + *failure.id + ")";
  std::string shown = visible(text + ": " + failure.message, Lines::escaped);
  for (std::size_t tab = 0; (tab = shown.find('\t', tab)) != std::string::npos;)
    shown.replace(tab, 1, "\\x09");
  return shown;
}

std::string failure_json(const TunnelFailure& failure, const rich::Serializer& serializer) {
  std::string text = R"({"ok":false,"error":{"code":)" + json_text(failure.code) +
                     R"(,"message":)" + json_text(failure.message);
  if (failure.status) text += R"(,"status":)" + std::to_string(*failure.status);
  if (failure.id) text += R"(,"id":)" + json_text(*failure.id);
  if (!failure.data.is_undefined()) {
    const Result<std::string> data = runner_text(failure.data, serializer);
    if (data) text += R"(,"data":)" + *data;
  }
  if (!failure.request_id.empty()) text += R"(,"requestId":)" + json_text(failure.request_id);
  return visible_json(text + "}}");
}

ExitCode tell_failure(std::string_view command, const TunnelFailure& failure, bool json,
                      ReportPlace place, const rich::Serializer& serializer) {
  if (!json || failure.exit_code == exit_usage) {
    write_all(STDERR_FILENO,
              "cordon " + std::string(command) + ": " + failure_text(failure) + "\n");
  } else {
    const int descriptor = place == ReportPlace::errors ? STDERR_FILENO : STDOUT_FILENO;
    write_all(descriptor, failure_json(failure, serializer) + "\n");
  }
  return failure.exit_code;
}

Result<std::string> runner_text(const ValueView& value, const rich::Serializer& serializer) {
  Result<std::string> tree = serializer.stringify(value);
  const bool may_be_a_graph =
      !tree && (tree.error().is(ErrorCode::cyclic) || tree.error().is(ErrorCode::too_large));
  return may_be_a_graph ? serializer.serialize(value) : tree;
}

Result<std::string> result_json(const ValueView& result, const rich::Serializer& serializer) {
  if (result.is_undefined()) return R"({"ok":true})";
  return R"({"ok":true,"result":)" + CORDON_TRY(runner_text(result, serializer)) + "}";
}

std::string stream_json(std::uint64_t bytes) {
  return R"({"ok":true,"bytes":)" + std::to_string(bytes) + "}";
}

}  // namespace cordon::cli
