#include "cordon/server/shard.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "cordon/server/shard_group.h"
#include "cordon/server/turn.h"
#include "cordon/transport/http/testing/raw_client.h"

namespace cordon::server {
namespace {

using namespace std::chrono_literals;
using transport::http::testing::RawClient;

// Keeps connections until it is told to let go of them, and notes what it is told.
class KeepingService final : public Service, public transport::Adopter {
 public:
  explicit KeepingService(Shard& shard) : shard_(shard) {}

  void attend() override { ++attended; }
  void drain() override {
    said += "drain ";
    if (ends_when_drained) clear();
  }
  void close_all() override {
    said += "close ";
    if (ends_when_closed) clear();
  }
  bool is_empty() const override { return load_ == 0; }

  std::size_t load() const override { return load_; }
  void adopt(transport::Arrival arrival) override {
    ++load_;
    boost::asio::dispatch(*shard_.io(), [this, arrival = std::move(arrival)]() mutable {
      threads.push_back(std::this_thread::get_id());
      arrivals_.push_back(std::move(arrival));
    });
  }
  void turn_away(Descriptor) override { ++turned_away; }

  void clear() {
    load_ -= arrivals_.size();
    arrivals_.clear();
  }

  bool ends_when_drained = false;
  bool ends_when_closed = false;
  std::string said;  // on the shard's thread, or after it
  std::vector<std::thread::id> threads;
  std::atomic<int> attended = 0;
  std::atomic<std::size_t> turned_away = 0;

 private:
  Shard& shard_;
  std::vector<transport::Arrival> arrivals_;
  std::atomic<std::size_t> load_ = 0;
};

struct Running {
  explicit Running(ShardOptions options = {})
      : shard(*Shard::create(std::move(options))),
        service(shard->serve(std::make_unique<KeepingService>(*shard))) {}
  // As if somebody had connected; gives the other end.
  Descriptor connect() {
    int ends[2];
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
    service.adopt({.descriptor = Descriptor(ends[0]), .pass = {}});
    return Descriptor(ends[1]);
  }

