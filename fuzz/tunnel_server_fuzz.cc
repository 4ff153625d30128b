// Any head, body, cut and turn of events of a request to a tunnel: there is one answer at most, its
// status is one of the protocol's, its body is an envelope, and where the body is cut changes
// nothing.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/protocol/tunnel/testing/server_driver.h"

namespace {

using namespace cordon;
using namespace cordon::tunnel;
using cordon::fuzz::require;
using cordon::tunnel::testing::ServerDriver;

// Takes what the fuzzer chose off the front of its bytes.
class Choices {
 public:
  explicit Choices(BytesView bytes) : left_(bytes) {}

  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const std::uint8_t first = left_.front();
    left_ = left_.subspan(1);
    return first;
  }
  template <std::size_t size>
  std::string_view of(const std::array<std::string_view, size>& all) {
    return all[byte() % size];
  }
  // Nothing for most bytes, so that most requests come to their ends.
  std::optional<std::size_t> moment() {
    const std::uint8_t chosen = byte();
    if (chosen < 200) return std::nullopt;
    return chosen - 200u;
  }
  // Up to the next line end.
  std::string line() {
    const auto end = std::ranges::find(left_, '\n');
    const std::string text(left_.begin(), end);
    left_ = left_.subspan(std::min(text.size() + 1, left_.size()));
    return text;
  }
  std::string rest() { return std::string(as_text(left_)); }

 private:
  BytesView left_;
};

constexpr std::array<std::string_view, 6> methods = {"POST", "POST", "GET", "HEAD", "OPTIONS", "X"};
constexpr std::array<std::string_view, 8> targets = {
    "/r/task/plain",      "/r/task/full", "/r/event/note", "/r/event/parallel",
    "/r/task/hidden?a=b", "/r/discovery", "/r/task/",      "/elsewhere"};
constexpr std::array<std::string_view, 5> types = {"application/json", "application/octet-stream",
                                                   "multipart/form-data; boundary=b0",
                                                   "multipart/form-data", ""};
constexpr std::array<unsigned, 10> statuses = {200, 204, 400, 401, 403, 404, 405, 413, 499, 500};

struct Request {
  HttpRequestHead head;
  ServerDriver driver;
  bool has_validators = false;
};

Request request_of(BytesView bytes) {
  Choices choices(bytes);
  Request request;
  request.head = testing::post("");
  request.head.method = choices.of(methods);
  const std::uint8_t flags = choices.byte();
  request.head.target = (flags & 1) != 0 ? choices.line() : std::string(choices.of(targets));
  request.head.headers.push_back({"content-type", std::string(choices.of(types))});
  if ((flags & 2) != 0) request.head.headers.push_back({"x-runner-context", choices.line()});
  if ((flags & 4) != 0) request.head.headers.push_back({"x-runner-request-id", choices.line()});
  if ((flags & 8) != 0) request.head.headers[0].value = "wrong";
  request.has_validators = (flags & 16) != 0;
  ServerDriver& driver = request.driver;
  driver.verdicts = {(flags & 32) != 0, true};
  driver.client =
      (flags & 64) != 0 ? ServerSession::Client::is_gone : ServerSession::Client::is_there;
  driver.client_goes_at = choices.moment();
  driver.deadline_at = choices.moment();
  driver.sent_pieces = choices.moment();
  constexpr std::array<ErrorCode, 6> codes = {ErrorCode::closed,    ErrorCode::malformed,
                                              ErrorCode::timeout,   ErrorCode::overloaded,
                                              ErrorCode::cancelled, ErrorCode::invalid_argument};
  const std::uint8_t failure = choices.byte();
  if (failure >= 200) driver.body_failure = codes[failure % 3];
  if (failure % 16 == 0) driver.stream_failure = Error{ErrorCode::runtime_error, "no"};
  const std::uint8_t answer = choices.byte();
  if (answer % 8 == 1) driver.answer = Error{codes[answer / 8 % codes.size()], "a reason"};
  if (answer % 8 == 2) driver.answer = TypedFailure{"id", "message", Value(1)};
  if (answer % 8 == 3) driver.answer = ServerDriver::Pieces(answer / 8 % 4, "piece");
  if (answer % 8 == 4) driver.answer = Value(std::string(100'000, 'x'));
  driver.body = choices.rest();
  request.head.has_body = !driver.body.empty();
  // A body that breaks off is shorter than it was to be.
  if ((flags & 128) != 0)
    request.head.content_length = driver.body.size() + (driver.body_failure ? 1 : 0);
  return request;
}

void check(const ServerDriver& driver) {
  require(driver.answers <= 1, "one answer at most");
  if (driver.answers == 0) {
    require(driver.seen.ends_with("leave\n"), "or the connection's own");
    return;
  }
  const bool is_known =
      driver.status == 503 || std::ranges::find(statuses, driver.status) != statuses.end();
  require(is_known, "a status of the protocol");
  const bool is_whole = driver.seen.ends_with("respond " + std::to_string(driver.status) + " " +
                                              driver.answered + "\n");
  require(is_whole || driver.status == 200, "only results are streamed");
  if (!is_whole || driver.status == 204) return;
  const Result<Value> envelope = testing::stand_in_serializer().parse(driver.answered);
  require(envelope && envelope->find("ok").is_bool(), "an envelope");
  require(envelope->find("ok").as_bool() == (driver.status == 200),
          "that says what its status does");
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Request request = request_of(BytesView(data, size));
  PolicyOptions options = testing::usual_options();
  options.limits.json_bytes = 1'000;
  options.limits.multipart = {.file_bytes = 100, .files = 3, .fields = 5, .field_bytes = 300};
  if (request.has_validators) options.auth.validators = {"first", "second"};
  const auto policy = testing::policy_of(options);

  ServerDriver whole = request.driver;
  const std::string expected = whole.run(*policy, request.head);
  check(whole);
  for (const std::size_t piece : {1u, 7u}) {
    ServerDriver cut = request.driver;
    cut.piece_bytes = piece;
    const std::string seen = cut.run(*policy, request.head);
    check(cut);
    // More pieces are more orders, so that a client goes elsewhere.
    const bool is_timed = request.driver.client_goes_at || request.driver.deadline_at;
    require(is_timed || seen == expected, "the same orders wherever the body is cut");
  }
  return 0;
}
