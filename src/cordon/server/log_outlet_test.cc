#include "cordon/server/log_outlet.h"

#include <chrono>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace cordon::server {
namespace {

using namespace std::chrono_literals;

class LogOutletTest : public testing::Test {
 protected:
  LogOutletTest() { EXPECT_EQ(pipe(ends), 0); }
  ~LogOutletTest() override {
    for (const int end : ends) close(end);
  }
  // All that is in the pipe.
  std::string read_all() const {
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    std::string text;
    char buffer[65536];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    return text;
  }
  int ends[2] = {-1, -1};
};

TEST_F(LogOutletTest, WritesLines) {
  LogOutlet outlet(ends[1]);
  EXPECT_EQ(outlet.put("one"), 0u);
  EXPECT_EQ(outlet.put(std::string(10'000, 'x')), 0u);
  EXPECT_EQ(read_all(), "one\n" + std::string(10'000, 'x') + "\n");
}

TEST_F(LogOutletTest, LosesAndCountsWhatNobodyReads) {
  LogOutlet outlet(ends[1], 10ms);
  const std::string line(999, 'x');
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(outlet.put(line), 0u);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  const std::string text = read_all();
  EXPECT_EQ(text.size() % 1000, 0u) << "a line is whole, or not there";
  const std::size_t written = text.size() / 1000;
  EXPECT_GT(written, 10u);
  EXPECT_EQ(outlet.put("next"), 1000 - written);
  EXPECT_EQ(outlet.put("after"), 0u);
  EXPECT_EQ(read_all(), "next\nafter\n");
}

TEST_F(LogOutletTest, MixesNoLinesOfSeveralThreads) {
  constexpr std::size_t line_bytes = 10'000;
  constexpr std::size_t lines = 50;
  const std::string_view letters = "abcd";
  LogOutlet outlet(ends[1], 10s);
  std::string text;
  std::thread reader([&] {
    char buffer[4096];
    while (text.size() < letters.size() * lines * (line_bytes + 1)) {
      const ssize_t got = read(ends[0], buffer, sizeof buffer);
      if (got <= 0) break;
      text.append(buffer, static_cast<std::size_t>(got));
    }
  });
  std::vector<std::thread> writers;
  for (const char letter : letters) {
    writers.emplace_back([&outlet, letter] {
      for (std::size_t i = 0; i < lines; ++i) outlet.put(std::string(line_bytes, letter));
    });
  }
  for (std::thread& writer : writers) writer.join();
  reader.join();
  for (std::size_t i = 0; i < text.size(); i += line_bytes + 1) {
    EXPECT_EQ(text.substr(i, line_bytes + 1), std::string(line_bytes, text[i]) + "\n");
  }
}

TEST_F(LogOutletTest, BeginsANewLineAfterOneThatWasTorn) {
  LogOutlet outlet(ends[1], 10ms);
  outlet.put(std::string(1'000'000, 'x'));
  const std::string torn = read_all();
  EXPECT_EQ(torn, std::string(torn.size(), 'x'));
  EXPECT_EQ(outlet.put("next"), 1u);
  EXPECT_EQ(read_all(), "\nnext\n");
}

TEST(LogOutlet, ADescriptorThatIsClosedStopsNobody) {
  const int closed = dup(STDERR_FILENO);
  close(closed);
  LogOutlet outlet(closed, 10s);
  EXPECT_EQ(outlet.put("lost"), 0u);
}

}  // namespace
}  // namespace cordon::server
