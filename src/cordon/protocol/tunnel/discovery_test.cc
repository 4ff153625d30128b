#include "cordon/protocol/tunnel/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/protocol/tunnel/envelope.h"
#include "cordon/protocol/tunnel/testing/server_driver.h"

namespace cordon::tunnel {
namespace {

Result<Discovery> read(std::string_view text) {
  const Result<Value> result = testing::stand_in_serializer().parse(text);
  return discovery_of(result->find("result"));
}

TEST(TunnelDiscovery, ReadsWhatServersWrite) {
  const std::vector<std::string> tasks = {"a", "b"};
  const std::vector<std::string> events = {"e"};
  EXPECT_EQ(read(discovery_text(true, tasks, events)), (Discovery{true, tasks, events}));
  EXPECT_EQ(read(discovery_text(false, {}, {})), Discovery{});
}

TEST(TunnelDiscovery, RefusesWhatIsNoList) {
  for (const char* text : {
           R"({"result":null})",
           R"({"result":{"enabled":true,"tasks":[],"events":[]}})",
           R"({"result":{"allowList":[]}})",
           R"({"result":{"allowList":{"tasks":[],"events":[]}}})",
           R"({"result":{"allowList":{"enabled":1,"tasks":[],"events":[]}}})",
           R"({"result":{"allowList":{"enabled":true,"tasks":{},"events":[]}}})",
           R"({"result":{"allowList":{"enabled":true,"tasks":[1],"events":[]}}})",
           R"({"result":{"allowList":{"enabled":true,"tasks":[]}}})",
       }) {
    const Result<Discovery> refused = read(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_TRUE(refused.error().is(ErrorCode::malformed)) << text;
  }
}

}  // namespace
}  // namespace cordon::tunnel
