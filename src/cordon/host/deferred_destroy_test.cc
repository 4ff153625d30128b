#include "cordon/host/deferred_destroy.h"

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

struct Counted {
  explicit Counted(int& destroyed) : count(destroyed) {}
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { ++count; }
  int& count;
};

TEST(DeferredDestroy, KeepsOneThingUntilItIsTold) {
  int destroyed = 0;
  DeferredDestroy<Counted> deferred;
  EXPECT_FALSE(deferred.is_pending());
  deferred.destroy_later(std::make_unique<Counted>(destroyed));
  EXPECT_EQ(destroyed, 0);
  EXPECT_TRUE(deferred.is_pending());
  deferred.destroy_now();
  EXPECT_EQ(destroyed, 1);
  EXPECT_FALSE(deferred.is_pending());
  deferred.destroy_now();
  EXPECT_EQ(destroyed, 1);
}

TEST(DeferredDestroy, LetsGoOfTheFirstForTheSecond) {
  int destroyed = 0;
  {
    DeferredDestroy<Counted> deferred;
    deferred.destroy_later(std::make_unique<Counted>(destroyed));
    deferred.destroy_later(std::make_unique<Counted>(destroyed));
    EXPECT_EQ(destroyed, 1);
  }
  EXPECT_EQ(destroyed, 2) << "what is left goes at the end";
}

}  // namespace
}  // namespace cordon::host
