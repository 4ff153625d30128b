// The tunnel over real sockets, with tasks in C++: the order of checks, the error table, JSON and
// events.

#include "running_server.h"
#include <gtest/gtest.h>

namespace cordon::tunnel_test {
namespace {

void set_up(Server& server) {
  server.task("app.tasks.add", [](Value input) -> Result<Value> {
    return input["a"].value_or(0.0) + input["b"].value_or(0.0);
  });
  server.task("app.tasks/sub", [](Value input) -> Result<Value> { return input; });
  server.task("app.tasks.fail", [](Value) -> Result<Value> {
    return fail(ErrorCode::io, "the password is hunter2");
  });
  server.task("app.tasks.throw",
              [](Value) -> Result<Value> { throw std::runtime_error("the password is hunter2"); });
  server.task("app.tasks.typed", [](Value input) -> TaskAnswer {
    return TypedError{"app.errors.few", "too few", input};
  });
  server.task("app.tasks.busy",
              [](Value) -> Result<Value> { return fail(ErrorCode::overloaded, "later"); });
  server.task("app.tasks.request", [](TaskCall& call) -> Result<Value> {
    return Value::object({{"method", call.method},
                          {"url", call.url},
                          {"headers", call.headers},
                          {"contexts", call.contexts},
                          {"requestId", call.request_id},
                          {"traceparent", call.traceparent}});
  });
  server.event("app.events.notify", [](Value payload) -> Result<Value> {
    return payload.is_object() ? payload.with("seen", true) : Value();
  });
  server.event(
      "app.events.parallel", [](Value) -> Result<Value> { return Value(); },
      Server::EventKind::parallel);
  server.task("app.tasks.checked", [](Value input) -> Result<Value> { return input; });
  server.input_schema("app.tasks.checked",
                      Value::object({{"type", "object"}, {"required", Value::array({"a"})}}));
}

class Tunnel : public testing::Test {
 protected:
  RunningServer server_{{.auth = {.tokens = {"other", "secret"}}, .contexts = {"app.ctx.tenant"}},
                        set_up};

  void expect_error(const Response& response, unsigned status, const std::string& message,
                    const std::string& code) {
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.body,
              R"({"ok":false,"error":{"message":")" + message + R"(","code":")" + code + R"("}})");
    EXPECT_EQ(response.headers.at("content-type"), "application/json; charset=utf-8");
    expect_security(response);
  }

