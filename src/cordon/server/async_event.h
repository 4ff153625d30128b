#pragma once

// What one coroutine waits for and callbacks of the same thread bring about.

#include <functional>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace cordon::server {

class AsyncEvent {
 public:
  explicit AsyncEvent(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  // Wakes who waits, after the caller is done; or the next one who would.
  void notify() {
    if (!waiter_) {
      is_notified_ = true;
      return;
    }
    boost::asio::post(executor_, std::exchange(waiter_, nullptr));
  }

  boost::asio::awaitable<void> wait() {
    if (std::exchange(is_notified_, false)) co_return;
    co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void()>(
        [this](auto handler) {
          waiter_ = [kept = std::move(handler)]() mutable { std::move(kept)(); };
        },
        boost::asio::use_awaitable);
  }

 private:
  boost::asio::any_io_executor executor_;
  std::move_only_function<void()> waiter_ = {};
  bool is_notified_ = false;
};

}  // namespace cordon::server
