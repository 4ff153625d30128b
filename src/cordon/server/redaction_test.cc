#include "cordon/server/redaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::server {
namespace {

using providers::RemoteFailure;
using providers::RemoteFault;

class RedactionTest : public testing::Test {
 protected:
  RemoteFailure hidden(RemoteFailure failure) const {
    Redaction(target).hide_in(failure);
    return failure;
  }
  std::string message(std::string text) const {
    return hidden({.message = std::move(text)}).message;
  }
  Value data(Value shown) const { return hidden({.data = std::move(shown)}).data; }

  config::TunnelTarget target = [] {
    config::TunnelTarget made;
    made.url = "https://10.0.0.7:8443/__runner/inner-path";
    made.token = "hunter2";
    made.headers = {{"x-team", "blue-team"}};
    return made;
  }();
};

TEST_F(RedactionTest, HidesTheUrlAndItsParts) {
  EXPECT_EQ(message("at https://10.0.0.7:8443/__runner/inner-path/task/a"), "at …/task/a");
  EXPECT_EQ(message("at HTTPS://10.0.0.7:8443/__runner/Inner-Path!"), "at …!");
  EXPECT_EQ(message("dial 10.0.0.7:8443: no"), "dial …: no");
  EXPECT_EQ(message("dial 10.0.0.7: no"), "dial …: no");
  EXPECT_EQ(message("no route /__runner/inner-path/x"), "no route …/x");
  target.url = "http://localhost:80/__runner/";
  EXPECT_EQ(message("localhost, localhost:80, /__runner"), "localhost, …, /__runner");
  target.url = "http://tasks.example";
  EXPECT_EQ(message("no / at tasks.example"), "no / at …");
  target.url = "unix:/run/tasks.sock:/base";
  EXPECT_EQ(message("/run/tasks.sock and /base and unix:/run/tasks.sock:/base"), "… and … and …");
}

TEST_F(RedactionTest, HidesTokensAndHeadersInWordsAndIds) {
  const RemoteFailure failure = hidden({.message = "HUNTER2 of blue-team", .id = "no.hunter2"});
  EXPECT_EQ(failure.message, "… of …");
  EXPECT_EQ(failure.id, "no.…");
}

TEST_F(RedactionTest, LeavesOutDataThatHaveASecretAnywhere) {
  const std::string_view token = "my hunter2";
  const Value one = Value::object({{"left", 3}, {"why", "sold out"}});
  EXPECT_EQ(data(one), one);
  EXPECT_EQ(data(token), Value());
  EXPECT_EQ(data(Value::object({{"seen", token}})), Value());
  EXPECT_EQ(data(Value::object({{"hunter2", 1}})), Value());
  EXPECT_EQ(data(Value::array({1, Value::array({"x", token})})), Value());
  EXPECT_EQ(data(Value::error("Error", token)), Value());
  EXPECT_EQ(data(Value::bytes({reinterpret_cast<const std::uint8_t*>(token.data()), token.size()})),
            Value());
  EXPECT_EQ(data(Value::object({{"url", "http://10.0.0.7:8443/x"}})), Value());
  target.token = "12345678";
  EXPECT_EQ(data(Value::array({12'345'678})), Value());
}

TEST_F(RedactionTest, SaysNothingOfAnAnswerThatHasAShortToken) {
  target.token = "q7z";
  const RemoteFailure failure = hidden({.fault = RemoteFault::answered,
                                        .message = "bad token:q7zq",
                                        .id = "shop.errors.none",
                                        .data = 1});
  EXPECT_EQ(failure.fault, RemoteFault::answered);
  EXPECT_EQ(failure.message, "");
  EXPECT_FALSE(failure.id.has_value());
  EXPECT_TRUE(failure.data.is_undefined());
  EXPECT_EQ(message("bad token"), "bad token");
  EXPECT_EQ(data("Q7Z"), Value());
}

}  // namespace
}  // namespace cordon::server