  void expect_security(const Response& response) {
    EXPECT_EQ(response.headers.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(response.headers.at("x-frame-options"), "DENY");
  }
};

TEST_F(Tunnel, AnswersJsonWithItsEnvelope) {
  const Response response =
      server_.post("/__runner/task/app.tasks.add", R"({"input":{"a":1,"b":2}})",
                   "content-type: application/json\r\n");
  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.body, R"({"ok":true,"result":3})");
  EXPECT_EQ(response.headers.at("content-type"), "application/json; charset=utf-8");
  EXPECT_EQ(response.headers.at("access-control-allow-origin"), "*");
  EXPECT_EQ(response.headers.at("x-runner-request-id").size(), 36U);
  expect_security(response);
}

TEST_F(Tunnel, TakesBareInputsAndNone) {
  EXPECT_EQ(server_.post("/__runner/task/app.tasks/sub", "[1,2]").body,
            R"({"ok":true,"result":[1,2]})");
  EXPECT_EQ(server_.post("/__runner/task/app.tasks%2Fsub", "").body,
            R"({"ok":true,"result":{"__type":"Undefined","value":null}})");
  EXPECT_EQ(server_
                .post("/__runner/task/app.tasks/sub/",
                      R"({"__type":"Date","value":"1970-01-01T00:00:00.000Z"})")
                .body,
            R"({"ok":true,"result":{"__type":"Date","value":"1970-01-01T00:00:00.000Z"}})");
}

TEST_F(Tunnel, ChecksInTheOrderOfTheReference) {
  expect_error(server_.ask("POST", "/x"), 404, "Not Found", "NOT_FOUND");
  expect_error(server_.ask("GET", "/__runner/zzz"), 404, "Not Found", "NOT_FOUND");
  expect_error(server_.post("/__runner/task/a%zz", ""), 404, "Not Found", "NOT_FOUND");
  const Response method = server_.ask("GET", "/__runner/task/zzz");
  expect_error(method, 405, "Method Not Allowed", "METHOD_NOT_ALLOWED");
  EXPECT_EQ(method.headers.at("allow"), "POST, OPTIONS");
  expect_error(server_.ask("POST", "/__runner/task/zzz"), 401, "Unauthorized", "UNAUTHORIZED");
  expect_error(server_.post("/__runner/task/zzz", "{"), 403, "Task zzz not exposed", "FORBIDDEN");
  expect_error(server_.post("/__runner/event/zzz", "{"), 403, "Event zzz not exposed", "FORBIDDEN");
  expect_error(server_.post("/__runner/task/app.tasks.add", "{"), 400, "Invalid JSON body",
               "INVALID_JSON");
}

TEST_F(Tunnel, BlanksAndByteOrderMarksAreNoJson) {
  for (const char* body : {" ", "\xef\xbb\xbf{}", "{\"input\":{\"__type\":\"Nope\",\"value\":1}}"})
    expect_error(server_.post("/__runner/task/app.tasks.add", body), 400, "Invalid JSON body",
                 "INVALID_JSON");
}

TEST_F(Tunnel, LetsInWithAnyOfTheTokensAndOnlyOnce) {
  const auto status = [&](std::string_view head) {
    return server_.ask("POST", "/__runner/task/app.tasks.add", head).status;
  };
  EXPECT_EQ(status("x-runner-token: other\r\n"), 200U);
  EXPECT_EQ(status("X-Runner-Token: secret\r\n"), 200U);
  EXPECT_EQ(status("x-runner-token: secre\r\n"), 401U);
  EXPECT_EQ(status("x-runner-token: secretsecret\r\n"), 401U);
  EXPECT_EQ(status("x-runner-token:\r\n"), 401U);
  EXPECT_EQ(status("x-runner-token: secret\r\nx-runner-token: secret\r\n"), 401U);
}

TEST_F(Tunnel, TellsNothingOfFailures) {
  for (const char* task : {"fail", "throw"})
    expect_error(server_.post("/__runner/task/app.tasks." + std::string(task), "1"), 500,
                 "Internal Error", "INTERNAL_ERROR");
}

TEST_F(Tunnel, KeepsTypedErrors) {
  const Response response = server_.post("/__runner/task/app.tasks.typed", R"({"left":1})");
  EXPECT_EQ(response.status, 500U);
  EXPECT_EQ(
      response.body,
      R"({"ok":false,"error":{"message":"too few","code":"INTERNAL_ERROR","id":"app.errors.few","data":{"left":1}}})");
}

TEST_F(Tunnel, SaysWhenToTryAgain) {
  const Response response = server_.post("/__runner/task/app.tasks.busy", "1");
  EXPECT_EQ(response.status, 503U);
  EXPECT_TRUE(response.body.contains("\"OVERLOADED\"")) << response.body;
  EXPECT_EQ(response.headers.at("retry-after"), "1");
}

TEST_F(Tunnel, ChecksInputsAgainstTheirSchemas) {
  EXPECT_EQ(server_.post("/__runner/task/app.tasks.checked", R"({"input":{"a":1}})").status, 200U);
  const Response response = server_.post("/__runner/task/app.tasks.checked", R"({"input":{}})");
  EXPECT_EQ(response.status, 400U);
  EXPECT_TRUE(response.body.contains("\"VALIDATION_ERROR\"")) << response.body;
}

TEST_F(Tunnel, RefusesBodiesPastTheLimit) {
  const std::string large = R"({"input":")" + std::string(2'097'152, 'x') + "\"}";
  expect_error(server_.post("/__runner/task/app.tasks.add", large), 413, "Payload too large",
               "PAYLOAD_TOO_LARGE");
  HttpPeer peer(server_.port());
  peer.send("POST /__runner/task/app.tasks.add HTTP/1.1\r\nhost: x\r\n" + std::string(token) +
            "transfer-encoding: chunked\r\n\r\n");
  for (int i = 0; i < 33; ++i) peer.send("10000\r\n" + std::string(65536, ' ') + "\r\n");
  expect_error(peer.receive(), 413, "Payload too large", "PAYLOAD_TOO_LARGE");
}

