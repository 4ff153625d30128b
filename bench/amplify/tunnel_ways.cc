// Requests to the tunnel, with the token: from the socket to a task in C++ and back.

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "amplify/plain_client.h"
#include "amplify/way.h"

#include "cordon/base/base64.h"
#include "cordon/base/bytes.h"
#include "cordon/json.h"
#include "cordon/protocol/tunnel/lane.h"
#include "cordon/server.h"

namespace cordon::amplify {
namespace {

class Tunnel {
 public:
  Tunnel() : server_(options()) {
    server_.task("swallow", [](Value) -> Result<Value> { return Value(1); });
    server_.task("echo", [](Value input) -> Result<Value> { return input; });
    server_.task("checked", [](Value) -> Result<Value> { return Value(1); });
    server_.input_schema("checked", *from_json(R"({"type":"object"})"));
    const Result<> opened = server_.open();
    if (!opened) throw std::runtime_error(to_string(opened.error()));
    const std::string url = server_.urls().front();
    port_ = static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
    thread_ = std::jthread([this] { (void)server_.run(); });
    (void)ask("swallow", "content-type: application/json\r\n", "1");
  }
  ~Tunnel() {
    server_.stop();
    thread_.join();
  }

  std::string ask(std::string_view task, std::string_view head, std::string_view body) const {
    PlainClient client(port_);
    std::string request = "POST /__runner/task/";
    request += task;
    request += " HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx-runner-token: secret\r\n";
    request += head;
    request += "content-length: " + std::to_string(body.size()) + "\r\n\r\n";
    client.send(request);
    client.send(body);
    client.read_to_end();
    return client.first_line();
  }

 private:
  static ServerOptions options() {
    ServerOptions made;
    made.listen = {"127.0.0.1:0"};
    made.auth.tokens = {"secret"};
    made.threads = 1;
    made.contexts = {"a"};
    made.limits.json_bytes = 8'388'608;
    return made;
  }

  Server server_;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

const Tunnel& tunnel() {
  static const Tunnel made;
  return made;
}

Attack asking(std::string task, std::string head, std::string body, std::size_t in) {
  const Tunnel& shared = tunnel();
  auto kept = std::make_shared<const std::string>(std::move(body));
  return {.in = in, .run = [=, &shared] { return Outcome{.text = shared.ask(task, head, *kept)}; }};
}

const std::string json = "content-type: application/json\r\n";

Input with_body(std::string name, std::string task, std::string first, std::string part,
                std::string last) {
  return {std::move(name), [=](std::size_t size) {
            std::string body = repeated_to(size, first, part, last);
            const std::size_t in = body.size();
            return asking(task, json, std::move(body), in);
          }};
}

// Each node is twice the next: as a tree it would be as large as two to the number of them.
std::string doubling(std::size_t levels, const std::string& leaf) {
  std::string text = R"({"__graph":true,"version":1,"root":{"a":{"__ref":"0"}},"nodes":{)";
  for (std::size_t i = 0; i < levels; ++i) {
    const std::string next = R"({"__ref":")" + std::to_string(i + 1) + "\"}";
    text += "\"" + std::to_string(i) + R"(":{"kind":"array","value":[)" + next + "," + next + "]},";
  }
  return text + "\"" + std::to_string(levels) + R"(":{"kind":"array","value":[)" + leaf + "]}}}";
}

Input shared_nodes(std::string name, std::string task) {
  return {std::move(name), [=](std::size_t size) {
            // A few levels, on a body of the size.
            constexpr std::size_t levels = 24;
            std::string body = doubling(levels, "\"" + std::string(size, 'x') + "\"");
            const std::size_t in = body.size();
            return asking(task, json, std::move(body), in);
          }};
}

