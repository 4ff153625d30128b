#pragma once

// A connection that speaks HTTP/2: moves bytes between its socket and its session.
//
// A part of an HttpConnection, whose socket and thread it uses.

#include <cstdint>
#include <memory>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/base/instant.h"
#include "cordon/transport/http/block_pool.h"
#include "cordon/transport/http/connection_home.h"
#include "cordon/transport/http/http2_session.h"
#include "cordon/transport/http/send_queue.h"
#include "cordon/transport/stream.h"

namespace cordon::transport::http {

class Http2Connection final : public Http2Owner {
 public:
  // `whole` is the connection that this is a part of. All but `context` belong to it.
  Http2Connection(const std::shared_ptr<ConnectionContext>& context, std::weak_ptr<void> whole,
                  asio::posix::stream_descriptor& descriptor, Stream& stream,
                  const TrustedProxies::Origin& origin);
  ~Http2Connection();
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  // Serves until the connection ends. Handlers may still run then, and are told so. False if the
  // client is gone.
  asio::awaitable<bool> run();

  void check_deadlines(Instant now);
  void drain() { session_.drain(); }
  // The client is gone.
  void lose();

  // Http2Owner.
  void flush() override;
  std::shared_ptr<void> hold() override { return whole_.lock(); }

 private:
  enum class Read : std::uint8_t { moved, wants_read, wants_write, ended };
  Read read_once();
  // What can be written without waiting.
  void write_out();
  asio::awaitable<void> write_later();
  asio::awaitable<void> wait(Stream::Status status);
  void cancel_waits();
  void expect_room();

  const std::shared_ptr<ConnectionContext> context_;
  const std::weak_ptr<void> whole_;
  asio::posix::stream_descriptor& descriptor_;
  Stream& stream_;
  Http2Session session_;

  // [begin_, end_) is still to be written.
  Block out_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  Stream::Status blocked_by_ = Stream::Status::moved;
  bool is_writing_ = false;  // a coroutine waits for room
  bool is_flushing_ = false;
  bool must_flush_again_ = false;
  bool is_lost_ = false;
  asio::steady_timer unchoked_;
  Instant write_deadline_ = Instant::max();
  SendQueue queue_;
};

}  // namespace cordon::transport::http