TEST_F(Tunnel, DoesNotAskForABodyThatIsTooLarge) {
  HttpPeer peer(server_.port());
  peer.send("POST /__runner/task/app.tasks.add HTTP/1.1\r\nhost: x\r\n" + std::string(token) +
            "content-length: 3000000\r\nexpect: 100-continue\r\n\r\n");
  expect_error(peer.receive(), 413, "Payload too large", "PAYLOAD_TOO_LARGE");
}

TEST_F(Tunnel, EventsGiveTheirPayloadBackWhenAsked) {
  EXPECT_EQ(server_.post("/__runner/event/app.events.notify", R"({"payload":{"x":1}})").body,
            R"({"ok":true})");
  EXPECT_EQ(
      server_
          .post("/__runner/event/app.events.notify", R"({"payload":{"x":1},"returnPayload":true})")
          .body,
      R"({"ok":true,"result":{"x":1,"seen":true}})");
  EXPECT_EQ(server_.post("/__runner/event/app.events.notify", R"({"returnPayload":1})").body,
            R"({"ok":true,"result":{"__type":"Undefined","value":null}})");
  EXPECT_EQ(server_.post("/__runner/event/app.events.parallel", R"({"payload":1})").body,
            R"({"ok":true})");
  expect_error(
      server_.post("/__runner/event/app.events.parallel", R"({"returnPayload":true})"), 400,
      "Event app.events.parallel is marked parallel; returning a payload is not supported.",
      "PARALLEL_EVENT_RETURN_UNSUPPORTED");
}

TEST_F(Tunnel, DiscoveryListsWhatIsExposed) {
  const std::string expected =
      R"({"ok":true,"result":{"allowList":{"enabled":true,"tasks":["app.tasks.add","app.tasks/sub","app.tasks.fail","app.tasks.throw","app.tasks.typed","app.tasks.busy","app.tasks.request","app.tasks.checked"],"events":["app.events.notify","app.events.parallel"]}}})";
  EXPECT_EQ(server_.ask("GET", "/__runner/discovery", token).body, expected);
  EXPECT_EQ(server_.post("/__runner/discovery", "").body, expected);
  const Response head = server_.ask("HEAD", "/__runner/discovery", token);
  EXPECT_EQ(head.status, 200U);
  EXPECT_EQ(head.headers.at("content-length"), std::to_string(expected.size()));
  expect_error(server_.ask("GET", "/__runner/discovery"), 401, "Unauthorized", "UNAUTHORIZED");
  expect_error(server_.ask("PUT", "/__runner/discovery"), 405, "Method Not Allowed",
               "METHOD_NOT_ALLOWED");
}

TEST_F(Tunnel, PreflightsNeedNoToken) {
  for (const char* target : {"/__runner/task/app.tasks.add", "/__runner/unknown"}) {
    const Response response = server_.ask(
        "OPTIONS", target, "origin: https://a.example\r\naccess-control-request-headers: x-q\r\n");
    EXPECT_EQ(response.status, 204U);
    EXPECT_EQ(response.headers.at("access-control-allow-methods"), "POST, OPTIONS");
    EXPECT_EQ(response.headers.at("access-control-allow-headers"), "x-q");
    EXPECT_FALSE(response.headers.contains("x-runner-request-id"));
    expect_security(response);
  }
  EXPECT_EQ(server_.ask("OPTIONS", "/x").status, 404U);
}

