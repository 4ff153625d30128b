#include "cordon/server/short_slices.h"

#include <fstream>
#include <optional>
#include <sched.h>
#include <string>
#include <sys/resource.h>

#include <gtest/gtest.h>

namespace cordon::server {
namespace {

// Of this thread, where the kernel says so.
std::optional<long> slice_nanoseconds() {
  std::ifstream file("/proc/thread-self/sched");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("se.slice")) continue;
    return std::stol(line.substr(line.find(':') + 1));
  }
  return std::nullopt;
}

TEST(ShortSlices, LastAsLongAsTheyAreAskedForAndChangeNothingElse) {
  const std::optional<long> before = slice_nanoseconds();
  const int policy = sched_getscheduler(0);
  const int nice = getpriority(PRIO_PROCESS, 0);
  {
    const ShortSlices slices;
    EXPECT_EQ(sched_getscheduler(0), policy);
    EXPECT_EQ(getpriority(PRIO_PROCESS, 0), nice);
    // An older kernel has one length for all.
    const std::optional<long> now = slice_nanoseconds();
    EXPECT_TRUE(now == before || now == 100'000) << *now;
  }
  EXPECT_EQ(slice_nanoseconds(), before);
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), nice);
}

}  // namespace
}  // namespace cordon::server
