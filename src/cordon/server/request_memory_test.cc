#include "cordon/server/request_memory.h"

#include <string>

#include <gtest/gtest.h>

namespace cordon::server {
namespace {

constexpr std::size_t large = RequestMemory::large_bytes + 1;

TEST(RequestMemory, LeavesAnotherClientHalfOfIt) {
  RequestMemory memory(1000);
  Charge one(memory.for_request("1.2.3.4", large));
  EXPECT_FALSE(one.add(501));
  EXPECT_TRUE(one.add(400));
  Charge second(memory.for_request("1.2.3.4", large));
  EXPECT_FALSE(second.add(101));
  Charge other(memory.for_request("5.6.7.8", large));
  EXPECT_TRUE(other.add(500));
  EXPECT_TRUE(second.add(100));
  Charge third(memory.for_request("9.9.9.9", large));
  EXPECT_FALSE(third.add(1));
  one.reset();
  EXPECT_TRUE(third.add(400));
}

TEST(RequestMemory, CountsSmallRequestsTogether) {
  RequestMemory memory(1000);
  Charge small(memory.for_request("1.2.3.4", 5000));
  EXPECT_TRUE(small.add(900));
  Charge other(memory.for_request("5.6.7.8", large));
  EXPECT_FALSE(other.add(200));
}

TEST(RequestMemory, ForgetsClientsThatAreGone) {
  RequestMemory memory(1000);
  for (int i = 0; i < 10'000; ++i) {
    Charge one(memory.for_request(std::to_string(i), large));
    ASSERT_TRUE(one.add(500));
  }
}

}  // namespace
}  // namespace cordon::server
