#pragma once

// One connection: its requests, one after the other, and their answers. One that speaks HTTP/2
// hands itself over to an Http2Connection.
//
// All on the thread of its context. A handler may read and write at the same time, from two
// coroutines, one of each.

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "cordon/base/instant.h"
#include "cordon/transport/connection_gate.h"
#include "cordon/transport/http/block_pool.h"
#include "cordon/transport/http/body_decoder.h"
#include "cordon/transport/http/connection_home.h"
#include "cordon/transport/http/exchange.h"
#include "cordon/transport/http/head_parser.h"
#include "cordon/transport/http/send_queue.h"
#include "cordon/transport/stream.h"

namespace cordon::transport::http {

class Http2Connection;

class HttpConnection final : public Exchange, public std::enable_shared_from_this<HttpConnection> {
 public:
  // `origin` is what the socket says of its peer. The socket does not wait.
  HttpConnection(std::shared_ptr<ConnectionContext> context,
                 asio::posix::stream_descriptor descriptor, ConnectionGate::Pass pass,
                 TrustedProxies::Origin origin);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // Serves until the connection ends.
  asio::awaitable<void> run();

  // Only its context calls these.
  int descriptor() { return descriptor_.native_handle(); }
  void check_deadlines(Instant now);
  // The peer sends no more, or is gone altogether.
  enum class Hangup : std::uint8_t { half, whole };
  void on_hangup(Hangup kind);
  void end_if_idle();
  // Ends it now, whatever is under way.
  void kill();

  // Exchange.
  const RequestHead& head() const override { return head_; }
  asio::awaitable<Result<BytesView>> read() override;
  asio::awaitable<Result<std::size_t>> read_into(std::span<std::uint8_t> room) override;
  std::stop_token aborted() const override;
  asio::awaitable<void> respond(const ResponseHead& head, std::string body) override;
  asio::awaitable<bool> start(const ResponseHead& head) override;
  asio::awaitable<bool> write(BytesView bytes) override;
  asio::awaitable<void> finish() override;
  bool has_started() const override { return answer_ != Answer::none; }
  asio::awaitable<std::unique_ptr<Upgraded>> upgrade(const ResponseHead& head) override;

 private:
  // One of the two directions.
  enum class Side : std::uint8_t { read, write };
  enum class Waited : std::uint8_t { ready, timed_out, gone };
  enum class Answer : std::uint8_t { none, whole, chunked, until_close, headless, finished };
  enum class Persistence : std::uint8_t { keep_alive, close };
  using Pieces = std::array<BytesView, 3>;

  asio::awaitable<bool> shake_hands();
  asio::awaitable<void> run_http2();
  asio::awaitable<Waited> wait(Side side);
  Waited waited(Side side) const;
  void expect_progress(Side side, std::chrono::milliseconds within);
  void expect_nothing(Side side);
  // As expect_progress of writing. Much may have to be read before a full socket is writable again;
  // so what it still holds is progress as well, once it gets less.
  void expect_room();
  // Lets others have their turn, now and then: a client that is always ready would have all of
  // them.
  asio::awaitable<void> take_turns(Side side);

  // Requests.
  HeadParser::Outcome parse_buffered();
  void make_room();
  void release_block();
  void begin_request(const HeadParser::Whole& whole);
  asio::awaitable<Persistence> answer_request();
  asio::awaitable<Persistence> conclude_request();
  asio::awaitable<Persistence> drain_body();
  asio::awaitable<void> refuse(Refusal refusal);
  asio::awaitable<void> linger();

  // Bodies.
  void decode_buffered();
  asio::awaitable<void> fill();
  std::size_t direct_bytes(std::size_t room) const;
  std::span<std::uint8_t> room_ahead(std::size_t direct);
  std::size_t take_direct(std::size_t direct, std::size_t got);
  std::span<std::uint8_t> room_of_block();
  // Waits for bytes; without `room`, into the block. None where body_failure_ says why.
  asio::awaitable<std::size_t> receive(std::span<std::uint8_t> room, std::span<std::uint8_t> ahead);
  // Drops what has come of a body that is not wanted any more, up to a limit, without waiting.
  void skip_what_has_come();
  void fail_body(ErrorCode code, const char* why);

  // Answers.
  static BytesView bytes_of(std::string_view text);
  void decide_persistence(unsigned status);
  void write_head(const ResponseHead& head, AnswerFraming framing);
  // Writes what it can without waiting; `pieces` are then what is left. False if the client is
  // gone.
  bool try_send(Pieces& pieces);
  asio::awaitable<bool> send(Pieces pieces);

  void abort();
  void begin_grace();

  const std::shared_ptr<ConnectionContext> context_;
  asio::posix::stream_descriptor descriptor_;
  Stream stream_;
  ConnectionGate::Pass pass_;
  const TrustedProxies::Origin origin_;
  std::size_t index_;                       // among the connections of its context
  std::unique_ptr<Http2Connection> http2_;  // where that is spoken: then nearly all is its business

  Instant deadlines_[2] = {Instant::max(), Instant::max()};
  bool has_timed_out_[2] = {false, false};
  bool is_waiting_[2] = {false, false};
  unsigned in_a_row_[2] = {0, 0};  // done without waiting
  SendQueue queue_;
  bool is_idle_ = true;
  bool is_gone_ = false;  // nothing more can be read or written
  std::optional<Hangup> hangup_;

  // What was read: [begin_, end_) is still to be looked at, [piece_begin_, piece_end_) is body.
  Block block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t piece_begin_ = 0;
  std::size_t piece_end_ = 0;

  // The request that is under way.
  HeadParser parser_;
  RequestHead head_;
  Framing framing_;
  BodyDecoder body_;
  std::optional<Error> body_failure_;
  Answer answer_ = Answer::none;
  bool is_running_ = false;
  bool is_cut_ = false;  // the handler is done: what it left pending ends
  bool closes_ = false;
  std::uint64_t number_ = 0;
  mutable std::optional<std::stop_source> stop_;
};

}  // namespace cordon::transport::http
