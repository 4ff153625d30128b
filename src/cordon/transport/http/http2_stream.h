#pragma once

// One request of HTTP/2 and its answer: an Exchange beside others on the same connection.
//
// On the thread of its session, which outlives it.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include <boost/asio/steady_timer.hpp>

#include "cordon/base/instant.h"
#include "cordon/transport/http/byte_ring.h"
#include "cordon/transport/http/exchange.h"
#include "cordon/transport/http/http2_head.h"
#include "cordon/transport/http/refusal.h"

namespace cordon::transport::http {

class Http2Session;

class Http2Stream final : public Exchange {
 public:
  Http2Stream(Http2Session& session, std::int32_t id);
  ~Http2Stream();
  Http2Stream(const Http2Stream&) = delete;
  Http2Stream& operator=(const Http2Stream&) = delete;

  // Answers the request, or refuses it.
  asio::awaitable<void> run();

  // Exchange.
  const RequestHead& head() const override { return fields_.head(); }
  asio::awaitable<Result<BytesView>> read() override;
  asio::awaitable<Result<std::size_t>> read_into(std::span<std::uint8_t> room) override;
  asio::awaitable<void> respond(const ResponseHead& head, std::string body) override;
  asio::awaitable<bool> start(const ResponseHead& head) override;
  asio::awaitable<bool> write(BytesView bytes) override;
  asio::awaitable<void> finish() override;
  bool has_started() const override { return answer_ != Answer::none; }
  std::stop_token aborted() const override;

  // Only its session calls these.
  std::int32_t id() const { return id_; }
  Http2Head& fields() { return fields_; }
  bool has_head() const { return has_head_; }
  // No handler runs, none will, and nghttp2 has forgotten it.
  bool is_over() const { return is_closed_ && !is_running_; }
  bool is_closed() const { return is_closed_; }
  bool is_answered() const { return has_ended_; }
  bool is_reset() const { return is_reset_; }
  void set_reset() { is_reset_ = true; }
  void on_head(const Http2Head::Outcome& outcome, bool ends_body);
  // Bytes of its body. False where they are not wanted any more.
  bool on_body(BytesView bytes);
  void on_body_end();
  // The next of its answer that fit into `room`, and whether they are the last.
  struct Part {
    std::size_t size = 0;
    bool is_last = false;
  };
  // Its answer is a head and nothing else.
  bool ends_with_head() const { return answer_ == Answer::headless; }
  bool has_part() const { return !pending_.empty() || wants_end_; }
  Part take_part(std::span<std::uint8_t> room);
  // The last frame of its answer is on its way.
  void on_ended();
  void on_closed();
  // After it: the handler is told.
  void abort();
  void set_running(bool is_running) { is_running_ = is_running; }
  void check_deadlines(Instant now);

 private:
  enum class Side : std::uint8_t { read, write };
  enum class Answer : std::uint8_t { none, whole, streamed, headless };

  asio::awaitable<void> wait(Side side);
  asio::awaitable<void> take_turns(Side side);
  void wake(Side side);
  void expect_progress(Side side);
  void expect_nothing(Side side);

  // Waits for bytes of the body. False at its end, and where body_failure_ says why.
  asio::awaitable<bool> fill();
  void give_back();
  void fail_body(ErrorCode code, const char* why);
  // Waits until what is pending was taken. False where it never will be.
  asio::awaitable<bool> sent();
  asio::awaitable<void> refuse(Refusal refusal);
  asio::awaitable<void> conclude();

  Http2Session& session_;
  const std::int32_t id_;
  Http2Head fields_;
  std::optional<Refusal> refusal_;
  bool has_head_ = false;

  ByteRing body_;
  Block outgrown_;              // what was handed out may still lie in it
  std::size_t handed_out_ = 0;  // of the body's first bytes, by read()
  bool is_body_over_ = false;   // all of it has come
  bool expects_continue_ = false;
  std::optional<Error> body_failure_;

  Answer answer_ = Answer::none;
  BytesView pending_;       // of a write that waits
  bool wants_end_ = false;  // nothing follows what is pending
  bool has_ended_ = false;

  bool is_running_ = false;
  bool is_closed_ = false;
  bool is_reset_ = false;  // by us
  bool is_cut_ = false;    // the handler is done: what it left pending ends
  std::array<asio::steady_timer, 2> wakers_;
  std::array<Instant, 2> deadlines_ = {Instant::max(), Instant::max()};
  std::array<bool, 2> has_timed_out_ = {false, false};
  std::array<bool, 2> is_waiting_ = {false, false};
  std::array<unsigned, 2> in_a_row_ = {0, 0};
  mutable std::optional<std::stop_source> stop_;
};

}  // namespace cordon::transport::http
