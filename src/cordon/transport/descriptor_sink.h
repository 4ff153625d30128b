#pragma once

// A descriptor that is written to on an event loop: a reader that is slow holds up nothing but the
// write that waits for it. On the thread of the loop.

#include <functional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "cordon/result.h"
#include "cordon/transport/output_descriptor.h"

namespace cordon::transport {

class DescriptorSink {
 public:
  // Borrows both.
  DescriptorSink(boost::asio::io_context& io, int descriptor);
  // What waits is not called any more, once the loop has run on or is gone.
  ~DescriptorSink();
  DescriptorSink(const DescriptorSink&) = delete;
  DescriptorSink& operator=(const DescriptorSink&) = delete;

  // Calls `done` once all of it is written, or with ErrorCode::closed; perhaps before this returns.
  // One write at a time.
  using Done = std::move_only_function<void(Result<>)>;
  void write(std::string text, Done done);

  // Calls `act` when the reader of a pipe or socket goes away.
  void on_reader_gone(std::move_only_function<void()> act);

 private:
  void go_on();
  void wait_for_room();
  void finish(Result<> result);

  OutputDescriptor output_;
  boost::asio::posix::stream_descriptor watched_;  // another number of the same
  std::string text_;
  std::size_t written_ = 0;
  bool never_waits_ = false;
  Done done_;
};

}  // namespace cordon::transport
