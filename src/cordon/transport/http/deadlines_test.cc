#include "cordon/transport/http/deadlines.h"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace cordon::transport::http {
namespace {

using namespace std::chrono_literals;

Instant in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

TEST(Deadlines, ComeInTheirOrder) {
  boost::asio::io_context io{1};
  Deadlines deadlines(io);
  std::vector<int> seen;
  const auto late = deadlines.add(in(20ms), [&] { seen.push_back(2); });
  const auto early = deadlines.add(in(5ms), [&] { seen.push_back(1); });
  const auto past = deadlines.add(in(-5ms), [&] { seen.push_back(0); });
  io.run();
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
}

TEST(Deadlines, AreRemovedWithTheirEntries) {
  boost::asio::io_context io{1};
  Deadlines deadlines(io);
  int seen = 0;
  {
    const auto entry = deadlines.add(in(1ms), [&] { ++seen; });
  }
  std::optional<Deadlines::Entry> other;
  // It removes another one that is due, and itself.
  Deadlines::Entry own;
  own = deadlines.add(in(2ms), [&] {
    ++seen;
    other.reset();
    own.remove();
  });
  other = deadlines.add(in(2ms), [&] { seen += 100; });
  io.run();
  EXPECT_EQ(seen, 1);
}

TEST(Deadlines, MayAddOthers) {
  boost::asio::io_context io{1};
  Deadlines deadlines(io);
  std::vector<Deadlines::Entry> entries;
  int left = 5;
  std::function<void()> again = [&] {
    if (--left > 0) entries.push_back(deadlines.add(in(1ms), [&] { again(); }));
  };
  again();
  io.run();
  EXPECT_EQ(left, 0);
}

TEST(Deadlines, LetTheLoopEnd) {
  boost::asio::io_context io{1};
  Deadlines deadlines(io);
  {
    const auto entry = deadlines.add(in(60s), [] {});
  }
  deadlines.settle();
  io.run();
  std::optional<Deadlines> gone(std::in_place, io);
  const auto entry = gone->add(in(60s), [] {});
  gone.reset();
  io.restart();
  io.run();
}

}  // namespace
}  // namespace cordon::transport::http
