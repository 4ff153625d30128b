#include "cordon/server/liveness.h"

#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

namespace cordon::server {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

PostToLoop post_to(asio::io_context& io) {
  return [&io](std::function<void()> function) { asio::post(io, std::move(function)); };
}

TEST(Liveness, IsThatOfAllLoops) {
  asio::io_context one;
  asio::io_context two;
  const auto work = asio::make_work_guard(one);
  std::thread thread([&] { one.run(); });
  EXPECT_TRUE(all_answer({post_to(one)}, 10s));
  EXPECT_FALSE(all_answer({post_to(one), post_to(two)}, 20ms)) << "nobody runs the second";
  two.run();  // answers late, to nobody
  EXPECT_TRUE(all_answer({}, 0ms));
  one.stop();
  thread.join();
}

}  // namespace
}  // namespace cordon::server
