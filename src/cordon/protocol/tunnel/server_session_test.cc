#include "cordon/protocol/tunnel/server_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/protocol/tunnel/body_hash.h"
#include "cordon/protocol/tunnel/lane.h"
#include "cordon/protocol/tunnel/testing/server_driver.h"

namespace cordon::tunnel {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::policy_of;
using testing::post;
using testing::ServerDriver;
using ::testing::StartsWith;
using testing::usual_options;

HttpRequestHead with_body(HttpRequestHead head, std::optional<std::uint64_t> length = {}) {
  head.has_body = true;
  head.content_length = length;
  return head;
}

std::string refused(unsigned status, std::string_view code, std::string_view message) {
  return "respond " + std::to_string(status) + R"( {"ok":false,"error":{"message":")" +
         std::string(message) + R"(","code":")" + std::string(code) + "\"}}\nlog " +
         std::to_string(status) + " " + std::string(code);
}

std::string_view header(const ServerDriver& driver, std::string_view name) {
  for (const HttpHeader& header : driver.headers) {
    if (header.name == name) return header.value;
  }
  return "(none)";
}

// A request whose body is JSON, and all that the session orders for it.
std::string seen_of(std::string target, std::string body, ServerDriver driver = {},
                    const PolicyOptions& options = usual_options()) {
  driver.body = std::move(body);
  return driver.run(*policy_of(options), with_body(post(std::move(target)), driver.body.size()));
}

TEST(TunnelServerSession, CallsATaskAndAnswersWithAnEnvelope) {
  EXPECT_EQ(seen_of("/r/task/plain", R"({"input":[1]})"),
            "input 0 {\"input\":[1]}\ninvoke 0 [1]\nrespond 200 {\"ok\":true,\"result\":[1]}\n"
            "log 200 \n");
  EXPECT_EQ(seen_of("/r/task/full", "7"),
            "input 0 7\ncall 1 7 contexts={}\nrespond 200 {\"ok\":true,\"result\":7}\nlog 200 \n");
}

TEST(TunnelServerSession, NeedsNoBody) {
  ServerDriver driver;
  EXPECT_THAT(driver.run(*policy_of(usual_options()), post("/r/task/plain")),
              StartsWith("input 0 \ninvoke 0 {\"__type\":\"Undefined\",\"value\":null}\n"));
}

