#pragma once

// One HTTP request and its answer, on the thread of its connection.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "cordon/bytes.h"
#include "cordon/protocol/http_head.h"
#include "cordon/result.h"

namespace cordon::transport::http {

namespace asio = boost::asio;

using Header = HttpHeader;
using RequestHead = HttpRequestHead;
using ResponseHead = HttpResponseHead;

struct Upgraded;

class Exchange {
 public:
  virtual const RequestHead& head() const = 0;

  // The next piece of the body, in the room of the connection: valid until the next read. Nothing
  // is the end. ErrorCode::closed where the client went away, ErrorCode::malformed where the body
  // is malformed, ErrorCode::timeout where no more of it comes; after any only an answer is left to
  // do. One read at a time, beside which an answer may be written; one that the handler leaves
  // pending ends as ErrorCode::cancelled. Sends `100 Continue` first where the client waits.
  virtual asio::awaitable<Result<BytesView>> read() = 0;
  // As read(), into `room`: for readers that want to own the bytes without a copy.
  virtual asio::awaitable<Result<std::size_t>> read_into(std::span<std::uint8_t> room) = 0;

  // A whole answer, with its length. For HEAD the body is not sent. What the handler has not read
  // of the request's body is dropped: nothing is to be read any more, nor used of the last piece.
  virtual asio::awaitable<void> respond(const ResponseHead& head, std::string body) = 0;
  // For an answer of unknown length: start, write any number of times, finish. write() waits until
  // the client has room, and returns false if it went away. An answer that is not finished ends the
  // connection (in HTTP/2 the stream), so that the client knows that something is missing.
  virtual asio::awaitable<bool> start(const ResponseHead& head) = 0;
  virtual asio::awaitable<bool> write(BytesView bytes) = 0;
  virtual asio::awaitable<void> finish() = 0;
  virtual bool has_started() const = 0;
  // Or one that ends HTTP on this connection: sends the head, with `Connection: Upgrade`, and gives
  // the connection away; see upgraded.h. Only for a request of HTTP/1.1 without a body, and nothing
  // may be asked of the exchange afterwards. Null where that cannot be.
  virtual asio::awaitable<std::unique_ptr<Upgraded>> upgrade(const ResponseHead& head);

  // Stops when the client goes away before its answer was finished. Noticed while nothing is read,
  // too.
  virtual std::stop_token aborted() const = 0;

 protected:
  ~Exchange() = default;
};

// Answers every request once; what it left unread of the body is drained, up to a bound, or the
// connection ends (of HTTP/2: the stream). An exception ends the connection, or stream, as well.
using Handler = std::function<asio::awaitable<void>(Exchange&)>;

}  // namespace cordon::transport::http
