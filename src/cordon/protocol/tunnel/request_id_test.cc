#include "cordon/protocol/tunnel/request_id.h"

#include <array>

#include <gtest/gtest.h>

namespace cordon::tunnel {
namespace {

TEST(TunnelRequestId, OnlyPlainOnesAreTaken) {
  EXPECT_TRUE(is_request_id("a-B_9.:"));
  EXPECT_TRUE(is_request_id(std::string(128, 'x')));
  EXPECT_FALSE(is_request_id(""));
  EXPECT_FALSE(is_request_id(std::string(129, 'x')));
  for (const char* id : {"a b", "a\n", "\u00e9", "a/b", "a,b"}) EXPECT_FALSE(is_request_id(id));
}

TEST(TunnelRequestId, OursAreUuidsOfVersion4) {
  std::array<std::uint8_t, 16> bytes;
  bytes.fill(0xff);
  EXPECT_EQ(uuid_text(bytes), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  bytes.fill(0);
  EXPECT_EQ(uuid_text(bytes), "00000000-0000-4000-8000-000000000000");
}

TEST(TunnelTraceParent, AChildKeepsTheTraceAndItsFlags) {
  const auto parent = parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  ASSERT_TRUE(parent);
  EXPECT_EQ(child_traceparent(*parent, 0xabc),
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000abc-01");
  EXPECT_EQ(child_traceparent(*parent, 0),
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000001-01");
}

TEST(TunnelTraceParent, WhatIsNotValidIsNone) {
  for (const char* text : {"", "00", "00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                           "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                           "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1"})
    EXPECT_FALSE(parse_traceparent(text)) << text;
  EXPECT_TRUE(parse_traceparent("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x"));
}

}  // namespace
}  // namespace cordon::tunnel