  std::unique_ptr<Shard> shard;
  KeepingService& service;
};

TEST(Shard, EndsAtOnceWhereNothingIsLeft) {
  Running running;
  running.shard->stop();
  running.shard->stop();
  running.shard->run();
  EXPECT_EQ(running.service.said, "drain ");
}

TEST(Shard, WaitsForWhatIsUnderWay) {
  Running running({.drain_timeout = 60s});
  const Descriptor peer = running.connect();
  std::jthread other([&] {
    running.shard->stop();
    std::this_thread::sleep_for(50ms);
    boost::asio::post(*running.shard->io(), [&] { running.service.clear(); });
  });
  running.shard->run();
  EXPECT_EQ(running.service.said, "drain ") << "it had time enough";
}

TEST(Shard, ClosesWhatIsLeftAfterItsTime) {
  Running running({.drain_timeout = 50ms});
  running.service.ends_when_closed = true;
  const Descriptor peer = running.connect();
  running.shard->stop();
  running.shard->run();
  EXPECT_EQ(running.service.said, "drain close ");
}

TEST(Shard, GivesUpOnWhatDoesNotEndEvenThen) {
  Running running({.drain_timeout = 0ms});
  const Descriptor peer = running.connect();
  running.shard->stop();
  running.shard->run();
  EXPECT_EQ(running.service.said, "drain close ");
  EXPECT_FALSE(running.service.is_empty());
}

TEST(Shard, SeesThatNothingIsLeftWithoutAnEvent) {
  Running running({.drain_timeout = 60s});
  running.service.ends_when_drained = true;
  const Descriptor peer = running.connect();
  running.shard->stop();
  running.shard->run();
  EXPECT_TRUE(running.service.is_empty());
}

TEST(Shard, RunsGuestsBetweenEventsAndTellsItsService) {
  Running running({.engine = EngineOptions{.slots = 1}});
  Engine& engine = *running.shard->engine();
  int events = 0;
  std::optional<Report> report;
  // It computes for many turns; the events that come meanwhile are not kept waiting.
  ExecuteOptions options;
  options.limits.time.total = 60s;
  Execution busy = engine.execute("for (let i = 0; i < 3e7; i++);", std::move(options));
  busy.then([&](Report made) {
    report = std::move(made);
    running.shard->stop();
  });
  const std::function<void()> again = [&] {
    ++events;
    if (!report) boost::asio::post(*running.shard->io(), again);
  };
  boost::asio::post(*running.shard->io(), again);
  running.shard->run();
  EXPECT_TRUE(report->ok());
  EXPECT_GT(events, 2);
  EXPECT_GT(running.service.attended, 2);
}

TEST(Shard, WakesUpForAnAnswerOfAnotherThread) {
  Running running({.engine = EngineOptions{.slots = 1}});
  std::jthread answering;
  Provider tools("tools");
  tools.add_async("slow", [&](Value, Reply reply) {
    answering = std::jthread([reply = std::move(reply)]() mutable {
      std::this_thread::sleep_for(50ms);
      reply(Value(42));
    });
  });
  ExecuteOptions options;
  options.providers.push_back(std::move(tools));
  Execution execution = running.shard->engine()->execute("await tools.slow()", std::move(options));
  std::optional<Report> report;
  execution.then([&](Report made) {
    report = std::move(made);
    running.shard->stop();
  });
  running.shard->run();
  EXPECT_EQ(report->result, Value(42));
}

// Several threads.

struct Group {
  explicit Group(std::size_t threads, const ConnectionLimits& limits = {}) : group(limits) {
    std::vector<transport::Adopter*> adopters;
    for (std::size_t i = 0; i < threads; ++i) {
      Shard& shard = group.add(*Shard::create({.drain_timeout = 0ms}));
      services.push_back(&shard.serve(std::make_unique<KeepingService>(shard)));
      services.back()->ends_when_closed = true;
      adopters.push_back(services.back());
    }
    address = *group.listen(*transport::parse_http_address("127.0.0.1:0"), adopters);
  }
  std::size_t load() const {
    std::size_t sum = 0;
    for (const KeepingService* const service : services) sum += service->load();
    return sum;
  }
  template <class Condition>
  static bool eventually(Condition condition) {
    for (int i = 0; i < 5'000 && !condition(); ++i) std::this_thread::sleep_for(1ms);
    return condition();
  }

  ShardGroup group;
  std::vector<KeepingService*> services;
  transport::ListenAddress address;
};

TEST(ShardGroup, SharesConnectionsAmongItsThreads) {
  Group group(3);
  std::jthread server([&] { group.group.run(); });
  std::vector<RawClient> clients;
  for (std::size_t i = 0; i < 9; ++i) {
    clients.emplace_back(group.address.port);
    ASSERT_TRUE(Group::eventually([&] { return group.load() == i + 1; }));
  }
  EXPECT_EQ(group.group.connections(), 9u);
  group.group.stop();
  server.join();
  for (const KeepingService* const service : group.services) {
    EXPECT_EQ(service->threads.size(), 3u);
    EXPECT_EQ(service->threads.front(), service->threads.back()) << "always the same thread";
  }
  EXPECT_NE(group.services[0]->threads[0], group.services[1]->threads[0]);
}

TEST(ShardGroup, ListensNoMoreOnceItStops) {
  Group group(2);
  std::jthread server([&] { group.group.run(); });
  group.group.stop();
  server.join();
  RawClient late(group.address.port);
  EXPECT_LT(late.descriptor(), 0);
}

TEST(ShardGroup, KeepsToTheLimitOfAllItsThreads) {
  Group group(2, {.max = 2});
  std::jthread server([&] { group.group.run(); });
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) clients.emplace_back(group.address.port);
  const auto turned_away = [&] {
    return group.services[0]->turned_away + group.services[1]->turned_away;
  };
  EXPECT_TRUE(Group::eventually([&] { return turned_away() == 1u; }));
  EXPECT_EQ(group.load(), 2u);
  group.group.stop();
}

TEST(ShardGroup, SaysWhereItCannotListen) {
  Group group(1);
  const Result<transport::ListenAddress> again =
      group.group.listen(group.address, {group.services[0]});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::io);
}

}  // namespace
}  // namespace cordon::server
