#include "cordon/protocol/tunnel/client_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/protocol/tunnel/testing/server_driver.h"

namespace cordon::tunnel {
namespace {

using ::testing::HasSubstr;
using testing::stand_in_serializer;
using testing::text_of;

const ClientOptions options{.base_path = "/r", .token = "secret"};

Result<OutgoingRequest> request_of(const ClientCall& call, const ClientOptions& by = options) {
  return ClientSession(by, stand_in_serializer()).request(call);
}

std::string_view header(const OutgoingRequest& request, std::string_view name) {
  for (const HttpHeader& header : request.headers) {
    if (header.name == name) return header.value;
  }
  return "(none)";
}

std::string body_of(const OutgoingRequest& request, const std::vector<std::string>& files = {}) {
  std::string body;
  for (const BodyPart& part : request.body) {
    const auto* const text = std::get_if<std::string>(&part);
    body += text == nullptr ? files.at(std::get<FileBytes>(part).file) : *text;
  }
  return body;
}

// Requests.

TEST(TunnelClientSession, CallsATaskWithItsInput) {
  const auto request = request_of({.id = "a/b ü", .input = Value::array({1, 2})});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "POST");
  EXPECT_EQ(request->target, "/r/task/a%2Fb%20%C3%BC");
  EXPECT_EQ(header(*request, "x-runner-token"), "secret");
  EXPECT_EQ(header(*request, "content-type"), "application/json; charset=utf-8");
  EXPECT_EQ(header(*request, "x-runner-request-id"), "(none)");
  EXPECT_EQ(body_of(*request), R"({"input":[1,2]})");
  EXPECT_EQ(request->content_length, 15u);
  // A body without the key would be the input itself.
  EXPECT_EQ(body_of(*request_of({.id = "a"})), R"({"input":{"__type":"Undefined","value":null}})");
  EXPECT_EQ(body_of(*request_of({.id = "a", .input = InputText{"{ \"x\": 1 }"}})),
            R"({"input":{ "x": 1 }})");
}

TEST(TunnelClientSession, SendsEventsAndAsksWhatThereIs) {
  using Target = ClientCall::Target;
  const auto event = request_of({.target = Target::event, .id = "e", .input = Value(1)});
  EXPECT_EQ(event->target, "/r/event/e");
  EXPECT_EQ(body_of(*event), R"({"payload":1})");
  EXPECT_EQ(body_of(*request_of(
                {.target = Target::event, .id = "e", .input = Value(1), .returns_payload = true})),
            R"({"payload":1,"returnPayload":true})");
  const auto discovery = request_of({.target = Target::discovery});
  EXPECT_EQ(discovery->method + " " + discovery->target, "GET /r/discovery");
  EXPECT_TRUE(discovery->body.empty());
}

TEST(TunnelClientSession, SendsIdsAndContexts) {
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const auto request =
      request_of({.id = "a",
                  .request_id = "r1",
                  .traceparent = trace,
                  .contexts = {{"user", Value::object({{"name", "ada"}})}, {"n", Value(1)}}});
  EXPECT_EQ(header(*request, "x-runner-request-id"), "r1");
  EXPECT_EQ(header(*request, "traceparent"), trace);
  const std::vector<std::string> ids = {"user", "n"};
  const Value read = contexts_of(stand_in_serializer(), header(*request, "x-runner-context"), ids);
  EXPECT_EQ(text_of(read), R"({"user":{"name":"ada"},"n":1})");
}

TEST(TunnelClientSession, SendsTheCallersHeadersInsteadOfItsOwn) {
  const auto request = request_of({.id = "a",
                                   .request_id = "r1",
                                   .headers = {{"X-Runner-Token", "another"},
                                               {"x-trace", "1"},
                                               {"x-trace", "2"},
                                               {"Authorization", "Bearer ü\t!"}}});
  ASSERT_TRUE(request);
  EXPECT_EQ(header(*request, "x-runner-token"), "another");
  EXPECT_EQ(header(*request, "x-runner-request-id"), "r1");
  EXPECT_EQ(header(*request, "authorization"), "Bearer ü\t!");
  EXPECT_EQ(std::ranges::count(request->headers, "x-trace", &HttpHeader::name), 2);
  EXPECT_EQ(std::ranges::count(request->headers, "x-runner-token", &HttpHeader::name), 1);
}

TEST(TunnelClientSession, RefusesWhatCannotBeSent) {
  const auto code = [](const ClientCall& call, const ClientOptions& by = options) {
    const auto request = request_of(call, by);
    return request ? ErrorCode::none : request.error().code;
  };
  EXPECT_EQ(code({.id = ""}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.id = std::string(5'000, 'x')}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.id = "a", .request_id = "a b"}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.id = "a", .traceparent = "a\r\nb: c"}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.id = "a"}, {.token = "a\nb"}), ErrorCode::invalid_argument);
  for (const HttpHeader& header : std::vector<HttpHeader>{{"", "1"},
                                                          {"a b", "1"},
                                                          {"ü", "1"},
                                                          {"a:", "1"},
                                                          {"x", "a\r\nb: c"},
                                                          {"x", std::string(1, '\0')},
                                                          {"Content-Length", "1"},
                                                          {"transfer-encoding", "chunked"},
                                                          {"CONTENT-TYPE", "text/plain"},
                                                          {"host", "elsewhere"}}) {
    EXPECT_EQ(code({.id = "a", .headers = {header}}), ErrorCode::invalid_argument) << header.name;
  }
  EXPECT_EQ(code({.target = ClientCall::Target::event, .id = "e", .input = OctetBody{}}),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code({.id = "a", .contexts = {{"c", Value(std::string(70'000, 'x'))}}}),
            ErrorCode::too_large);
  EXPECT_EQ(code({.id = "a", .input = FormBody{.boundary = "a b\""}}), ErrorCode::invalid_argument);
  const OutgoingFile file{.id = "1"};
  EXPECT_EQ(code({.id = "a", .input = FormBody{.files = {file, file}, .boundary = "b"}}),
            ErrorCode::invalid_argument);
  const OutgoingFile injected{.id = "1", .type = "a\r\nb: c"};
  EXPECT_EQ(code({.id = "a", .input = FormBody{.files = {injected}, .boundary = "b"}}),
            ErrorCode::invalid_argument);
}

TEST(TunnelClientSession, SendsOctets) {
  const auto request = request_of({.id = "a", .input = OctetBody{7}});
  EXPECT_EQ(header(*request, "content-type"), "application/octet-stream");
  EXPECT_EQ(request->content_length, 7u);
  EXPECT_EQ(body_of(*request, {"1234567"}), "1234567");
  EXPECT_EQ(request_of({.id = "a", .input = OctetBody{}})->content_length, std::nullopt);
}

TEST(TunnelClientSession, SendsFilesThatTheServersSessionReads) {
  const OutgoingFile one{.id = "1", .name = "a \"b\".txt", .type = "text/plain", .bytes = 3};
  const OutgoingFile two{.id = "2", .name = "ü", .bytes = 0};
  FormBody form{.input = Value::object({{"one", file_placeholder(one)},
                                        {"two", file_placeholder(two, Value::object({{"k", 1}}))}}),
                .files = {one, two},
                .boundary = "b-0"};
  const auto request = request_of({.id = "full", .input = form});
  ASSERT_TRUE(request);
  const std::string body = body_of(*request, {"abc", ""});
  EXPECT_EQ(request->content_length, body.size());
  HttpRequestHead head = testing::post(request->target);
  head.headers = request->headers;
  head.has_body = true;
  testing::ServerDriver server;
  server.body = body;
  EXPECT_THAT(server.run(*testing::policy_of(testing::usual_options()), head),
              HasSubstr(R"(call 1 {"one":{"name":"a \"b\".txt","type":"text/plain","size":3},)"
                        R"("two":{"name":"ü","type":"application/octet-stream","size":0,)"
                        R"("extra":{"k":1}}} contexts={} files)"));
  EXPECT_EQ(server.status, 200u) << server.answered;
  form.files[1].bytes.reset();
  EXPECT_EQ(request_of({.id = "full", .input = form})->content_length, std::nullopt);
}

TEST(TunnelClientSession, WritesInputsThatContainThemselvesAsGraphs) {
  const Value cyclic =
      *stand_in_serializer().parse(R"({"__graph":true,"version":1,"root":{"__ref":"obj_1"},)"
                                   R"("nodes":{"obj_1":{"kind":"object","value":)"
                                   R"({"self":{"__ref":"obj_1"}}}}})");
  const std::string body = body_of(*request_of({.id = "a", .input = cyclic}));
  const Result<Value> read = task_input(stand_in_serializer(), body);
  ASSERT_TRUE(read) << body;
  EXPECT_EQ(read->find("self").identity(), read->find("self").find("self").identity());
}

// Answers.

HttpResponseHead head_of(unsigned status, std::string type, std::vector<HttpHeader> more = {}) {
  more.push_back({"Content-Type", std::move(type)});
  return {status, std::move(more)};
}

std::string shown(const ClientOutcome& outcome) {
  if (const auto* const result = std::get_if<TaskResult>(&outcome))
    return "result " + text_of(result->value);
  if (const auto* const streamed = std::get_if<StreamedAnswer>(&outcome))
    return "stream " + streamed->content_type + " " + streamed->bytes;
  if (const auto* const bad = std::get_if<BadAnswer>(&outcome))
    return "bad " + std::to_string(static_cast<int>(bad->why)) + " " + bad->message;
  if (const auto* const redirect = std::get_if<Redirect>(&outcome)) return redirect->message();
  const auto& failure = std::get<AnsweredFailure>(outcome);
  return "failure " + std::to_string(failure.status) + " " + failure.code + " " +
         failure.id.value_or("-") + " " + failure.message + " " + text_of(failure.data) +
         (failure.may_be_repeated ? " repeat" : "") +
         (failure.retry_after ? " after " + std::to_string(failure.retry_after->count()) : "");
}

std::string outcome_of(const HttpResponseHead& head, std::string_view body,
                       std::size_t piece = 1'000'000, const ClientOptions& by = options) {
  using Next = ClientSession::Next;
  ClientSession session(by, stand_in_serializer());
  Next next = session.on_head(head);
  std::string passed;
  while (next != Next::stop && !body.empty()) {
    const std::string_view given = body.substr(0, piece);
    body.remove_prefix(given.size());
    if (next == Next::pass_on) {
      passed += given;
    } else {
      next = session.on_piece(given);
    }
  }
  return shown(session.on_end()) + passed;
}

TEST(TunnelClientSession, ReadsResults) {
  const HttpResponseHead head = head_of(200, "Application/JSON; charset=utf-8");
  EXPECT_EQ(outcome_of(head, R"({"ok":true,"result":{"a":1}})"), "result {\"a\":1}");
  EXPECT_EQ(outcome_of(head, R"({"ok":true})"), "result {\"__type\":\"Undefined\",\"value\":null}");
}

TEST(TunnelClientSession, ReadsFailures) {
  const std::string nothing = " {\"__type\":\"Undefined\",\"value\":null}";
  const std::string json = "application/json";
  EXPECT_EQ(outcome_of(head_of(401, json),
                       R"({"ok":false,"error":{"message":"no","code":"UNAUTHORIZED"}})"),
            "failure 401 UNAUTHORIZED - no" + nothing);
  EXPECT_EQ(outcome_of(head_of(500, json), R"({"ok":false,"error":{"message":"m","code":)"
                                           R"("INTERNAL_ERROR","id":"app.x","data":{"need":7}}})"),
            "failure 500 INTERNAL_ERROR app.x m {\"need\":7}");
  const std::string busy = R"({"ok":false,"error":{"message":"busy","code":"OVERLOADED"}})";
  EXPECT_EQ(outcome_of(head_of(503, json, {{"Retry-After", "2"}}), busy),
            "failure 503 OVERLOADED - busy" + nothing + " repeat after 2");
  EXPECT_EQ(
      outcome_of(head_of(503, json, {{"retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"}}), busy),
      "failure 503 OVERLOADED - busy" + nothing + " repeat");
  EXPECT_EQ(outcome_of(head_of(503, json, {{"retry-after", "99999999999"}}), busy),
            "failure 503 OVERLOADED - busy" + nothing + " repeat after 86400");
}

TEST(TunnelClientSession, TellsWhichRequestFailedAndWithWhichStatusOfTheServersOwn) {
  const auto outcome = [](const HttpResponseHead& head, std::string_view body) {
    ClientSession session(options, stand_in_serializer());
    if (session.on_head(head) == ClientSession::Next::read_on) session.on_piece(body);
    return session.on_end();
  };
  const HttpHeader id{"X-Runner-Request-Id", "r-1"};
  const auto failure = std::get<AnsweredFailure>(outcome(
      head_of(418, "application/json", {id}),
      R"({"ok":false,"error":{"message":"m","code":"C","id":"app.x","data":1,"httpCode":418}})"));
  EXPECT_EQ(failure.request_id, "r-1");
  EXPECT_EQ(failure.http_code, 418u);
  EXPECT_EQ(std::get<BadAnswer>(outcome(head_of(502, "text/html", {id}), "")).request_id, "r-1");
  EXPECT_EQ(std::get<BadAnswer>(outcome(head_of(200, "application/json", {id}), "[")).request_id,
            "r-1");
  EXPECT_EQ(std::get<Redirect>(outcome({302, {id}}, "")).request_id, "r-1");
  // What no server of ours makes is not repeated to anybody.
  const HttpHeader odd{"x-runner-request-id", "a b\x1b"};
  EXPECT_EQ(std::get<BadAnswer>(outcome(head_of(502, "text/html", {odd}), "")).request_id, "");
}

TEST(TunnelClientSession, FollowsNoRedirect) {
  const std::string refused = ", and redirects are not followed";
  for (const unsigned status : {301u, 302u, 303u, 307u, 308u}) {
    EXPECT_EQ(outcome_of({status, {{"Location", "http://elsewhere/"}}}, ""),
              "status " + std::to_string(status) + " to http://elsewhere/" + refused);
  }
  EXPECT_EQ(outcome_of({302, {}}, ""), "status 302 to nowhere" + refused);
  EXPECT_EQ(outcome_of(head_of(300, "application/json", {{"location", "/a"}}), R"({"ok":true})"),
            "status 300 to /a" + refused);
  EXPECT_EQ(outcome_of({304, {}}, ""), "bad 0 status 304, and no envelope");
}

TEST(TunnelClientSession, TakesOnlyForAStreamWhatATaskMayStream) {
  EXPECT_EQ(outcome_of(head_of(206, "image/png"), "abc"), "stream image/png abc");
  EXPECT_EQ(outcome_of(head_of(200, "application/x-ndjson"), "{}"),
            "stream application/x-ndjson {}");
  for (const unsigned status : {200u, 201u, 205u, 299u})
    EXPECT_EQ(outcome_of(head_of(status, "application/octet-stream"), "abc"),
              "stream application/octet-stream abc");
  EXPECT_EQ(outcome_of({204, {}}, ""), "bad 0 status 204, and no envelope");
  EXPECT_EQ(outcome_of(head_of(204, "text/plain"), ""), "bad 0 status 204, and no envelope");
  EXPECT_EQ(outcome_of({200, {}}, "abc"), "bad 0 status 200, no content type, and no envelope");
  EXPECT_EQ(outcome_of(head_of(200, " ; charset=utf-8"), "abc"),
            "bad 0 status 200, no content type, and no envelope");
  for (const char* type : {"text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml"}) {
    EXPECT_EQ(outcome_of(head_of(200, type), "<html>"),
              "bad 0 status 200, a page of HTML, and no envelope");
  }
  EXPECT_EQ(outcome_of(head_of(200, "application/problem+json"), "{}"),
            "bad 1 the answer is no envelope");
  EXPECT_EQ(outcome_of(head_of(200, "text/plain", {{"content-encoding", "gzip"}}), "abc"),
            "bad 1 the answer is compressed (gzip), which nobody asked for");
  EXPECT_EQ(outcome_of(head_of(200, "text/plain", {{"content-encoding", "Identity"}}), "abc"),
            "stream text/plain abc");
  EXPECT_EQ(outcome_of(head_of(201, "application/json"), R"({"ok":true,"result":1})"), "result 1");

  ClientSession event(options, stand_in_serializer());
  (void)event.request({.target = ClientCall::Target::event, .id = "e"});
  EXPECT_EQ(event.on_head(head_of(200, "text/plain")), ClientSession::Next::stop);
  EXPECT_EQ(shown(event.on_end()), "bad 0 status 200, text/plain, and no envelope");
}

TEST(TunnelClientSession, MissesAPayloadThatItAskedFor) {
  using Target = ClientCall::Target;
  const auto told = [](const ClientCall& call) {
    ClientSession session(options, stand_in_serializer());
    (void)session.request(call);
    session.on_head(head_of(200, "application/json"));
    session.on_piece(R"({"ok":true})");
    return shown(session.on_end());
  };
  const std::string missing = "bad 1 the envelope has no result";
  EXPECT_EQ(told({.target = Target::event, .id = "e", .returns_payload = true}), missing);
  EXPECT_EQ(told({.target = Target::discovery}), missing);
  EXPECT_THAT(told({.target = Target::event, .id = "e"}), HasSubstr("result "));
  EXPECT_THAT(told({.id = "t"}), HasSubstr("result "));
}

TEST(TunnelClientSession, PassesStreamsOnOrCollectsThem) {
  const HttpResponseHead head = head_of(200, "text/plain");
  EXPECT_EQ(outcome_of(head, "abc", 2), "stream text/plain abc");
  ClientOptions collecting = options;
  collecting.streams = ClientOptions::Streams::collected;
  collecting.max_answer_bytes = 3;
  EXPECT_EQ(outcome_of(head, "abc", 2, collecting), "stream text/plain abc");
  EXPECT_EQ(outcome_of(head, "abcd", 2, collecting), "bad 2 the answer has more than 3 bytes");
}

TEST(TunnelClientSession, TellsAnswersThatAreNone) {
  const std::string json = "application/json";
  EXPECT_EQ(outcome_of(head_of(502, "text/html"), "<html>"), "bad 0 status 502, and no envelope");
  EXPECT_THAT(outcome_of(head_of(200, json), "{"), HasSubstr("bad 1 "));
  EXPECT_EQ(outcome_of(head_of(200, json), "[]"), "bad 1 the answer is no envelope");
  EXPECT_EQ(outcome_of(head_of(200, json), R"({"ok":1})"), "bad 1 the answer is no envelope");
  EXPECT_EQ(outcome_of(head_of(200, json), R"({"ok":false})"),
            "bad 1 the envelope of a failure has no message");
  EXPECT_EQ(outcome_of(head_of(500, json), R"({"ok":true,"result":1})"),
            "bad 1 status 500 with a result");
  EXPECT_EQ(outcome_of(head_of(200, json), std::string(20, ' '), 7, {.max_answer_bytes = 19}),
            "bad 2 the answer has more than 19 bytes");
  EXPECT_EQ(shown(ClientSession(options, stand_in_serializer()).on_end()),
            "bad 1 there was no answer");
}

TEST(TunnelClientSession, ComesToTheSameOutcomeWhereverTheAnswerIsCut) {
  ClientOptions small = options;
  small.max_answer_bytes = 60;
  const std::pair<HttpResponseHead, std::string> answers[] = {
      {head_of(200, "application/json"), R"({"ok":true,"result":{"a":"ü"}})"},
      {head_of(500, "application/json"), R"({"ok":false,"error":{"message":"m","code":"C"}})"},
      {head_of(200, "application/json"), std::string(61, ' ')},
      {head_of(200, "application/octet-stream"), std::string(100, 'x')},
      {head_of(404, "text/html"), "<html>"},
  };
  for (const auto& [head, body] : answers) {
    const std::string expected = outcome_of(head, body, 1'000'000, small);
    for (std::size_t piece = 1; piece < body.size(); ++piece)
      EXPECT_EQ(outcome_of(head, body, piece, small), expected);
  }
}

// What the client writes the server reads, and the other way round.

TEST(TunnelClientSession, UnderstandsItsServer) {
  const auto policy = testing::policy_of(testing::usual_options());
  const auto told = [&](const ClientCall& call, testing::ServerDriver server = {}) {
    const auto request = request_of(call);
    HttpRequestHead head = testing::post(request->target);
    head.method = request->method;
    head.headers = request->headers;
    server.body = body_of(*request);
    head.has_body = !server.body.empty();
    server.run(*policy, head);
    return outcome_of({server.status, server.headers}, server.answered);
  };
  EXPECT_EQ(told({.id = "full", .input = Value::array({1})}), "result [1]");
  EXPECT_THAT(told({.id = "hidden"}), HasSubstr("failure 403 FORBIDDEN - Task hidden not exposed"));
  EXPECT_THAT(told({.target = ClientCall::Target::discovery}), HasSubstr("\"tasks\":[\"plain\""));
  testing::ServerDriver typed;
  typed.answer = TypedFailure{"app.x", "m", Value::object({{"need", 7}})};
  EXPECT_EQ(told({.id = "full"}, typed), "failure 500 INTERNAL_ERROR app.x m {\"need\":7}");
  testing::ServerDriver busy;
  busy.answer = Error{ErrorCode::overloaded, "no"};
  EXPECT_THAT(told({.id = "full"}, busy), HasSubstr("repeat after 1"));
}

}  // namespace
}  // namespace cordon::tunnel