TEST_F(Tunnel, TasksSeeTheRequest) {
  const Response response = server_.post(
      "/__runner/task/app.tasks.request?q=1", "{}",
      "X-Runner-Request-Id: my-id.1\r\nX-Twice: a\r\nx-twice: b\r\n"
      "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n"
      "x-runner-context: {\"app.ctx.tenant\":\"{\\\"id\\\":7}\",\"app.ctx.other\":\"1\"}\r\n");
  EXPECT_EQ(response.headers.at("x-runner-request-id"), "my-id.1");
  for (const char* part : {R"("method":"POST")", R"("url":"/__runner/task/app.tasks.request?q=1")",
                           R"("x-twice":"a, b")", R"("x-runner-request-id":"my-id.1")",
                           R"("requestId":"my-id.1")", R"("contexts":{"app.ctx.tenant":{"id":7}})",
                           R"("traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-)"})
    EXPECT_TRUE(response.body.contains(part)) << part << " in " << response.body;
}

TEST_F(Tunnel, IdsThatAreNoneGetOneOfOurs) {
  const Response response =
      server_.post("/__runner/task/app.tasks.add", "{}", "x-runner-request-id: a b\r\n");
  EXPECT_EQ(response.headers.at("x-runner-request-id").size(), 36U);
}

TEST_F(Tunnel, OfRepeatedHeadersNoneIsBelieved) {
  const std::string trace =
      "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";
  const std::string id = "x-runner-request-id: one\r\n";
  const std::string context = "x-runner-context: {\"app.ctx.tenant\":\"7\"}\r\n";
  const auto ask = [&](const std::string& head) {
    return server_.post("/__runner/task/app.tasks.request", "{}", head).body;
  };
  const std::string once = ask(trace + id + context);
  EXPECT_TRUE(once.contains(R"("contexts":{"app.ctx.tenant":7},"requestId":"one")")) << once;
  EXPECT_TRUE(once.contains(R"("traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-)")) << once;
  const std::string twice = ask(trace + id + context + context + id + trace);
  EXPECT_TRUE(twice.contains(R"("contexts":{})")) << twice;
  EXPECT_FALSE(twice.contains(R"("requestId":"one")")) << twice;
  EXPECT_TRUE(twice.ends_with(R"("traceparent":""}})")) << twice;
}

TEST_F(Tunnel, AConnectionServesManyRequests) {
  HttpPeer peer(server_.port());
  std::string requests;
  for (int i = 0; i < 100; ++i) {
    const std::string body = R"({"input":{"a":1,"b":)" + std::to_string(i) + "}}";
    requests += "POST /__runner/task/app.tasks.add HTTP/1.1\r\nhost: x\r\n" + std::string(token) +
                "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  peer.send(requests);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(peer.receive().body, R"({"ok":true,"result":)" + std::to_string(i + 1) + "}");
}

TEST(TunnelAuth, WithoutAnyNobodyIsLetIn) {
  const RunningServer server({}, set_up);
  const Response response = server.post("/__runner/task/app.tasks.add", "{}");
  EXPECT_EQ(response.status, 500U);
  EXPECT_EQ(
      response.body,
      R"({"ok":false,"error":{"message":"Authentication not configured.","code":"AUTH_NOT_CONFIGURED"}})");
  const RunningServer open({.auth = {.allow_anonymous = true}}, set_up);
  EXPECT_EQ(open.ask("POST", "/__runner/task/app.tasks.add").status, 200U);
}

TEST(TunnelAuth, ValidatorsLetInWhereTheTokenDidNot) {
  const RunningServer server(
      {.auth = {.tokens = {"secret"}, .allow_anonymous = true}}, [](Server& made) {
        set_up(made);
        made.validator("app.auth.never",
                       [](Value) -> Result<Value> { throw std::runtime_error("a throw is a no"); });
        made.validator("app.auth.check", [](Value input) -> Result<Value> {
          const bool is_fine =
              input["headers"]["x-user"].value_or(std::string()) == "eve" &&
              input["method"].value_or(std::string()) == "POST" &&
              input["path"].value_or(std::string()) == "/__runner/task/app.tasks.add";
          return Value::object({{"ok", is_fine}});
        });
      });
  const auto status = [&](std::string_view head) {
    return server.ask("POST", "/__runner/task/app.tasks.add?x", head).status;
  };
  EXPECT_EQ(status("x-user: eve\r\n"), 200U);
  EXPECT_EQ(status("x-user: bob\r\n"), 401U);
  EXPECT_EQ(status(""), 401U);
  EXPECT_EQ(status(token), 200U);
  EXPECT_EQ(server.post("/__runner/task/app.auth.check", "{}").status, 403U);
}

}  // namespace
}  // namespace cordon::tunnel_test
