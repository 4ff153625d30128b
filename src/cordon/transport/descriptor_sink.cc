#include "cordon/transport/descriptor_sink.h"

#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace cordon::transport {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;

DescriptorSink::DescriptorSink(boost::asio::io_context& io, int descriptor)
    : output_(descriptor), watched_(io) {
  // Closing one that the loop watches takes it out of the loop, so it has a number of its own.
  const int own = fcntl(output_.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  error_code ignored;
  if (own < 0) return;
  if (watched_.assign(own, ignored)) close(own);
}

DescriptorSink::~DescriptorSink() {
  error_code ignored;
  (void)watched_.close(ignored);
}

void DescriptorSink::write(std::string text, Done done) {
  text_ = std::move(text);
  written_ = 0;
  done_ = std::move(done);
  if (output_.may_be_tried()) {
    go_on();
  } else {
    wait_for_room();
  }
}

void DescriptorSink::go_on() {
  while (written_ < text_.size()) {
    const Result<std::size_t> wrote = output_.write_some(std::string_view(text_).substr(written_));
    if (!wrote) return finish(fail(wrote.error()));
    written_ += *wrote;
    if (*wrote == 0 || !(output_.may_be_tried() || never_waits_)) break;
  }
  if (written_ == text_.size()) return finish({});
  wait_for_room();
}

void DescriptorSink::wait_for_room() {
  watched_.async_wait(stream_descriptor::wait_write, [this](error_code error) {
    if (error == boost::asio::error::operation_aborted) return;
    // What cannot be watched, such as /dev/null, never makes a writer wait.
    never_waits_ = static_cast<bool>(error);
    go_on();
  });
}

void DescriptorSink::finish(Result<> result) {
  text_.clear();
  std::exchange(done_, nullptr)(std::move(result));
}

void DescriptorSink::on_reader_gone(std::move_only_function<void()> act) {
  watched_.async_wait(stream_descriptor::wait_error,
                      [act = std::move(act)](error_code error) mutable {
                        if (!error) act();
                      });
}

}  // namespace cordon::transport
