#pragma once

// The answer to one request of HTTP/1.1, out of bytes that may come in any pieces. It is strict:
// what two readers could take for two different answers is refused, since the connection may have
// more answers to come. It has no I/O.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cordon/bytes.h"
#include "cordon/transport/http/body_decoder.h"
#include "cordon/transport/http/head_parser.h"
#include "cordon/transport/http/http_request.h"

namespace cordon::transport::http {

class AnswerReader {
 public:
  // What the answer is to: one to HEAD has no body, whatever its head says.
  enum class To : std::uint8_t { head, other };
  AnswerReader(const HeadLimits& limits, To request) : limits_(limits), request_(request) {}

  struct Step {
    std::size_t used = 0;  // bytes that are not needed any more
    std::optional<HttpResponseHead> head = {};
    BytesView piece = {};  // of the body, in `bytes`
  };
  // Takes as much as makes a head or a piece; call it again with the rest. If it uses nothing it
  // needs more: then give it the same bytes again with others behind them. Interim answers (1xx)
  // are skipped. Names of headers are in lower case.
  HttpResult<Step> read(std::span<std::uint8_t> bytes);

  // The server sends no more. A failure where something is missing.
  enum class End : std::uint8_t { closed, broken };
  HttpResult<void> on_end(End end);

  bool has_begun() const { return has_begun_; }  // a byte of it has come
  bool is_done() const { return phase_ == Phase::done; }
  // Once it is done: the connection may be used again.
  bool keeps_alive() const { return keeps_alive_; }
  // How long the server says it keeps an idle connection.
  std::optional<std::uint64_t> keep_alive_seconds() const { return keep_alive_seconds_; }

 private:
  enum class Phase : std::uint8_t { head, body, until_closed, done };
  HttpResult<Step> read_head(std::string_view text);
  HttpResult<void> frame(const HttpResponseHead& head, unsigned minor_version);

  HeadLimits limits_;
  To request_;
  Phase phase_ = Phase::head;
  std::size_t searched_ = 0;  // of a head: its end is not before here
  std::size_t interim_ = 0;   // answers of 1xx
  BodyDecoder body_;
  bool has_begun_ = false;
  bool keeps_alive_ = false;
  std::optional<std::uint64_t> keep_alive_seconds_ = {};
};

}  // namespace cordon::transport::http
