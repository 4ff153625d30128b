// Signed calls, and what else Runner 6 brought, with tasks in C++: over real sockets.

#include <chrono>
#include <memory>
#include <string>

#include "running_server.h"
#include <gtest/gtest.h>

#include "cordon/protocol/tunnel/body_hash.h"
#include "cordon/protocol/tunnel/lane.h"

namespace cordon::tunnel_test {
namespace {

using namespace cordon::tunnel;

constexpr const char* secret = "a secret of thirty-two bytes, ok";

class OnePiece final : public ByteSource {
 public:
  void read(Next next) override { next(std::exchange(piece_, Bytes())); }
  void close() override {}

 private:
  Bytes piece_ = {'a', ',', 'b'};
};

void set_up(Server& server) {
  server.task("add", [](Value input) -> Result<Value> {
    return input["a"].value_or(0.0) + input["b"].value_or(0.0);
  });
  server.task("gone", [](Value) -> TaskAnswer { return TypedError{"app.gone", "gone", 1, 410}; });
  server.task("odd", [](Value) -> TaskAnswer { return TypedError{"app.odd", "odd", 1, 204}; });
  server.task("part", [](Value input) -> TaskAnswer {
    StreamedResult result{std::make_shared<OnePiece>()};
    result.status = 206;
    result.headers = {{std::string(input["name"].as_string()), "1"}, {"Content-Type", "text/csv"}};
    return result;
  });
  for (const char* id : {"all", "own"})
    server.task(id, [](TaskCall& call) -> Result<Value> { return call.contexts; });
  server.contexts("own", {"tenant"});
}

ServerOptions options() {
  ServerOptions made;
  made.auth.tokens = {"secret"};
  made.contexts = {"user"};
  made.discovery = false;
  made.lanes = {{"sums", LaneRules{.tasks = {"add"}, .secret = secret}}};
  return made;
}

class Lanes : public testing::Test {
 protected:
  std::string signed_head(const std::string& target, const std::string& body) const {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const LaneSigner signer(LaneKey::of_secret(secret).value());
    const HttpHeader header =
        signer.sign({"sums", LaneKind::task, target, body_hash(body)}, now).value();
    return header.name + ": " + header.value + "\r\n";
  }

  RunningServer server_{options(), set_up};
};

TEST_F(Lanes, LetSignedCallsIn) {
  const std::string body = R"({"input":{"a":1,"b":2}})";
  EXPECT_EQ(server_.post("/__runner/task/add", body, signed_head("add", body)).body,
            R"({"ok":true,"result":3})");
  const std::string refused =
      R"({"ok":false,"error":{"message":"Unauthorized","code":"UNAUTHORIZED"}})";
  for (const std::string& head :
       {std::string(), signed_head("add", "{}"), signed_head("part", body),
        signed_head("add", body) + signed_head("add", body)}) {
    const Response response = server_.post("/__runner/task/add", body, head);
    EXPECT_EQ(response.status, 401u);
    EXPECT_EQ(response.body, refused);
  }
}

TEST_F(Lanes, AreNotAskedForDiscoveryWhichMayBeTurnedOff) {
  EXPECT_EQ(server_.ask("GET", "/__runner/discovery", token).status, 404u);
}

TEST_F(Lanes, StandBesideErrorsWithAStatus) {
  const Response gone = server_.post("/__runner/task/gone", "{}");
  EXPECT_EQ(gone.status, 410u);
  EXPECT_EQ(gone.body,
            R"({"ok":false,"error":{"message":"gone","code":"INTERNAL_ERROR","id":"app.gone",)"
            R"("data":1,"httpCode":410}})");
  EXPECT_EQ(server_.post("/__runner/task/odd", "{}").status, 500u);
}

TEST_F(Lanes, StandBesideStreamsWithAHead) {
  const Response part = server_.post("/__runner/task/part", R"({"input":{"name":"x-rows"}})");
  EXPECT_EQ(part.status, 206u);
  EXPECT_EQ(part.body, "a,b");
  EXPECT_EQ(part.headers.at("x-rows"), "1");
  EXPECT_EQ(part.headers.at("content-type"), "text/csv");
  const Response wrong = server_.post("/__runner/task/part", R"({"input":{"name":"upgrade"}})");
  EXPECT_EQ(wrong.status, 500u);
  EXPECT_EQ(wrong.headers.count("upgrade"), 0u);
}

TEST_F(Lanes, StandBesideContextsOfSingleTasks) {
  const std::string head =
      "x-runner-context: {\"user\":\"\\\"ann\\\"\",\"tenant\":\"\\\"t1\\\"\"}\r\n";
  EXPECT_EQ(server_.post("/__runner/task/all", "{}", head).body,
            R"({"ok":true,"result":{"user":"ann"}})");
  EXPECT_EQ(server_.post("/__runner/task/own", "{}", head).body,
            R"({"ok":true,"result":{"tenant":"t1"}})");
}

}  // namespace
}  // namespace cordon::tunnel_test