TEST(TunnelServerSession, ChecksMethodThenAuthThenAllowListThenBody) {
  const auto answer = [](std::string method, std::string target, bool has_token) {
    HttpRequestHead head = with_body(post(std::move(target)), 1'000'000'000);
    head.method = std::move(method);
    if (!has_token) head.headers.clear();
    return ServerDriver().run(*policy_of(usual_options()), head);
  };
  EXPECT_THAT(answer("POST", "/elsewhere", false),
              StartsWith(refused(404, "NOT_FOUND", "Not Found")));
  EXPECT_THAT(answer("OPTIONS", "/elsewhere", false), StartsWith("respond 404 "));
  EXPECT_THAT(answer("POST", "/r", true), StartsWith("respond 404 "));
  EXPECT_THAT(answer("POST", "/r/task/", true), StartsWith("respond 404 "));
  EXPECT_THAT(answer("POST", "/r/task/%zz", true), StartsWith("respond 404 "));
  EXPECT_THAT(answer("GET", "/r/task/hidden", false),
              StartsWith(refused(405, "METHOD_NOT_ALLOWED", "Method Not Allowed")));
  EXPECT_THAT(answer("PUT", "/r/discovery", true), StartsWith("respond 405 "));
  EXPECT_THAT(answer("POST", "/r/task/hidden", false),
              StartsWith(refused(401, "UNAUTHORIZED", "Unauthorized")));
  EXPECT_THAT(answer("POST", "/r/task/hidden", true),
              StartsWith(refused(403, "FORBIDDEN", "Task hidden not exposed")));
  EXPECT_THAT(answer("POST", "/r/task/nobody", true),
              StartsWith(refused(403, "FORBIDDEN", "Task nobody not exposed")));
  EXPECT_THAT(answer("POST", "/r/event/nobody", true),
              StartsWith(refused(403, "FORBIDDEN", "Event nobody not exposed")));
  EXPECT_THAT(answer("POST", "/r/task/plain", true),
              StartsWith(refused(413, "PAYLOAD_TOO_LARGE", "Payload too large")));
}

TEST(TunnelServerSession, ExposesNothingUnlessItIsToldTo) {
  PolicyOptions options = usual_options();
  options.exposed.reset();
  EXPECT_THAT(seen_of("/r/task/plain", "", {}, options),
              StartsWith(refused(403, "FORBIDDEN", "Exposure not enabled")));
  options.allow_open_exposure = true;
  EXPECT_THAT(seen_of("/r/task/hidden", "1", {}, options), HasSubstr("respond 200"));
  EXPECT_THAT(seen_of("/r/task/nobody", "1", {}, options),
              StartsWith(refused(404, "NOT_FOUND", "Task nobody not found")));
  EXPECT_THAT(seen_of("/r/event/nobody", "1", {}, options),
              StartsWith(refused(404, "NOT_FOUND", "Event nobody not found")));
}

TEST(TunnelServerSession, AnswersPreflightsWithoutAToken) {
  HttpRequestHead head =
      post("/r/task/plain", {{"origin", "http://a"}, {"access-control-request-headers", "x-key"}});
  head.headers.pop_back();
  head.method = "OPTIONS";
  ServerDriver driver;
  EXPECT_EQ(driver.run(*policy_of(usual_options()), head), "respond 204 \nlog 204 \n");
  const std::vector<HttpHeader> expected = {{"Access-Control-Allow-Origin", "*"},
                                            {"Access-Control-Allow-Methods", "POST, OPTIONS"},
                                            {"Access-Control-Allow-Headers", "x-key"},
                                            {"X-Content-Type-Options", "nosniff"},
                                            {"X-Frame-Options", "DENY"}};
  EXPECT_EQ(driver.headers, expected);
}

TEST(TunnelServerSession, SendsTheSameHeadersWithEveryAnswer) {
  PolicyOptions options = usual_options();
  options.cors.origins = {"http://a"};
  options.cors.exposed_headers = {"x-runner-request-id"};
  const std::vector<HttpHeader> expected = {
      {"x-runner-request-id", "r1"},
      {"Vary", "Origin"},
      {"Access-Control-Allow-Origin", "http://a"},
      {"Access-Control-Expose-Headers", "x-runner-request-id"},
      {"content-type", "application/json; charset=utf-8"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"}};
  for (const char* const target : {"/r/task/plain", "/r/task/hidden", "/r/nothing"}) {
    ServerDriver driver;
    driver.run(*policy_of(options),
               post(target, {{"origin", "http://a"}, {"x-runner-request-id", "r1"}}));
    EXPECT_EQ(driver.headers, expected) << target;
  }
  ServerDriver driver;
  driver.answer = ServerDriver::Pieces{"a"};
  driver.run(*policy_of(options), post("/r/task/full"));
  EXPECT_EQ(header(driver, "content-type"), "text/plain");
  EXPECT_EQ(header(driver, "X-Frame-Options"), "DENY");
}

TEST(TunnelServerSession, SaysWhatIsAllowedAndWhenToTryAgain) {
  const auto allowed = [](const char* target) {
    HttpRequestHead head = post(target);
    head.method = "DELETE";
    ServerDriver driver;
    driver.run(*policy_of(usual_options()), head);
    return std::string(header(driver, "Allow"));
  };
  EXPECT_EQ(allowed("/r/task/plain"), "POST, OPTIONS");
  EXPECT_EQ(allowed("/r/discovery"), "GET, HEAD, POST, OPTIONS");
  ServerDriver driver;
  driver.answer = Error{ErrorCode::overloaded, "too many"};
  driver.run(*policy_of(usual_options()), post("/r/task/full"));
  EXPECT_EQ(driver.status, 503u);
  EXPECT_EQ(header(driver, "Retry-After"), "1");
}

TEST(TunnelServerSession, ListsWhatIsExposed) {
  for (const char* const method : {"GET", "HEAD", "POST"}) {
    HttpRequestHead head = post("/r/discovery");
    head.method = method;
    EXPECT_EQ(ServerDriver().run(*policy_of(usual_options()), head),
              "respond 200 {\"ok\":true,\"result\":{\"allowList\":{\"enabled\":true,"
              "\"tasks\":[\"plain\",\"full\"],\"events\":[\"note\",\"parallel\"]}}}\n"
              "log 200 \n");
  }
}

TEST(TunnelServerSession, KeepsGoodIdsAndMakesOthers) {
  const auto given = [](std::vector<HttpHeader> headers) {
    ServerDriver driver;
    driver.run(*policy_of(usual_options()), post("/r/task/full", std::move(headers)));
    EXPECT_EQ(header(driver, "x-runner-request-id"), driver.request_id);
    EXPECT_EQ(driver.task_headers.find("x-runner-request-id").as_string(), driver.request_id);
    return driver;
  };
  EXPECT_EQ(given({{"x-runner-request-id", "r.1:_-"}}).request_id, "r.1:_-");
  EXPECT_EQ(given({}).request_id.size(), 36u);
  EXPECT_EQ(given({{"x-runner-request-id", "a b"}}).request_id.size(), 36u);
  EXPECT_EQ(given({{"x-runner-request-id", "a"}, {"x-runner-request-id", "b"}}).request_id.size(),
            36u);
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_THAT(given({{"traceparent", trace}}).traceparent,
              AllOf(StartsWith(trace.substr(0, 36)), EndsWith("-01"), Not(trace)));
  EXPECT_EQ(given({{"traceparent", trace}, {"traceparent", trace}}).traceparent, "");
  EXPECT_EQ(given({{"traceparent", "00-x"}}).traceparent, "");
  EXPECT_EQ(
      given({{"accept", "a"}, {"cookie", "x=1"}, {"accept", "b"}, {"cookie", "y=2"}}).task_headers,
      Value::object({{"accept", "a, b"},
                     {"cookie", "x=1; y=2"},
                     {"x-runner-token", "secret"},
                     {"x-runner-request-id", given({}).request_id}}));
}

TEST(TunnelServerSession, AsksValidatorsUntilOneLetsIn) {
  PolicyOptions options = usual_options();
  options.auth.validators = {"first", "second"};
  const auto asked = [&](std::vector<bool> verdicts, std::string_view token) {
    HttpRequestHead head = post("/r/task/plain");
    head.headers.back().value = token;
    ServerDriver driver;
    driver.verdicts = std::move(verdicts);
    return driver.run(*policy_of(options), head);
  };
  EXPECT_THAT(asked({}, "secret"), StartsWith("input 0"));
  EXPECT_THAT(asked({true}, "wrong"), StartsWith("ask 5\ninput 0"));
  EXPECT_THAT(asked({false, true}, "wrong"), StartsWith("ask 5\nask 6\ninput 0"));
  EXPECT_EQ(asked({false, false}, "wrong"),
            "ask 5\nask 6\n" + refused(401, "UNAUTHORIZED", "Unauthorized") + "\n");
}

TEST(TunnelServerSession, LetsNobodyInWithoutAuth) {
  PolicyOptions options = usual_options();
  options.auth.tokens.clear();
  EXPECT_THAT(seen_of("/r/task/plain", "1", {}, options),
              StartsWith(refused(500, "AUTH_NOT_CONFIGURED", "Authentication not configured.")));
  options.auth.allow_anonymous = true;
  EXPECT_THAT(seen_of("/r/task/plain", "1", {}, options), HasSubstr("respond 200"));
  options.has_absent_validators = true;
  EXPECT_THAT(seen_of("/r/task/plain", "1", {}, options), StartsWith("respond 401"));
  // Which of two tokens counts would be a guess.
  EXPECT_THAT(ServerDriver().run(*policy_of(usual_options()),
                                 post("/r/task/plain", {{"x-runner-token", "secret"}})),
              StartsWith("respond 401"));
}

TEST(TunnelServerSession, ReadsTheBodyInTheModeOfItsContentType) {
  const auto first_order = [](const char* type) {
    ServerDriver driver;
    driver.body = "1";
    const std::string seen = driver.run(*policy_of(usual_options()),
                                        with_body(post("/r/task/plain", {{"content-type", type}})));
    return seen.substr(0, seen.find('\n'));
  };
  EXPECT_EQ(first_order("application/json; charset=utf-8"), "input 0 1");
  EXPECT_EQ(first_order("text/plain"), "input 0 1");
  EXPECT_EQ(first_order("Application/Octet-Stream"), "input 3 ");
  EXPECT_EQ(first_order("multipart/form-data; boundary=b0"), "parts");
  EXPECT_THAT(first_order("multipart/form-data"), StartsWith("respond 400"));
  // A task that takes its input alone is called as the others are where it is given more.
  EXPECT_THAT(
      ServerDriver().run(*policy_of(usual_options()),
                         post("/r/task/plain", {{"content-type", "application/octet-stream"}})),
      HasSubstr("\ncall 0 {\"__type\":\"Undefined\",\"value\":null} contexts={} body\n"));
}

TEST(TunnelServerSession, ReadsContextsThatComeOnce) {
  const std::string map = R"({"user":"{\"name\":\"ada\"}","other":"1"})";
  const auto called = [](std::vector<HttpHeader> headers) {
    return ServerDriver().run(*policy_of(usual_options()),
                              post("/r/task/full", std::move(headers)));
  };
  EXPECT_THAT(called({{"x-runner-context", map}}),
              HasSubstr("contexts={\"user\":{\"name\":\"ada\"}}\n"));
  EXPECT_THAT(called({{"x-runner-context", map}, {"x-runner-context", map}}),
              HasSubstr("contexts={}\n"));
}

TEST(TunnelServerSession, RefusesBodiesPastTheLimit) {
  PolicyOptions options = usual_options();
  options.limits.json_bytes = 10;
  const auto policy = policy_of(options);
  for (const std::size_t piece : {1u, 4u, 100u}) {
    ServerDriver driver;
    driver.body = "12345678901";
    driver.piece_bytes = piece;
    EXPECT_EQ(driver.run(*policy, with_body(post("/r/task/plain"))),
              refused(413, "PAYLOAD_TOO_LARGE", "Payload too large") + "\n");
    ServerDriver fits;
    fits.body = "1234567890";
    fits.piece_bytes = piece;
    EXPECT_THAT(fits.run(*policy, with_body(post("/r/task/plain"))), HasSubstr("respond 200"));
  }
}

TEST(TunnelServerSession, EndsWithABodyThatDoesNotCome) {
  const auto failed = [](ErrorCode code) {
    ServerDriver driver;
    driver.body = "{";
    driver.body_failure = code;
    return driver.run(*policy_of(usual_options()), with_body(post("/r/task/plain")));
  };
  EXPECT_EQ(failed(ErrorCode::closed),
            refused(499, "REQUEST_ABORTED", "Client Closed Request") + "\n");
  // These the connection answers by itself.
  EXPECT_EQ(failed(ErrorCode::malformed), "leave\nlog 400 \n");
  EXPECT_EQ(failed(ErrorCode::timeout), "leave\nlog 408 \n");
}

TEST(TunnelServerSession, RefusesInputs) {
  EXPECT_EQ(seen_of("/r/task/plain", "{"),
            "input 0 {\n" + refused(400, "INVALID_JSON", "Invalid JSON body") + "\n");
  ServerDriver driver;
  driver.input_is_refused = true;
  EXPECT_EQ(seen_of("/r/task/plain", "1", driver),
            "input 0 1\n" + refused(400, "VALIDATION_ERROR", "Input validation failed: it is odd") +
                "\n");
}

TEST(TunnelServerSession, GivesAnEventsPayloadBackWhenAsked) {
  EXPECT_EQ(seen_of("/r/event/note", R"({"payload":1})"),
            "input 1 {\"payload\":1}\ncall 3 1 contexts={}\nrespond 200 {\"ok\":true}\nlog 200 \n");
  EXPECT_THAT(seen_of("/r/event/note", R"({"payload":1,"returnPayload":true})"),
              EndsWith("respond 200 {\"ok\":true,\"result\":1}\nlog 200 \n"));
  EXPECT_THAT(seen_of("/r/event/parallel", R"({"payload":1})"), HasSubstr("respond 200"));
  EXPECT_THAT(seen_of("/r/event/parallel", R"({"returnPayload":true})"),
              HasSubstr("PARALLEL_EVENT_RETURN_UNSUPPORTED"));
  ServerDriver driver;
  driver.answer = ServerDriver::Pieces{"a"};
  EXPECT_THAT(seen_of("/r/event/note", "1", driver),
              EndsWith(refused(500, "INTERNAL_ERROR", "Internal Error") +
                       " (an event answered with a stream)\n"));
}

TEST(TunnelServerSession, TellsNothingOfFailuresButWhatClientsCanDoAbout) {
  const auto failed = [](ErrorCode code, ServerSession::Client client) {
    ServerDriver driver;
    driver.answer = Error{code, "a secret"};
    driver.client = client;
    const std::string seen = driver.run(*policy_of(usual_options()), post("/r/task/full"));
    return seen.substr(seen.find("respond"));
  };
  using enum ServerSession::Client;
  const std::string internal = refused(500, "INTERNAL_ERROR", "Internal Error") + " (a secret)\n";
  EXPECT_EQ(failed(ErrorCode::runtime_error, is_there), internal);
  EXPECT_EQ(failed(ErrorCode::timeout, is_gone), internal);
  EXPECT_EQ(
      failed(ErrorCode::invalid_argument, is_there),
      refused(400, "VALIDATION_ERROR", "Input validation failed: a secret") + " (a secret)\n");
  EXPECT_EQ(failed(ErrorCode::overloaded, is_there),
            refused(503, "OVERLOADED", "Server overloaded") + " (a secret)\n");
  // Only a client that went away has cancelled it.
  EXPECT_EQ(failed(ErrorCode::cancelled, is_there), internal);
  EXPECT_THAT(failed(ErrorCode::cancelled, is_gone), StartsWith("respond 499"));
}

TEST(TunnelServerSession, TellsTypedErrors) {
  ServerDriver driver;
  driver.answer = TypedFailure{"app.funds", "too little", Value::object({{"need", 7}})};
  EXPECT_THAT(seen_of("/r/task/full", "1", driver),
              EndsWith("respond 500 {\"ok\":false,\"error\":{\"message\":\"too little\",\"code\":"
                       "\"INTERNAL_ERROR\",\"id\":\"app.funds\",\"data\":{\"need\":7}}}\n"
                       "log 500 INTERNAL_ERROR (too little)\n"));
}

TEST(TunnelServerSession, AnswersATypedErrorWithTheStatusOfItsOwn) {
  ServerDriver driver;
  driver.answer = TypedFailure{"app.gone", "gone", Value(1), 410};
  EXPECT_THAT(seen_of("/r/task/full", "1", driver),
              EndsWith("respond 410 {\"ok\":false,\"error\":{\"message\":\"gone\",\"code\":"
                       "\"INTERNAL_ERROR\",\"id\":\"app.gone\",\"data\":1,\"httpCode\":410}}\n"
                       "log 410 INTERNAL_ERROR (gone)\n"));
  for (const unsigned code : {0u, 200u, 399u, 600u}) {
    driver.answer = TypedFailure{"app.gone", "gone", {}, code};
    EXPECT_THAT(seen_of("/r/task/full", "1", driver),
                EndsWith(refused(500, "INTERNAL_ERROR", "Internal Error") + " (the httpCode " +
                         std::to_string(code) + " of an error is not from 400 to 599: gone)\n"));
  }
}

TEST(TunnelServerSession, StartsAStreamWithTheHeadOfTheTask) {
  ServerDriver driver;
  driver.answer = ServerDriver::Pieces{"a"};
  driver.stream_head = {.status = 206, .headers = {{"content-range", "bytes 0-0/9"}}};
  EXPECT_THAT(driver.run(*policy_of(usual_options()), post("/r/task/full")),
              EndsWith("start 206\npiece a\nfinish\nlog 206 \n"));
  EXPECT_EQ(header(driver, "content-range"), "bytes 0-0/9");
  EXPECT_EQ(header(driver, "content-type"), "application/octet-stream");
  ServerDriver wrong;
  wrong.answer = ServerDriver::Pieces{"a"};
  wrong.stream_head.headers = {{"Content-Length", "5"}};
  EXPECT_THAT(wrong.run(*policy_of(usual_options()), post("/r/task/full")),
              EndsWith(refused(500, "INTERNAL_ERROR", "Internal Error") +
                       " (the task's stream cannot be sent: the header Content-Length is the "
                       "server's own)\n"));
}

TEST(TunnelServerSession, HasNoDiscoveryWhereItIsTurnedOff) {
  PolicyOptions options = usual_options();
  options.has_discovery = false;
  EXPECT_THAT(seen_of("/r/discovery", "", {}, options),
              StartsWith(refused(404, "NOT_FOUND", "Not Found")));
  HttpRequestHead head = post("/r/discovery");
  head.headers.clear();
  head.method = "GET";
  EXPECT_THAT(ServerDriver().run(*policy_of(options), head),
              StartsWith(refused(404, "NOT_FOUND", "Not Found")))
      << "whoever has no token learns no more";
  EXPECT_THAT(seen_of("/r/task/plain", "1", {}, options), HasSubstr("respond 200"));
}

TEST(TunnelServerSession, RestoresTheContextsOfTheTask) {
  PolicyOptions options = usual_options();
  options.exposed->tasks.insert(options.exposed->tasks.end(), {"own", "none"});
  const auto policy = policy_of(options);
  using Ids = std::vector<std::string>;
  policy->add(Policy::Kind::task, "own", {.number = 7, .contexts = Ids{"tenant"}});
  policy->add(Policy::Kind::task, "none", {.number = 8, .contexts = Ids()});
  const auto contexts = [&](const std::string& id) {
    HttpRequestHead head =
        post("/r/task/" + id, {{"x-runner-context", R"({"user":"\"ann\"","tenant":"\"t1\""})"}});
    const std::string seen = ServerDriver().run(*policy, head);
    const std::size_t at = seen.find("contexts=");
    return at == seen.npos ? seen : seen.substr(at, seen.find('\n', at) - at);
  };
  EXPECT_EQ(contexts("full"), R"(contexts={"user":"ann"})");
  EXPECT_EQ(contexts("own"), R"(contexts={"tenant":"t1"})");
  EXPECT_EQ(contexts("none"), "contexts={}");
}

// Lanes.

constexpr const char* lane_secret = "a secret of thirty-two bytes, ok";

PolicyOptions lane_options() {
  PolicyOptions options = usual_options();
  const auto lanes =
      lanes_of({{"sums", LaneRules{.tasks = {"full"}, .events = {"note"}, .secret = lane_secret}}});
  EXPECT_TRUE(lanes);
  options.lanes = lanes.value_or(std::vector<std::shared_ptr<const Lane>>());
  return options;
}

// With a token of the lane, of what the test says.
HttpRequestHead signed_post(const std::string& target, const LaneCall& call) {
  HttpRequestHead head = with_body(post(target));
  const LaneSigner signer(LaneKey::of_secret(lane_secret).value());
  head.headers.push_back(signer.sign(call, ServerDriver().now).value());
  return head;
}

TEST(TunnelServerSession, WantsATokenOfTheLaneBesideItsOwn) {
  const auto policy = policy_of(lane_options());
  const std::string body = R"({"input":7})";
  ServerDriver driver;
  driver.body = body;
  const LaneCall call{"sums", LaneKind::task, "full", body_hash(body)};
  const HttpRequestHead head = signed_post("/r/task/full", call);
  EXPECT_THAT(ServerDriver(driver).run(*policy, head), HasSubstr("respond 200"));
  EXPECT_THAT(ServerDriver(driver).run(*policy, with_body(post("/r/task/full"))),
              EndsWith(refused(401, "UNAUTHORIZED", "Unauthorized") +
                       " (lane sums: there is no header authorization)\n"));
  HttpRequestHead alone = head;
  std::erase_if(alone.headers, [](const HttpHeader& one) { return one.name == "x-runner-token"; });
  EXPECT_THAT(ServerDriver(driver).run(*policy, alone),
              EndsWith(refused(401, "UNAUTHORIZED", "Unauthorized") + "\n"));
  // A task of no lane needs none, and hidden ones are refused as ever.
  EXPECT_THAT(ServerDriver(driver).run(*policy, with_body(post("/r/task/plain"))),
              HasSubstr("respond 200"));
  EXPECT_THAT(ServerDriver(driver).run(*policy, with_body(post("/r/task/hidden"))),
              HasSubstr("respond 403"));
}

TEST(TunnelServerSession, WantsTheBodyThatWasSigned) {
  const auto policy = policy_of(lane_options());
  const std::string body = R"({"input":[1,"a b"]})";
  const HttpRequestHead head =
      signed_post("/r/task/full", {"sums", LaneKind::task, "full", body_hash(body)});
  const auto seen = [&](const std::string& sent, const HttpRequestHead& by) {
    ServerDriver driver;
    driver.body = sent;
    driver.piece_bytes = 3;
    return driver.run(*policy, by);
  };
  EXPECT_THAT(seen(body, head), HasSubstr("respond 200"));
  EXPECT_THAT(seen("{ \"input\" :[1, \"a b\"]\n}", head), HasSubstr("respond 200"));
  for (const char* other : {R"({"input":[2,"a b"]})", R"({"input":[1,"a  b"]})", "{", ""}) {
    EXPECT_EQ(seen(other, head), refused(401, "UNAUTHORIZED", "Unauthorized") +
                                     " (lane sums: the token is of another body)\n");
  }
  const HttpRequestHead unhashed =
      signed_post("/r/task/full", {"sums", LaneKind::task, "full", std::nullopt});
  EXPECT_EQ(seen(body, unhashed), refused(401, "UNAUTHORIZED", "Unauthorized") +
                                      " (lane sums: the token has no hash of the body)\n");
}

TEST(TunnelServerSession, KnowsTasksFromEventsOfALane) {
  const auto policy = policy_of(lane_options());
  ServerDriver driver;
  driver.body = R"({"payload":1,"returnPayload":true})";
  const LaneCall call{"sums", LaneKind::event, "note", body_hash(driver.body)};
  EXPECT_THAT(ServerDriver(driver).run(*policy, signed_post("/r/event/note", call)),
              HasSubstr("respond 200 {\"ok\":true,\"result\":1}"));
  LaneCall other = call;
  other.kind = LaneKind::task;
  EXPECT_THAT(ServerDriver(driver).run(*policy, signed_post("/r/event/note", other)),
              HasSubstr("respond 401"));
}

TEST(TunnelServerSession, WantsNoHashOfWhatIsStreamed) {
  const auto policy = policy_of(lane_options());
  HttpRequestHead head =
      signed_post("/r/task/full", {"sums", LaneKind::task, "full", std::nullopt});
  head.headers.push_back({"content-type", "application/octet-stream"});
  ServerDriver driver;
  driver.body = "bytes";
  EXPECT_THAT(driver.run(*policy, head), HasSubstr("call 1 "));
  std::erase_if(head.headers, [](const HttpHeader& one) { return one.name == "authorization"; });
  EXPECT_THAT(ServerDriver(driver).run(*policy, head), HasSubstr("respond 401"));
}

TEST(TunnelServerSession, LetsNoTokenInThatHasExpired) {
  const auto policy = policy_of(lane_options());
  ServerDriver driver;
  driver.body = "1";
  const HttpRequestHead head =
      signed_post("/r/task/full", {"sums", LaneKind::task, "full", body_hash("1")});
  driver.now += std::chrono::seconds(89);
  EXPECT_THAT(ServerDriver(driver).run(*policy, head), HasSubstr("respond 200"));
  driver.now += std::chrono::seconds(1);
  EXPECT_THAT(ServerDriver(driver).run(*policy, head),
              HasSubstr("(lane sums: the token has expired)"));
}

TEST(TunnelPolicy, TellsWhatItsLanesNameAndIsNotThere) {
  PolicyOptions options = usual_options();
  options.lanes = lanes_of({{"a", LaneRules{.tasks = {"plain"}, .secret = lane_secret}}}).value();
  EXPECT_EQ(policy_of(options)->missing_of_lanes(), std::nullopt);
  options.lanes = lanes_of({{"a", LaneRules{.tasks = {"note"}, .secret = lane_secret}}}).value();
  EXPECT_EQ(policy_of(options)->missing_of_lanes(), "lanes.a: there is no task note");
  options.lanes = lanes_of({{"a", LaneRules{.events = {"plain"}, .secret = lane_secret}}}).value();
  EXPECT_EQ(policy_of(options)->missing_of_lanes(), "lanes.a: there is no event plain");
}

TEST(TunnelServerSession, HasLargeAnswersWrittenElsewhere) {
  ServerDriver driver;
  driver.answer = Value(std::string(100'000, 'x'));
  const std::string seen = seen_of("/r/task/full", "1", driver);
  EXPECT_THAT(seen, HasSubstr("\nwrite\nrespond 200 {\"ok\":true,\"result\":\"xxx"));
  PolicyOptions options = usual_options();
  options.limits.response_bytes = 90'000;
  EXPECT_THAT(seen_of("/r/task/full", "1", driver, options),
              EndsWith("write\n" + refused(500, "INTERNAL_ERROR", "Internal Error") + " (?)\n"));
  driver.answer = TypedFailure{"id", std::string(70'000, 'x')};
  EXPECT_THAT(seen_of("/r/task/full", "1", driver), HasSubstr("\nwrite\n"));
  options.limits.response_bytes = 1'000;
  EXPECT_THAT(seen_of("/r/task/full", "1", driver, options),
              HasSubstr("(the answer cannot be written: "));
}

TEST(TunnelServerSession, StartsAStreamWithItsFirstPiece) {
  const auto streamed = [](ServerDriver driver) {
    const std::string seen = driver.run(*policy_of(usual_options()), post("/r/task/full"));
    return seen.substr(seen.find('\n', seen.find("call")) + 1);
  };
  ServerDriver driver;
  driver.answer = ServerDriver::Pieces{"a", "bc"};
  EXPECT_EQ(streamed(driver), "start 200\npiece a\npiece bc\nfinish\nlog 200 \n");
  driver.stream_failure = Error{ErrorCode::runtime_error, "a secret"};
  EXPECT_THAT(streamed(driver),
              StartsWith("start 200\npiece a\npiece bc\nleave\nlog 200  (runtime_error"));
  driver.answer = ServerDriver::Pieces{};
  EXPECT_THAT(streamed(driver),
              StartsWith(refused(500, "INTERNAL_ERROR", "Internal Error") + " ("));
  driver.stream_failure.reset();
  EXPECT_EQ(streamed(driver), "start 200\nfinish\nlog 200 \n");
  driver.answer = ServerDriver::Pieces{"a", "bc"};
  for (const std::size_t sent : {0u, 1u, 2u}) {
    driver.sent_pieces = sent;
    EXPECT_THAT(streamed(driver), EndsWith("leave\nlog 200 REQUEST_ABORTED\n"));
  }
}

TEST(TunnelServerSession, AnswersOnceWhereverTheClientGoesOrTheDeadlinePasses) {
  PolicyOptions options = usual_options();
  options.auth.validators = {"first", "second"};
  const auto policy = policy_of(options);
  HttpRequestHead head = with_body(post("/r/task/full"));
  head.headers.clear();
  ServerDriver usual;
  usual.body = "[1,2]";
  usual.piece_bytes = 2;
  usual.verdicts = {false, true};
  usual.answer = ServerDriver::Pieces{"a", "b"};
  ServerDriver whole = usual;
  whole.run(*policy, head);
  for (std::size_t at = 0; at + 1 < whole.count(); ++at) {
    SCOPED_TRACE(at);
    ServerDriver gone = usual;
    gone.client_goes_at = at;
    const std::string left = gone.run(*policy, head);
    EXPECT_EQ(gone.answers, 1);
    EXPECT_THAT(left, gone.status == 200 ? EndsWith("leave\nlog 200 REQUEST_ABORTED\n")
                                         : EndsWith("log 499 REQUEST_ABORTED\n"));
    ServerDriver late = usual;
    late.deadline_at = at;
    const std::string told = late.run(*policy, head);
    EXPECT_EQ(late.answers, 1);
    EXPECT_THAT(told, EndsWith("(the server's deadline has passed)\n"));
    EXPECT_THAT(told, late.status == 200 ? HasSubstr("leave\nlog 200 ") : HasSubstr("log 500 "));
  }
}

TEST(TunnelServerSession, OrdersNothingAfterItsEnd) {
  const auto policy = policy_of(usual_options());
  const HttpRequestHead head = post("/r/nothing");
  std::mt19937_64 random;
  ServerSession session(*policy, testing::stand_in_serializer(), head, random);
  EXPECT_TRUE(std::holds_alternative<Respond>(session.on_head({})));
  EXPECT_TRUE(session.is_over());
  EXPECT_TRUE(std::holds_alternative<Leave>(session.on_client_gone()));
  EXPECT_TRUE(std::holds_alternative<Leave>(session.on_deadline()));
  EXPECT_EQ(session.status(), 404u);
}

// Multipart bodies.

std::string part(std::string_view head, std::string_view content) {
  return "--b0\r\nContent-Disposition: form-data; " + std::string(head) + "\r\n\r\n" +
         std::string(content) + "\r\n";
}
const std::string manifest =
    part("name=\"__manifest\"",
         R"({"input":{"f":{"$runnerFile":"File","id":"1","meta":{"name":"n","type":"t/t"}}}})");
const std::string file = part("name=\"file:1\"; filename=\"x\"", "some bytes\r\n-");

std::string uploaded(std::string body, ServerDriver driver = {}) {
  driver.body = std::move(body);
  return driver.run(
      *policy_of(usual_options()),
      with_body(post("/r/task/full", {{"content-type", "multipart/form-data; boundary=b0"}})));
}

TEST(TunnelServerSession, LetsAResultWaitForTheRestOfTheBody) {
  const std::string called =
      "parts\ninput 2 \ncall 1 {\"f\":{\"name\":\"n\",\"type\":\"t/t\"}} contexts={} files\n";
  EXPECT_THAT(uploaded(manifest + file + "--b0--"),
              StartsWith(called + "rest\nrespond 200 {\"ok\":true,"));
  ServerDriver driver;
  EXPECT_EQ(uploaded(manifest + "--b0--"),
            called + "rest\n" + refused(500, "MISSING_FILE_PART", "Internal Error") + "\n");
  // One that is streamed, or that failed, cannot wait.
  driver.answer = ServerDriver::Pieces{"a"};
  EXPECT_EQ(uploaded(manifest + "--b0--", driver),
            called + "start 200\npiece a\nfinish\nlog 200 \n");
  driver.answer = Error{ErrorCode::tool_error, "no"};
  EXPECT_THAT(uploaded(manifest + "--b0", driver), StartsWith(called + "respond 500"));
}

TEST(TunnelServerSession, RefusesMultipartBodiesThatAreWrong) {
  EXPECT_EQ(uploaded("--b0--"),
            "parts\n" + refused(400, "MISSING_MANIFEST", "Missing manifest") + "\n");
  EXPECT_THAT(uploaded(part("name=\"__manifest\"", "{") + "--b0--"), HasSubstr("Invalid manifest"));
  EXPECT_THAT(uploaded("nothing"), HasSubstr("INVALID_MULTIPART"));
}

// Wherever bodies are cut.

TEST(TunnelServerSession, OrdersTheSameWhereverTheBodyIsCut) {
  const auto policy = policy_of(usual_options());
  const HttpHeader form{"content-type", "multipart/form-data; boundary=b0"};
  const std::pair<HttpRequestHead, std::string> requests[] = {
      {post("/r/task/plain"), R"({"input":{"a":[1,"ü",{"__type":"Date","value":0}]}})"},
      {post("/r/task/full"), R"({"input":)"},
      {post("/r/event/note"), R"({"payload":{"a":1},"returnPayload":true})"},
      {post("/r/task/full", {form}), manifest + file + "--b0--\r\n"},
      {post("/r/task/full", {form}), file + manifest + part("name=\"more\"", "x") + "--b0--\r\n"},
      {post("/r/task/full", {form}), manifest + manifest + file + "--b0--\r\n"},
      {post("/r/task/full", {form}), manifest + file},
  };
  for (const auto& [head, body] : requests) {
    for (const bool has_length : {false, true}) {
      const HttpRequestHead sent =
          with_body(head, has_length ? std::optional<std::uint64_t>(body.size()) : std::nullopt);
      ServerDriver whole;
      whole.body = body;
      const std::string expected = whole.run(*policy, sent);
      for (std::size_t piece = 1; piece < body.size(); ++piece) {
        ServerDriver cut;
        cut.body = body;
        cut.piece_bytes = piece;
        EXPECT_EQ(cut.run(*policy, sent), expected) << body << " in pieces of " << piece;
      }
    }
  }
}

}  // namespace
}  // namespace cordon::tunnel
