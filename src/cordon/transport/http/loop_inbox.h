#pragma once

// The way back to a loop's thread for what other threads do for it. They may be slower than the
// loop's owner: what comes after its end is dropped.

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "cordon/base/thread_annotations.h"

namespace cordon::transport::http {

class LoopInbox {
 public:
  explicit LoopInbox(boost::asio::io_context& io) : io_(&io) {}

  // Any thread.
  bool is_here() {
    const MutexLock lock(mutex_);
    return io_ != nullptr && io_->get_executor().running_in_this_thread();
  }
  // False: it is closed, and the function is dropped.
  template <class F>
  bool post(F function) {
    const MutexLock lock(mutex_);
    if (io_ == nullptr) return false;
    boost::asio::post(*io_, std::move(function));
    return true;
  }
  // The loop's thread, or when it runs no more.
  void close() {
    const MutexLock lock(mutex_);
    io_ = nullptr;
  }

 private:
  Mutex mutex_;
  boost::asio::io_context* io_ CORDON_GUARDED_BY(mutex_);
};

}  // namespace cordon::transport::http
