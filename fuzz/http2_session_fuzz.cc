// Any bytes as what a client of HTTP/2 sends: requests keep to what a handler may count on, there
// are never more of them than there may be, and all of them end with the connection.
//
// The first byte says how the rest is cut, and whether it comes after a preface.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bounded.h"
#include "require.h"

#include "cordon/transport/http/testing/http2_peer.h"

namespace {

using namespace cordon;
using namespace cordon::transport::http;
using cordon::fuzz::bounded;
using cordon::fuzz::require;
using cordon::transport::http::testing::Http2Peer;

constexpr std::size_t max_headers = 12;
constexpr std::size_t max_head_bytes = 600;

struct Handlers {
  std::size_t running = 0;

  asio::awaitable<void> answer(Exchange& exchange) {
    require(++running <= 2 * Http2Session::max_streams, "a bounded number of handlers");
    check(exchange.head());
    const ResponseHead head;
    if (exchange.head().method == "GET") {
      co_await exchange.respond(head, "hello");
    } else {
      co_await echo(exchange, head);
    }
    --running;
  }

  static asio::awaitable<void> echo(Exchange& exchange, const ResponseHead& head) {
    co_await exchange.start(head);
    std::uint64_t size = 0;
    for (;;) {
      const Result<BytesView> piece = co_await exchange.read();
      if (!piece) co_return;
      if (piece->empty()) break;
      size += piece->size();
      const bool is_there = co_await exchange.write(*piece);
      if (!is_there) co_return;
    }
    require(exchange.head().content_length.value_or(size) == size, "the length that was promised");
    co_await exchange.finish();
  }

  static void check(const RequestHead& head) {
    require(head.count("host") == 1, "a host");
    require(head.count("content-length") <= 1, "one length");
    require(head.count("transfer-encoding") == 0, "no coding");
    require(head.count("cookie") <= 1, "one cookie");
    // The host is said by a pseudo-header.
    require(head.headers.size() <= max_headers + 1, "a bounded number of headers");
    require(head.target.starts_with('/') || head.target == "*", "a path");
    std::size_t bytes = head.target.size() + head.method.size();
    for (const Header& header : head.headers) {
      bytes += header.name.size() + header.value.size();
      require(!header.name.empty() && !header.name.starts_with(':'), "a name");
      for (const char c : header.name + header.value)
        require(c != '\r' && c != '\n' && c != '\0', "no line end");
    }
    require(bytes <= max_head_bytes, "a bounded head");
  }
};

// To the end of the connection.
bool serve(const std::uint8_t* data, std::size_t size) {
  Handlers handlers;
  {
    HttpOptions options;
    options.limits.header_bytes = max_head_bytes;
    options.limits.header_count = max_headers;
    Http2Peer peer(options, [&](Exchange& exchange) { return handlers.answer(exchange); });
    if ((data[0] & 1) == 0) peer.send(Http2Peer::preface());
    const std::size_t piece = (data[0] & 2) == 0 ? size : 1 + data[0] / 4U;
    std::string_view left(reinterpret_cast<const char*>(data) + 1, size - 1);
    while (!left.empty() && !peer.session().is_over()) {
      peer.send(left.substr(0, piece));
      left.remove_prefix(std::min(piece, left.size()));
    }
    peer.pass(std::chrono::seconds(40));
    peer.lose();
    peer.run();
    require(handlers.running == 0, "handlers end with their connection");
  }
  return true;
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // A connection has windows and blocks whatever is sent on it.
  bounded(size, [&] { return serve(data, size); }, std::size_t{2} << 20);
  return 0;
}
