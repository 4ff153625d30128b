#include "cordon/transport/http/name_lookup.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace cordon::transport::http {
namespace {

using namespace std::chrono_literals;

std::size_t threads_of_process() {
  std::size_t count = 0;
  if (FILE* const status = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, status) != nullptr)
      (void)std::sscanf(line, "Threads: %zu", &count);
    std::fclose(status);
  }
  return count;
}

// A system whose lookups end when the test lets them.
struct Gate {
  std::atomic<bool> is_open = false;
  std::atomic<int> asked = 0;

  NameLookup::Resolve resolve() {
    return [this](const std::string&, const std::string&) {
      ++asked;
      while (!is_open) std::this_thread::sleep_for(1ms);
      return FoundAddresses(std::vector<SocketAddress>(1));
    };
  }
};

TEST(NameLookup, FindsThisMachine) {
  boost::asio::io_context io{1};
  NameLookup names(io);
  std::size_t found = 0;
  const auto ticket = names.find("localhost", "80", [&](const FoundAddresses& addresses) {
    ASSERT_TRUE(addresses) << addresses.error();
    found = addresses->size();
  });
  io.run();
  EXPECT_GE(found, 1u);
}

TEST(NameLookup, SaysThatThereIsNoSuchName) {
  boost::asio::io_context io{1};
  NameLookup names(io);
  std::string message;
  const auto ticket = names.find("name.invalid", "80", [&](const FoundAddresses& addresses) {
    ASSERT_FALSE(addresses);
    message = addresses.error();
  });
  io.run();
  EXPECT_FALSE(message.empty());
}

TEST(NameLookup, AsksOnceForAllWhoWait) {
  Gate gate;
  boost::asio::io_context io{1};
  NameLookup names(io, gate.resolve());
  int answered = 0;
  std::vector<NameLookup::Ticket> tickets;
  for (int i = 0; i < 100; ++i)
    tickets.push_back(names.find("a", "80", [&](const FoundAddresses&) { ++answered; }));
  gate.is_open = true;
  io.run();
  EXPECT_EQ(answered, 100);
  EXPECT_EQ(gate.asked, 1);
}

TEST(NameLookup, NeedsNoMoreThreadsThanItMay) {
  Gate gate;
  boost::asio::io_context io{1};
  const std::size_t before = threads_of_process();
  {
    NameLookup names(io, gate.resolve());
    int answered = 0;
    std::vector<NameLookup::Ticket> tickets;
    for (int i = 0; i < 10'000; ++i) {
      tickets.push_back(
          names.find(std::to_string(i), "80", [&](const FoundAddresses&) { ++answered; }));
    }
    EXPECT_EQ(names.threads(), NameLookup::max_threads);
    EXPECT_LE(threads_of_process(), before + NameLookup::max_threads);
    // Those who give up are not asked for.
    tickets.erase(tickets.begin() + 8, tickets.end() - 1);
    io.run_for(20ms);
    EXPECT_EQ(answered, 0);
    gate.is_open = true;
    io.restart();
    io.run();
    EXPECT_EQ(answered, 9);
    EXPECT_LE(gate.asked, 9);
    EXPECT_EQ(names.threads(), 0u);
  }
}

TEST(NameLookup, MayEndBeforeItsThreads) {
  auto gate = std::make_shared<Gate>();
  {
    boost::asio::io_context io{1};
    NameLookup names(io, [gate](const std::string& host, const std::string& port) {
      return gate->resolve()(host, port);
    });
    const auto ticket = names.find("a", "80", [](const FoundAddresses&) { FAIL(); });
    while (gate->asked == 0) std::this_thread::sleep_for(1ms);
  }
  gate->is_open = true;
  std::this_thread::sleep_for(20ms);
}

TEST(NameLookup, LetsTheLoopEndWhereNobodyWaits) {
  Gate gate;
  boost::asio::io_context io{1};
  NameLookup names(io, gate.resolve());
  {
    const auto ticket = names.find("a", "80", [](const FoundAddresses&) { FAIL(); });
  }
  io.run();
  gate.is_open = true;
  while (gate.asked == 0) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(5ms);
}

}  // namespace
}  // namespace cordon::transport::http
