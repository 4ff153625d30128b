#include "cordon/server/work_pool.h"

#include <atomic>
#include <future>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace cordon::server {
namespace {

using Ticket = WorkPool::Ticket;

// Keeps a thread of a pool until it is let go.
class Blocker {
 public:
  explicit Blocker(WorkPool& pool, std::string_view client)
      : ticket_(pool.submit(client, [this] {
          began_.count_down();
          end_.wait();
          ended_.count_down();
        })) {
    EXPECT_TRUE(ticket_);
    began_.wait();
  }
  ~Blocker() {
    end_.count_down();
    ended_.wait();
  }
  Blocker(const Blocker&) = delete;
  Blocker& operator=(const Blocker&) = delete;

 private:
  std::latch began_{1};
  std::latch end_{1};
  std::latch ended_{1};
  std::optional<Ticket> ticket_;
};

TEST(WorkPool, WorksElsewhereAndTellsTheOneWhoAsked) {
  boost::asio::io_context io;
  WorkPool pool;
  std::thread::id worker;
  std::thread::id told;
  const auto ticket = pool.submit(
      "a", [&] { worker = std::this_thread::get_id(); }, io.get_executor(),
      [&] { told = std::this_thread::get_id(); });
  ASSERT_TRUE(ticket);
  const auto keep = boost::asio::make_work_guard(io);
  io.run_one();
  EXPECT_EQ(told, std::this_thread::get_id());
  EXPECT_NE(worker, std::this_thread::get_id());
  EXPECT_NE(worker, std::thread::id());
}

TEST(WorkPool, NeverGivesAllThreadsToOneClient) {
  WorkPool pool({.threads = 2});
  std::vector<Ticket> waiting;
  std::atomic<int> others = 0;
  std::optional<Ticket> quick;
  {
    const Blocker slow(pool, "a");
    for (int i = 0; i < 20; ++i) waiting.push_back(*pool.submit("a", [&] { ++others; }));
    std::promise<void> done;
    quick.emplace(*pool.submit("b", [&] { done.set_value(); }));
    done.get_future().wait();  // while the slow one still runs
    EXPECT_EQ(others, 0);
  }
  while (others < 20) std::this_thread::yield();
}

TEST(WorkPool, LetsClientsTakeTurns) {
  WorkPool pool({.threads = 1});
  std::vector<std::string> order;
  std::latch all{6};
  std::vector<Ticket> waiting;
  {
    const Blocker slow(pool, "a");
    for (const char* name : {"a1", "a2", "a3", "a4"}) {
      waiting.push_back(*pool.submit("a", [&, name] {
        order.emplace_back(name);
        all.count_down();
      }));
    }
    for (const char* name : {"b1", "c1"}) {
      waiting.push_back(*pool.submit(std::string_view(name, 1), [&, name] {
        order.emplace_back(name);
        all.count_down();
      }));
    }
  }
  all.wait();
  EXPECT_EQ(order, (std::vector<std::string>{"a1", "b1", "c1", "a2", "a3", "a4"}));
}

TEST(WorkPool, SkipsWhatNobodyWantsAnyMore) {
  WorkPool pool({.threads = 1});
  std::atomic<bool> was_run = false;
  std::promise<void> done;
  std::optional<Ticket> last;
  {
    const Blocker slow(pool, "a");
    {
      const auto unwanted = pool.submit("a", [&] { was_run = true; });
    }
    last.emplace(*pool.submit("a", [&] { done.set_value(); }));
  }
  done.get_future().wait();
  EXPECT_FALSE(was_run);
}

TEST(WorkPool, RefusesPastItsRoomAndAClientsShare) {
  WorkPool pool({.threads = 1, .max_waiting = 4, .max_waiting_of_client = 3});
  const Blocker slow(pool, "a");
  std::vector<Ticket> waiting;
  for (int i = 0; i < 3; ++i) waiting.push_back(*pool.submit("a", [] {}));
  EXPECT_FALSE(pool.submit("a", [] {}));
  waiting.push_back(*pool.submit("b", [] {}));
  EXPECT_FALSE(pool.submit("c", [] {}));
  // What nobody wants takes no room.
  waiting.pop_back();
  EXPECT_TRUE(pool.submit("c", [] {}));
  waiting.clear();
  EXPECT_TRUE(pool.submit("a", [] {}));
}

TEST(WorkPool, DropsWhatWaitsWhenItEnds) {
  const auto captured = std::make_shared<int>(0);
  std::vector<Ticket> waiting;
  {
    WorkPool pool({.threads = 1});
    const Blocker slow(pool, "a");
    for (int i = 0; i < 10; ++i) waiting.push_back(*pool.submit("b", [captured] { ++*captured; }));
  }
  EXPECT_EQ(captured.use_count(), 1);
}

}  // namespace
}  // namespace cordon::server
