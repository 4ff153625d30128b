// What a client may cost a tunnel: patterns, shared nodes, answers, memory, and the time of others.

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "running_server.h"
#include <gtest/gtest.h>

namespace cordon::tunnel_test {
namespace {

// A graph whose nodes each hold the next one twice: 2^levels nodes as a tree.
std::string doubling(int levels, const std::string& key = "input") {
  std::string nodes = R"("r":{"kind":"object","value":{")" + key + R"(":{"__ref":"n0"}}})";
  for (int i = 0; i < levels; ++i) {
    const std::string next = R"({"__ref":"n)" + std::to_string(i + 1) + "\"}";
    nodes += ",\"n" + std::to_string(i) + R"(":{"kind":"object","value":{"a":)" + next +
             ",\"b\":" + next + "}}";
  }
  nodes += ",\"n" + std::to_string(levels) + R"(":{"kind":"array","value":[1]})";
  return R"({"__graph":true,"version":1,"root":{"__ref":"r"},"nodes":{)" + nodes + "}}";
}

std::string patterns(const std::string& prefix, int count) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    list += (i == 0 ? "" : ",") + (R"({"__type":"RegExp","value":{"pattern":")" + prefix) +
            std::to_string(i) + R"(","flags":""}})";
  }
  return "{\"input\":[" + list + "]}";
}

constexpr std::size_t limit = std::size_t{1} << 20;  // of answers

void set_up(Server& server) {
  server.task("same", [](Value input) -> Result<Value> { return input; });
  server.task("size", [](Value input) -> Result<Value> { return input.size(); });
  server.task("object", [](Value) -> Result<Value> { return "let in"; });
  server.input_schema("object", Value::object({{"type", "object"}}));
  server.task("unique", [](Value) -> Result<Value> { return "let in"; });
  server.input_schema("unique", Value::object({{"uniqueItems", true}}));
  server.task("text", [](Value input) -> Result<Value> {
    return std::string(static_cast<std::size_t>(input.as_number()), 'x');
  });
  server.task("holes", [](Value input) -> Result<Value> {
    return Value::array_from(std::vector<Value>(static_cast<std::size_t>(input.as_number())));
  });
  server.task("typed", [](Value input) -> TaskAnswer {
    return TypedError{"app.errors.large", "large",
                      std::string(static_cast<std::size_t>(input.as_number()), 'x')};
  });
  server.task("echo", [](TaskCall& call) -> TaskAnswer { return StreamedResult{call.body}; });
  server.task("contexts", [](TaskCall& call) -> Result<Value> { return call.contexts; });
  server.event("event", [](Value) -> Result<Value> { return Value(); });
}

class Costs : public testing::Test {
 protected:
  Response task(const std::string& id, const std::string& body, const std::string& head = "") {
    return server_.post("/__runner/task/" + id, body, head);
  }

  RunningServer server_{{.auth = {.tokens = {"secret"}},
                         .contexts = {"ctx"},
                         .limits = {.response_bytes = limit},
                         .threads = 1},
                        set_up};
};

TEST_F(Costs, APayloadHasFiftyNewPatterns) {
  EXPECT_EQ(task("size", patterns("a", 50)).body, R"({"ok":true,"result":50})");
  const Response many = task("size", patterns("b", 51));
  EXPECT_EQ(many.status, 400U);
  EXPECT_EQ(many.body,
            R"({"ok":false,"error":{"message":"Invalid JSON body","code":"INVALID_JSON"}})");
  // Those that were asked for before cost nothing.
  EXPECT_EQ(task("size", patterns("a", 50)).status, 200U);
}

TEST_F(Costs, ContextsWithNewPatternsAreReadAllTheSame) {
  const std::string header =
      "x-runner-context: {\"ctx\":\"{\\\"__type\\\":\\\"RegExp\\\",\\\"value\\\":"
      "{\\\"pattern\\\":\\\"ctx+\\\",\\\"flags\\\":\\\"g\\\"}}\"}\r\n";
  EXPECT_EQ(
      task("contexts", "", header).body,
      R"({"ok":true,"result":{"ctx":{"__type":"RegExp","value":{"pattern":"ctx+","flags":"g"}}}})");
}

TEST_F(Costs, SharedNodesAreCheckedWhereTheyAre) {
  EXPECT_EQ(task("object", doubling(60)).body, R"({"ok":true,"result":"let in"})");
}

