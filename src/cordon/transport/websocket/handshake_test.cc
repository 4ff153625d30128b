#include "cordon/transport/websocket/handshake.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/transport/http/head_parser.h"

namespace cordon::transport::websocket {
namespace {

using http::Header;

const std::vector<Header> usual = {{"host", "localhost"},
                                   {"upgrade", "websocket"},
                                   {"connection", "Upgrade"},
                                   {"sec-websocket-version", "13"},
                                   {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="}};

http::RequestHead request(const std::vector<Header>& more = {}, std::string target = "/runner") {
  http::RequestHead head;
  head.method = "GET";
  head.target = std::move(target);
  head.headers = usual;
  head.headers.insert(head.headers.end(), more.begin(), more.end());
  return head;
}

http::RequestHead changed(std::string_view name, const std::string& value) {
  http::RequestHead head = request();
  for (Header& header : head.headers) {
    if (header.name == name) header.value = value;
  }
  return head;
}

unsigned status_of(const http::RequestHead& head, const Rules& rules = {.path = "/runner"}) {
  return answer_to(head, rules).status;
}

std::string header_of(const http::ResponseHead& head, std::string_view name) {
  for (const Header& header : head.headers) {
    if (header.name == name) return header.value;
  }
  return "none";
}

TEST(WebSocketHandshake, AnswersAsTheSpecificationHasIt) {
  EXPECT_EQ(accept_value("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  const http::ResponseHead answer = answer_to(request(), {.path = "/runner"});
  EXPECT_EQ(answer.status, 101u);
  EXPECT_EQ(header_of(answer, "upgrade"), "websocket");
  EXPECT_EQ(header_of(answer, "sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(WebSocketHandshake, TakesNamesInAnyCaseAndInLists) {
  EXPECT_EQ(status_of(changed("connection", "keep-alive, UPGRADE")), 101u);
  EXPECT_EQ(status_of(changed("upgrade", "h2c, WebSocket")), 101u);
  EXPECT_EQ(status_of(request({}, "/runner?room=1")), 101u);
}

TEST(WebSocketHandshake, RefusesWhatIsNoUpgrade) {
  EXPECT_EQ(status_of(changed("connection", "keep-alive")), 426u);
  EXPECT_EQ(status_of(changed("upgrade", "h2c")), 426u);
  EXPECT_EQ(status_of(changed("upgrade", "notwebsocket")), 426u);
  http::RequestHead head = request();
  head.method = "POST";
  EXPECT_EQ(status_of(head), 426u);
  head = request();
  head.minor_version = 0;
  EXPECT_EQ(status_of(head), 426u);
  EXPECT_EQ(status_of(request({}, "/")), 404u);
  EXPECT_EQ(status_of(request({}, "/runner/")), 404u);
}

TEST(WebSocketHandshake, SaysWhichVersionItSpeaks) {
  const http::ResponseHead answer =
      answer_to(changed("sec-websocket-version", "8"), {.path = "/runner"});
  EXPECT_EQ(answer.status, 426u);
  EXPECT_EQ(header_of(answer, "sec-websocket-version"), "13");
}

TEST(WebSocketHandshake, WantsAKeyOfSixteenBytes) {
  for (const char* const key : {"", "dGhl", "dGhlIHNhbXBsZSBub25jZSE=", "not base64, is it?"})
    EXPECT_EQ(status_of(changed("sec-websocket-key", key)), 400u) << key;
}

TEST(WebSocketHandshake, RefusesTwoOfWhatThereIsOneOf) {
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"upgrade", "websocket"},
           {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="},
           {"sec-websocket-version", "13"}}) {
    EXPECT_EQ(status_of(request({{name, value}})), 400u) << name;
  }
  for (const std::string name : {"authorization", "origin"})
    EXPECT_EQ(status_of(request({{name, "a"}, {name, "a"}})), 400u) << name;
  http::RequestHead with_body = request();
  with_body.has_body = true;
  EXPECT_EQ(status_of(with_body), 400u);
}

TEST(WebSocketHandshake, LetsNoPageInUnlessItsOriginIsAllowed) {
  const Rules rules{.path = "/runner", .origins = {"https://app.example"}};
  EXPECT_EQ(status_of(request(), rules), 101u);
  EXPECT_EQ(status_of(request({{"origin", "https://app.example"}}), rules), 101u);
  for (const char* const origin : {"https://evil.example", "null", "", "https://app.example/"})
    EXPECT_EQ(status_of(request({{"origin", origin}}), rules), 403u) << origin;
}

TEST(WebSocketHandshake, AsksForTheToken) {
  const Rules rules{.path = "/runner", .token = "open sesame"};
  EXPECT_EQ(status_of(request({{"authorization", "Bearer open sesame"}}), rules), 101u);
  EXPECT_EQ(status_of(request({{"authorization", "bearer open sesame"}}), rules), 101u);
  for (const char* const said : {"Bearer", "Bearer open", "open sesame", "Basic open sesame", ""})
    EXPECT_EQ(status_of(request({{"authorization", said}}), rules), 401u) << said;
  EXPECT_EQ(header_of(answer_to(request(), rules), "www-authenticate"), "Bearer");
}

}  // namespace
}  // namespace cordon::transport::websocket
