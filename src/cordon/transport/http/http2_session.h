#pragma once

// The HTTP/2 of one connection: its streams, and what a client may do to them. nghttp2 knows the
// frames; this decides what they are worth.
//
// It moves no bytes itself: those of the client are handed in, those for it are fetched, so that a
// fuzzer and a socket drive it alike. On the thread of its context. It lives until the last of its
// handlers is done: see Http2Owner::hold.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/bytes.h"
#include "cordon/transport/http/allowance.h"
#include "cordon/transport/http/connection_home.h"
#include "cordon/transport/http/http2_frame_cutter.h"
#include "cordon/transport/http/http2_stream.h"
#include "cordon/transport/http/trusted_proxies.h"

struct nghttp2_session;

namespace cordon::transport::http {

// The part that moves the bytes.
class Http2Owner {
 public:
  // There may be something to fetch.
  virtual void flush() = 0;
  // Keeps the session, and all that it needs, for a handler that runs.
  virtual std::shared_ptr<void> hold() = 0;

 protected:
  ~Http2Owner() = default;
};

class Http2Session {
 public:
  // Requests at once.
  static constexpr std::size_t max_streams = 100;
  // How much of a body may come before its handler reads it, and how much of all bodies of a
  // connection. What waits in one stream leaves room for the others, up to fifteen that wait as
  // well.
  static constexpr std::size_t stream_window_bytes = BlockPool::least_large_bytes;
  static constexpr std::size_t connection_window_bytes = 16 * stream_window_bytes;
  // What fetch() wants room for at least.
  static constexpr std::size_t least_room = 17'408;

  // `origin` is what the socket says of its peer.
  Http2Session(std::shared_ptr<ConnectionContext> context, TrustedProxies::Origin origin,
               Http2Owner& owner);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // Bytes of the client's. flush() after it.
  void receive(BytesView bytes);
  // Bytes for the client: how many of `room` were written. None: there are no more for now.
  std::size_t fetch(std::span<std::uint8_t> room);
  // Begins the handlers of new requests, and tells others that their clients went. After receive()
  // and fetch(), which do neither.
  void settle();
  // The client leaves what we have to say unread: read nothing more from it until it does.
  bool is_choked() const;
  // Nothing more is to be said or heard.
  bool is_over() const;

  void check_deadlines(Instant now);
  // Streams that are there may end, and those that are on their way: others are refused.
  void drain();
  // The connection is lost.
  void lose();

  // Only its streams call these.
  ConnectionContext& context() { return *context_; }
  void flush();
  // False where the stream is not there any more.
  bool submit_head(Http2Stream& stream, const ResponseHead& head,
                   std::optional<std::uint64_t> length);
  void submit_continue(Http2Stream& stream);
  void resume(Http2Stream& stream);
  enum class Reset : std::uint8_t { no_error, internal_error, cancel };
  void reset(Http2Stream& stream, Reset why);
  // The client may send this many more bytes.
  void consume(const Http2Stream& stream, std::size_t bytes);
  // The client's windows let nothing through, of this stream or of all.
  bool is_window_closed(const Http2Stream& stream) const;
  // Its handler is done.
  void leave(Http2Stream& stream);

 private:
  struct Callbacks;  // of nghttp2
  enum class Abuse : std::uint8_t { resets, frames };

  void read(BytesView bytes);
  void charge_frame(const Http2FrameCutter::Head& head);
  // Counts a header of a head or of trailers. False if it is one too many.
  bool count_header(std::size_t name_bytes, std::size_t value_bytes);
  void begin_request(std::int32_t id);
  // `stream` may be null, where it was refused.
  void end_head(Http2Stream* stream, bool ends_body);
  void start(const std::shared_ptr<Http2Stream>& stream);
  void on_closed(std::int32_t id);
  void charge(Abuse abuse);
  void end(std::uint32_t code);
  void expect_idleness();
  Http2Stream* find(std::int32_t id);

  const std::shared_ptr<ConnectionContext> context_;
  const TrustedProxies::Origin origin_;
  Http2Owner& owner_;
  struct Free {
    void operator()(nghttp2_session* session) const;
  };
  std::unique_ptr<nghttp2_session, Free> session_;

  // Those that nghttp2 has, and those whose handlers still run.
  std::unordered_map<std::int32_t, std::shared_ptr<Http2Stream>> streams_;
  std::vector<std::shared_ptr<Http2Stream>> starting_;
  std::vector<std::shared_ptr<Http2Stream>> closed_;

  Http2FrameCutter cutter_;
  std::size_t block_bytes_ = 0;  // of the head or the trailers that are being read, unpacked
  Allowance resets_;
  Allowance frames_;
  Instant head_deadline_;  // of a head that has begun, and of the client's preface
  std::int32_t heading_ = 0;
  Instant idle_deadline_;
  unsigned sweeps_until_goaway_ = 0;
  bool is_inside_ = false;  // nghttp2, which must not be entered twice
  bool is_draining_ = false;
  bool has_ended_ = false;  // by a GOAWAY that is final: nothing more is read
  bool is_lost_ = false;
};

}  // namespace cordon::transport::http