TEST_F(Costs, SharedNodesAreAnsweredOnce) {
  const Response same = task("same", doubling(60));
  EXPECT_EQ(same.status, 200U);
  EXPECT_TRUE(same.body.starts_with(R"({"__graph":true)")) << same.body.substr(0, 100);
  EXPECT_LT(same.body.size(), 10'000U);
  const Response event = server_.post("/__runner/event/event", [] {
    std::string body = doubling(60, "payload");
    const std::string key = R"({"kind":"object","value":{"payload":)";
    return body.replace(body.find(key), key.size(),
                        R"({"kind":"object","value":{"returnPayload":true,"payload":)");
  }());
  EXPECT_EQ(event.status, 200U);
  EXPECT_LT(event.body.size(), 10'000U);
  // A little sharing stays a tree, which people can read.
  EXPECT_FALSE(task("same", doubling(3)).body.starts_with(R"({"__graph")"));
}

TEST_F(Costs, AnswersHaveALimit) {
  EXPECT_EQ(task("text", "100000").body.size(), 100'000U + 23U);
  EXPECT_EQ(task("text", std::to_string(limit - 2)).status, 200U);
  const Response past = task("text", std::to_string(limit));
  EXPECT_EQ(past.status, 500U);
  EXPECT_EQ(past.body,
            R"({"ok":false,"error":{"message":"Internal Error","code":"INTERNAL_ERROR"}})");
  EXPECT_EQ(task("holes", "1000000").status, 500U);
  EXPECT_EQ(task("typed", "1000").body.size(), 1000U + 98U);
  EXPECT_EQ(task("typed", std::to_string(limit)).body, past.body);
}

TEST_F(Costs, StreamedAnswersHaveNone) {
  const std::string bytes(3 * limit, 'y');
  const Response echo = task("echo", bytes, "content-type: application/octet-stream\r\n");
  EXPECT_EQ(echo.status, 200U);
  EXPECT_EQ(echo.body, bytes);
}

TEST_F(Costs, OthersAreServedWhileAnInputIsChecked) {
  // Two values that look alike and are none: comparing them never ends.
  std::string body = doubling(60);
  const std::string other = doubling(60);
  const std::size_t first = other.find("\"n0\":");
  std::string nodes = other.substr(first, other.size() - first - 2);
  for (std::size_t at = nodes.find("\"n"); at != std::string::npos; at = nodes.find("\"n", at + 2))
    nodes[at + 1] = 'm';
  body.insert(body.size() - 2,
              "," + nodes + R"(,"l":{"kind":"array","value":[{"__ref":"n0"},{"__ref":"m0"}]})");
  body.replace(body.find(R"({"__ref":"n0"}})"), 14, R"({"__ref":"l"})");

  HttpPeer slow(server_.port());
  slow.send("POST /__runner/task/unique HTTP/1.1\r\nhost: x\r\n" + std::string(token) +
            "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  // The server has one thread that serves, and has all of the slow request when it sees this one.
  EXPECT_EQ(task("size", "[1,2]").body, R"({"ok":true,"result":2})");
  EXPECT_THROW(slow.receive(HttpPeer::Body::expected, std::chrono::milliseconds(1)),
               std::runtime_error);
  const Response checked = slow.receive();
  EXPECT_EQ(checked.status, 400U);
  EXPECT_EQ(
      checked.body,
      R"({"ok":false,"error":{"message":"Input validation failed: takes too much to check","code":"VALIDATION_ERROR"}})");
}

TEST_F(Costs, AClientThatGoesTakesItsWorkAlong) {
  for (int i = 0; i < 20; ++i) {
    HttpPeer gone(server_.port());
    const std::string body = patterns("gone" + std::to_string(i), 40);
    gone.send("POST /__runner/task/size HTTP/1.1\r\nhost: x\r\n" + std::string(token) +
              "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    gone.vanish();
  }
  EXPECT_EQ(task("size", patterns("here", 40)).body, R"({"ok":true,"result":40})");
}

TEST(CostsOfMemory, RequestsUnderWayHaveABound) {
  RunningServer server({.auth = {.tokens = {"secret"}}, .memory_bytes = std::size_t{8} << 20},
                       set_up);
  const auto ask = [&](const std::string& body) {
    return server.post("/__runner/task/size", body);
  };
  std::string large = "[0";
  for (int i = 0; i < 500'000; ++i) large += ",0";
  large += ']';
  for (int i = 0; i < 3; ++i) {
    const Response refused = ask(large);  // half of it is one client's, and this takes 10 MB
    EXPECT_EQ(refused.status, 503U);
    EXPECT_EQ(refused.headers.at("retry-after"), "1");
    EXPECT_EQ(refused.body,
              R"({"ok":false,"error":{"message":"Server overloaded","code":"OVERLOADED"}})");
  }
  // All was given back.
  EXPECT_EQ(ask("[" + std::string(100'000, ' ') + "1]").status, 200U);
  EXPECT_EQ(ask("[1]").status, 200U);
}

TEST(CostsOfMemory, BodiesThatDoNotComeToAnEndAreCounted) {
  RunningServer server({.auth = {.tokens = {"secret"}}, .memory_bytes = std::size_t{4} << 20},
                       set_up);
  const std::string head = "POST /__runner/task/size HTTP/1.1\r\nhost: x\r\n" + std::string(token) +
                           "content-length: 1500000\r\n\r\n";
  HttpPeer first(server.port());
  first.send(head + std::string(1'400'000, ' '));
  // The two mebibytes of one client leave no room for another body, once the server has read the
  // first. If both are read at the same time, the first may be the one that asks for too much.
  Response refused;
  for (int i = 0; i < 1000 && refused.status != 503; ++i)
    refused = server.post("/__runner/task/size", "[1]" + std::string(1'000'000, ' '));
  if (refused.status != 503) refused = first.receive();
  EXPECT_EQ(refused.status, 503U);
  first.vanish();
  EXPECT_EQ(server.post("/__runner/task/size", "[1]").status, 200U);
}

TEST(CostsOfManifests, NamesNoMoreFilesThanThereMayBe) {
  RunningServer server({.auth = {.tokens = {"secret"}}}, set_up);
  std::string files;
  for (int i = 0; i < 11; ++i) {
    files += (i == 0 ? "" : ",") + (R"({"$runnerFile":"File","id":"f)" + std::to_string(i)) + "\"}";
  }
  const std::string body =
      "--b\r\ncontent-disposition: form-data; name=\"__manifest\"\r\n\r\n{\"input\":[" + files +
      "]}\r\n--b--\r\n";
  const Response many =
      server.post("/__runner/task/same", body, "content-type: multipart/form-data; boundary=b\r\n");
  EXPECT_EQ(many.status, 413U);
  EXPECT_EQ(
      many.body,
      R"({"ok":false,"error":{"message":"Files limit exceeded","code":"PAYLOAD_TOO_LARGE"}})");
}

}  // namespace
}  // namespace cordon::tunnel_test