Way body_way() {
  return {.name = "tunnel: JSON body",
          .inputs = {with_body("`[0,0,…`", "swallow", "[0", ",0", "]"),
                     with_body("`[[],[],…`", "swallow", "[[]", ",[]", "]"),
                     with_body("`[0,0,…`, checked", "checked", "{\"a\":[0", ",0", "]}"),
                     with_body("`[0,0,…` and back", "echo", "[0", ",0", "]"),
                     shared_nodes("shared nodes, checked", "checked"),
                     shared_nodes("shared nodes and back", "echo"),
                     {"a context of 15 KB",
                      [](std::size_t) {
                        const std::string context =
                            "x-runner-context: " + repeated_to(15'000, "{\"a\":[0", ",0", "]}") +
                            "\r\n";
                        return asking("swallow", json + context, "1", context.size());
                      }}},
          .fixed_bytes = std::size_t{40} << 20,
          .limited_by =
              "the body's limit; 24 bytes for each byte, 32 MiB at least; the answer's "
              "limit"};
}

Way multipart_way() {
  const std::string head = "content-type: multipart/form-data; boundary=b\r\n";
  const auto fields = [=](std::size_t size) {
    std::string body = repeated_to(
        size, "--b\r\ncontent-disposition: form-data; name=\"__manifest\"\r\n\r\n{\"input\":1}",
        "\r\n--b\r\ncontent-disposition: form-data; name=\"\"\r\n\r\n", "\r\n--b--\r\n");
    const std::size_t in = body.size();
    return asking("swallow", head, std::move(body), in);
  };
  const auto manifest = [=](std::size_t size) {
    std::string body = repeated_to(
        size, "--b\r\ncontent-disposition: form-data; name=\"__manifest\"\r\n\r\n{\"input\":[0",
        R"(,{"$runnerFile":"File","id":"a","meta":{"name":"a"}})", "]}\r\n--b--\r\n");
    const std::size_t in = body.size();
    return asking("swallow", head, std::move(body), in);
  };
  const auto numbers = [=](std::size_t size) {
    std::string body = repeated_to(
        size, "--b\r\ncontent-disposition: form-data; name=\"__manifest\"\r\n\r\n{\"input\":[0",
        ",0", "]}\r\n--b--\r\n");
    const std::size_t in = body.size();
    return asking("swallow", head, std::move(body), in);
  };
  const auto parameters = [=](std::size_t size) {
    std::string body = repeated_to(size, "--b\r\ncontent-disposition: form-data", "; a=b",
                                   "\r\n\r\n\r\n--b--\r\n");
    const std::size_t in = body.size();
    return asking("swallow", head, std::move(body), in);
  };
  const auto edges = [=](std::size_t size) {
    std::string body = repeated_to(
        size, "--b\r\ncontent-disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n", "\r\n--",
        "\r\n--b--\r\n");
    const std::size_t in = body.size();
    return asking("swallow", head, std::move(body), in);
  };
  return {.name = "tunnel: multipart",
          .inputs = {{"fields of nothing", fields},
                     {"files in the manifest", manifest},
                     {"numbers in the manifest", numbers},
                     {"parameters of a part", parameters},
                     {"beginnings of boundaries", edges}},
          .fixed_bytes = std::size_t{40} << 20,
          .limited_by = "100 fields of 1 MiB, 10 files, 16 KiB of a part's head"};
}

// Tokens of a lane, one after the other, in requests that have no body.
Input with_tokens(std::string name, std::string_view claims, std::size_t signature_bytes) {
  using namespace tunnel;
  constexpr const char* key =
      "-----BEGIN PUBLIC KEY-----\n"
      "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
      "-----END PUBLIC KEY-----\n";
  const auto lane =
      Lane::create("l", {.mode = LaneMode::asymmetric, .public_keys = {{"k", key}}}).value();
  HttpRequestHead head;
  head.headers.push_back({"authorization", "Bearer " +
                                               to_base64url(as_bytes(R"({"alg":"EdDSA"})")) + "." +
                                               to_base64url(as_bytes(claims)) + "." +
                                               to_base64url(Bytes(signature_bytes, 7))});
  return {std::move(name), [lane, head](std::size_t size) {
            const std::size_t each = head.headers.front().value.size();
            const std::size_t count = std::max<std::size_t>(1, size / each);
            return Attack{.in = count * each, .run = [lane, head, count] {
                            Outcome outcome;
                            for (std::size_t i = 0; i < count; ++i) {
                              const auto told = lane->check(head, LaneKind::task, "t", LaneTime());
                              outcome.text = told ? "read" : told.error().message;
                            }
                            return outcome;
                          }};
          }};
}

Way lane_way() {
  std::string objects = R"({"a":[{})";
  while (objects.size() < 6'000) objects += ",{}";
  return {.name = "tunnel: token of a lane",
          .inputs = {with_tokens("objects", objects + "]}", 64),
                     with_tokens("wrong signatures",
                                 R"({"lane":"l","cap":"produce","kind":"rpc-task","target":"t",)"
                                 R"("iat":0,"exp":9})",
                                 64)},
          .fixed_bytes = std::size_t{1} << 20,
          .limited_by = "8 KiB, and one signature for each request"};
}

}  // namespace

std::vector<Way> tunnel_ways() { return {body_way(), multipart_way(), lane_way()}; }

}  // namespace cordon::amplify
