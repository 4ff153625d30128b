#pragma once

// How the end of a call of a tunnel is told: to people in a sentence, to programs in a line of
// JSON, and to the shell by the exit code.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/cli/exit_codes.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/protocol/tunnel/client_session.h"
#include "cordon/result.h"
#include "cordon/transport/http/http_request.h"
#include "cordon/value.h"

namespace cordon::cli {

// A call that came to nothing.
struct TunnelFailure {
  ExitCode exit_code = exit_violated;
  std::string code = {};
  std::string message = {};
  std::optional<unsigned> status = {};  // where an answer came
  std::optional<std::string> id = {};   // of a typed error
  Value data = {};
  std::string request_id = {};  // empty: the server named none
};

// What the server says, in its own words: exit code 1.
TunnelFailure failure_of(const tunnel::AnsweredFailure& failure);
// No valid answer: exit code 2. What has its own exit codes is what never was sent, and what the
// answer is not to blame for.
TunnelFailure failure_of(const tunnel::Redirect& redirect);
TunnelFailure failure_of(const tunnel::BadAnswer& bad);
TunnelFailure failure_of(const transport::http::HttpError& error);

// Through a proxy that reads what it passes on: whether it speaks for itself, as far as its status
// tells, because it refuses or has no way to the server.
bool is_answer_of_proxy(const tunnel::BadAnswer& bad);
TunnelFailure proxy_failure(const tunnel::BadAnswer& bad);

TunnelFailure timeout_failure(std::chrono::milliseconds timeout);
// By Ctrl-C or SIGTERM.
TunnelFailure interrupted_failure();

// "CODE (ID): message", in one line without control characters.
std::string failure_text(const TunnelFailure& failure);
// {"ok":false,"error":{"code","message","status"?,"id"?,"data"?,"requestId"?}}
std::string failure_json(const TunnelFailure& failure, const rich::Serializer& serializer);

// Tells it: in words on standard error, or with `json` as a line where the report goes. What a task
// streams has taken standard output. Wrong usage has words alone. Gives the exit code back.
enum class ReportPlace : std::uint8_t { output, errors };
ExitCode tell_failure(std::string_view command, const TunnelFailure& failure, bool json,
                      ReportPlace place, const rich::Serializer& serializer);

// A value as Runner text: as a tree, or as a graph where it contains itself or the tree would be
// too large.
Result<std::string> runner_text(const ValueView& value, const rich::Serializer& serializer);
// {"ok":true,"result":…}, without the result where it is undefined.
Result<std::string> result_json(const ValueView& result, const rich::Serializer& serializer);
// {"ok":true,"bytes":N}
std::string stream_json(std::uint64_t bytes);

}  // namespace cordon::cli
