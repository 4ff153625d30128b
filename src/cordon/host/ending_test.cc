#include "cordon/host/ending.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Report report_of(std::uint64_t calls) {
  Report report;
  report.kind = ReportKind::result;
  report.call_count = calls;
  return report;
}

struct Told {
  std::vector<std::uint64_t> reports;
  Ending::Done here() {
    return [this](const Report& report) { reports.push_back(report.call_count); };
  }
};

TEST(Ending, TellsWhoAskedBeforeTheEndWhenItIsAnnounced) {
  Ending ending;
  Told told;
  ending.then(told.here());
  EXPECT_TRUE(ending.begin());
  ending.make(report_of(1));
  EXPECT_THAT(told.reports, IsEmpty());
  ending.announce();
  EXPECT_THAT(told.reports, ElementsAre(1));
}

TEST(Ending, TellsWhoAsksAfterTheEndAtOnce) {
  Ending ending;
  Told told;
  ending.begin();
  ending.make(report_of(1));
  ending.announce();
  ending.then(told.here());
  EXPECT_THAT(told.reports, ElementsAre(1));
}

TEST(Ending, MakesWhoAsksBetweenTheReportAndItsAnnouncementWait) {
  Ending ending;
  Told told;
  ending.begin();
  ending.make(report_of(1));
  ending.then(told.here());
  EXPECT_THAT(told.reports, IsEmpty());
  ending.announce();
  EXPECT_THAT(told.reports, ElementsAre(1));
}

TEST(Ending, HandsTheReportOverOnce) {
  Ending ending;
  Told told;
  ending.then(told.here());
  ending.begin();
  ending.make(report_of(1));
  ending.announce();
  ending.announce();
  ending.then(told.here());
  EXPECT_THAT(told.reports, ElementsAre(1));
}

TEST(Ending, BeginsOnce) {
  Ending ending;
  EXPECT_TRUE(ending.begin());
  EXPECT_FALSE(ending.begin());
  ending.make(report_of(1));
  EXPECT_FALSE(ending.begin());
}

TEST(Ending, IsNotAnnouncedBeforeThereIsAReport) {
  Ending ending;
  Told told;
  ending.then(told.here());
  ending.announce();
  ending.begin();
  ending.announce();
  EXPECT_THAT(told.reports, IsEmpty());
}

TEST(Ending, StopsTokensWhenTheReportIsMade) {
  Ending ending;
  const std::stop_token before = ending.stop_token();
  ending.begin();
  EXPECT_FALSE(before.stop_requested());
  ending.make(report_of(1));
  EXPECT_TRUE(before.stop_requested());
  EXPECT_TRUE(ending.stop_token().stop_requested());
}

TEST(Ending, GivesAStoppedTokenAfterTheEnd) {
  Ending ending;
  ending.begin();
  ending.make(report_of(1));
  EXPECT_TRUE(ending.stop_token().stop_requested());
}

TEST(Ending, CallsNobodyUnderItsLock) {
  Ending ending;
  bool stopped_inside = false;
  const std::stop_callback on_stop(ending.stop_token(),
                                   [&] { stopped_inside = ending.stop_token().stop_requested(); });
  Told told;
  ending.then([&](const Report&) { ending.then(told.here()); });
  ending.begin();
  ending.make(report_of(1));
  ending.announce();
  EXPECT_TRUE(stopped_inside);
}

TEST(Ending, TellsExactlyOnceWhereThreadsMeet) {
  for (int round = 0; round < 200; ++round) {
    Ending ending;
    std::atomic<int> told = 0;
    std::thread asks([&] { ending.then([&](const Report&) { ++told; }); });
    ending.begin();
    ending.make(report_of(1));
    ending.announce();
    asks.join();
    EXPECT_EQ(told, 1);
  }
}

}  // namespace
}  // namespace cordon::host
