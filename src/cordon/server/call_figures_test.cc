#include "cordon/server/call_figures.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const CallFigures& figures) {
  MetricsText text;
  figures.write(text, {.errors = "cordon_task_errors_total",
                       .duration = "cordon_task_duration_seconds",
                       .label = "task"});
  return text.take();
}

TEST(MetricsText, IsWhatPrometheusReads) {
  MetricsText text;
  text.one("a_total", "counter", "Things.", std::uint64_t{3});
  text.line("b", label("x", "1") + "," + label("y", "2"), 0.25);
  EXPECT_EQ(text.take(),
            "# HELP a_total Things.\n# TYPE a_total counter\na_total 3\nb{x=\"1\",y=\"2\"} "
            "0.250000\n");
}

TEST(MetricsText, EscapesWhatALabelHas) {
  EXPECT_EQ(label("a", R"(say "hi" \o/)"), R"(a="say \"hi\" \\o/")");
  EXPECT_EQ(label("a", "two\nlines"), R"(a="two\nlines")");
  EXPECT_EQ(label("a", ""), R"(a="")");
}

TEST(CallFigures, CountCallsErrorsAndTime) {
  CallFigures figures;
  EXPECT_EQ(text_of(figures), "");
  figures.set_names({"b", "a"});
  EXPECT_TRUE(figures.count("a", CallEnd::ok, 1500us));
  EXPECT_TRUE(figures.count("a", CallEnd::failed, 500us));
  EXPECT_EQ(text_of(figures),
            "# HELP cordon_task_errors_total Calls that failed, by task.\n"
            "# TYPE cordon_task_errors_total counter\n"
            "cordon_task_errors_total{task=\"a\"} 1\n"
            "cordon_task_errors_total{task=\"b\"} 0\n"
            "# HELP cordon_task_duration_seconds Calls and what they took, by task.\n"
            "# TYPE cordon_task_duration_seconds summary\n"
            "cordon_task_duration_seconds_sum{task=\"a\"} 0.002000\n"
            "cordon_task_duration_seconds_count{task=\"a\"} 2\n"
            "cordon_task_duration_seconds_sum{task=\"b\"} 0.000000\n"
            "cordon_task_duration_seconds_count{task=\"b\"} 0\n");
}

TEST(CallFigures, KnowNoNamesFromOutside) {
  CallFigures figures;
  figures.set_names({"a"});
  EXPECT_FALSE(figures.count("b", CallEnd::ok, 1us));
  EXPECT_FALSE(figures.count("", CallEnd::ok, 1us));
  EXPECT_THAT(text_of(figures), Not(HasSubstr("\"b\"")));
}

TEST(CallFigures, KeepTheirCountsWhenTheNamesChange) {
  CallFigures figures;
  figures.set_names({"a", "b"});
  figures.count("a", CallEnd::ok, 1s);
  figures.count("b", CallEnd::ok, 1s);
  figures.set_names({"a", "c", "a"});
  const std::string text = text_of(figures);
  EXPECT_THAT(text, HasSubstr("cordon_task_duration_seconds_count{task=\"a\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("cordon_task_duration_seconds_count{task=\"c\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("\"b\"")));
}

TEST(CallFigures, LoseNothingBetweenThreads) {
  CallFigures figures;
  figures.set_names({"a"});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) figures.count("a", CallEnd::failed, 1ms);
    });
  }
  for (int i = 0; i < 20; ++i) figures.set_names({"a", "b"});
  for (std::thread& thread : threads) thread.join();
  const std::string text = text_of(figures);
  EXPECT_THAT(text, HasSubstr("cordon_task_errors_total{task=\"a\"} 4000\n"));
  EXPECT_THAT(text, HasSubstr("cordon_task_duration_seconds_sum{task=\"a\"} 4.000000\n"));
}

}  // namespace
}  // namespace cordon::server
