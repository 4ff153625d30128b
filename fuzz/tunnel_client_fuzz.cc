// Any answer to a client of a tunnel, cut anywhere, comes to the same outcome within its limits;
// and any id and ids of a request come to the server as they are, or are refused.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bounded.h"
#include "require.h"
#include "url_tables.h"

#include "cordon/base/bytes.h"
#include "cordon/base/utf8.h"
#include "cordon/protocol/tunnel/client_session.h"
#include "cordon/protocol/tunnel/route.h"
#include "cordon/protocol/tunnel/testing/server_driver.h"

namespace {

using namespace cordon;
using namespace cordon::tunnel;
using cordon::fuzz::bounded;
using cordon::fuzz::require;
using cordon::tunnel::testing::stand_in_serializer;
using cordon::tunnel::testing::text_of;

constexpr std::array<std::string_view, 5> types = {"application/json",
                                                   "Application/JSON ; charset=utf-8",
                                                   "application/octet-stream", "text/html", ""};
constexpr std::array<unsigned, 6> statuses = {200, 200, 401, 500, 503, 302};

std::string shown(const ClientOutcome& outcome) {
  if (const auto* const result = std::get_if<TaskResult>(&outcome))
    return "result " + text_of(result->value);
  if (const auto* const streamed = std::get_if<StreamedAnswer>(&outcome))
    return "stream " + streamed->bytes;
  if (const auto* const bad = std::get_if<BadAnswer>(&outcome))
    return "bad " + bad->message + bad->request_id;
  if (const auto* const redirect = std::get_if<Redirect>(&outcome)) return redirect->message();
  const auto& failure = std::get<AnsweredFailure>(outcome);
  return "failure " + failure.code + failure.message + text_of(failure.data);
}

std::string outcome_of(const ClientOptions& options, const HttpResponseHead& head,
                       std::string_view body, std::size_t piece) {
  using Next = ClientSession::Next;
  ClientSession session(options, stand_in_serializer());
  std::string passed;
  Next next = session.on_head(head);
  for (; next != Next::stop && !body.empty(); body.remove_prefix(std::min(piece, body.size()))) {
    const std::string_view given = body.substr(0, piece);
    if (next == Next::pass_on) passed += given;
    next = next == Next::pass_on ? next : session.on_piece(given);
  }
  const ClientOutcome outcome = session.on_end();
  if (const auto* const streamed = std::get_if<StreamedAnswer>(&outcome))
    require(streamed->bytes.size() <= options.max_answer_bytes, "a stream keeps its limit");
  return shown(outcome) + passed;
}

void check_answer(std::uint8_t choice, std::string_view body) {
  ClientOptions options;
  options.max_answer_bytes = choice % 2 == 0 ? 1'000'000 : 64;
  if (choice % 4 > 1) options.streams = ClientOptions::Streams::collected;
  const HttpResponseHead head{statuses[choice / 4 % statuses.size()],
                              {{"content-type", std::string(types[choice / 24 % types.size()])},
                               {"location", std::string(body.substr(0, 9))},
                               {"x-runner-request-id", std::string(body.substr(0, 9))},
                               {"retry-after", std::string(body.substr(0, 3))}}};
  const std::string whole =
      bounded(body.size(), [&] { return outcome_of(options, head, body, body.size() + 1); });
  for (const std::size_t piece : {1u, 5u})
    require(outcome_of(options, head, body, piece) == whole, "the same outcome wherever it is cut");
}

void check_request(std::string_view text) {
  const ClientOptions options{.base_path = "/r", .token = std::string(text)};
  const std::string id(text);
  const auto request = ClientSession(options, stand_in_serializer())
                           .request({.id = id,
                                     .traceparent = id,
                                     .contexts = {{id, Value(id)}},
                                     .headers = {{"x-own", id}}});
  if (!request) return;
  for (const HttpHeader& header : request->headers)
    require(header.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos,
            "no header ends early");
  const Route route = route_of(request->target, "/r");
  require(!is_utf8(id) || route == Route{Route::Kind::task, id}, "an id comes as it is");
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = as_text(BytesView(data + 1, size - 1));
  check_answer(data[0], text);
  check_request(text);
  return 0;
}
