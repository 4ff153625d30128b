#pragma once

// The way back to a loop's thread for what other threads do for it. They may be slower than the
// loop's owner: what comes after its end is dropped.

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace cordon::transport::http {

class LoopInbox {
 public:
  explicit LoopInbox(boost::asio::io_context& io) : io_(&io) {}

  // Any thread.
  bool is_here() {
    const std::lock_guard lock(mutex_);
    return io_ != nullptr && io_->get_executor().running_in_this_thread();
  }
  template <class F>
  void post(F function) {
    const std::lock_guard lock(mutex_);
    if (io_ != nullptr) boost::asio::post(*io_, std::move(function));
  }
  // The loop's thread, or when it runs no more.
  void close() {
    const std::lock_guard lock(mutex_);
    io_ = nullptr;
  }

 private:
  std::mutex mutex_;
  boost::asio::io_context* io_;
};

}  // namespace cordon::transport::http
