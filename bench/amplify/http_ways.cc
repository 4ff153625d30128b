// HTTP/1.1 and HTTP/2, before anybody has shown a token.

#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include "amplify/plain_client.h"
#include "amplify/way.h"
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "cordon/transport/http/testing/http2_peer.h"
#include "cordon/transport/http/testing/test_server.h"

namespace cordon::amplify {
namespace {

namespace http = transport::http;
using http::testing::Frame;
using http::testing::Http2Peer;
using http::testing::pack;
using http::testing::packed_length;
using http::testing::TestServer;
using http::testing::to_bytes;

// As many connections as it takes, each with the same bytes; they stay open until all has been
// read.
Outcome send_to_all(const std::string& each, std::size_t count) {
  transport::raise_file_limit();
  TestServer server;
  std::vector<PlainClient> clients;
  for (std::size_t i = 0; i < count; ++i) {
    clients.emplace_back(server.port());
    clients.back().send(each);
  }
  const bool all_came = TestServer::eventually(
      [&] { return server.server().figures().bytes_in == each.size() * count; });
  return {.text = all_came ? "held" : "refused"};
}

Input on_many(std::string name, std::string each) {
  return {std::move(name), [each = std::move(each)](std::size_t size) {
            const std::size_t count = std::max<std::size_t>(1, size / each.size());
            return Attack{.in = each.size() * count,
                          .run = [=] { return send_to_all(each, count); }};
          }};
}

// One connection, to its end.
Input on_one(std::string name, std::function<std::string(std::size_t)> make) {
  return {std::move(name), [make = std::move(make)](std::size_t size) {
            auto text = std::make_shared<const std::string>(make(size));
            return Attack{.in = text->size(), .run = [text] {
                            TestServer server;
                            PlainClient client(server.port());
                            client.send(*text);
                            client.read_to_end();
                            return Outcome{.text = client.first_line()};
                          }};
          }};
}

const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n";

Way http1_way() {
  std::string tiny_headers = get;
  for (int i = 0; i < 98; ++i) tiny_headers += "a:\r\n";
  const std::string chunked =
      "POST /count HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
  return {.name = "HTTP/1.1",
          .inputs = {on_many("heads that do not end", get + "a: " + std::string(15'000, 'x')),
                     on_many("heads of 8,200 bytes that do not end",
                             get + "a: " + std::string(8'200 - get.size() - 3, 'x')),
                     on_one("requests of tiny headers",
                            [=](std::size_t size) {
                              return repeated_to(size, "", tiny_headers + "\r\n",
                                                 tiny_headers + "Connection: close\r\n\r\n");
                            }),
                     on_one("requests",
                            [](std::size_t size) {
                              return repeated_to(size, "", get + "\r\n",
                                                 get + "Connection: close\r\n\r\n");
                            }),
                     on_one("chunks of a byte",
                            [=](std::size_t size) {
                              return repeated_to(size, chunked, "1\r\nx\r\n", "0\r\n\r\n");
                            })},
          .fixed_bytes = std::size_t{1} << 20,
          .limited_by =
              "16 KiB of a head, in a block of 8 or 128 KiB; nothing is read ahead of a "
              "body's reader"};
}

// What is sent is next to nothing: connections are counted.
Input connections(std::string name, std::string each) {
  return {std::move(name), [each = std::move(each)](std::size_t count) {
            return Attack{.in = count, .run = [=] { return send_to_all(each, count); }};
          }};
}

Way connection_way() {
  return {.name = "a connection",
          .inputs = {connections("a byte", "G"),
                     connections("a head, and nothing of its body",
                                 "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
                                 "chunked\r\n\r\n")},
          .bytes_per_byte = 20'000,
          .sizes = {64, 256, 512},
          .unit = "connection",
          .limited_by = "`max` and `maxPerAddress`"};
}

// A client of HTTP/2 that sends all of it, and reads what comes unless told otherwise.
enum class Reader : std::uint8_t { there, none };
Input on_http2(std::string name, std::function<std::string(std::size_t)> make,
               Reader reader = Reader::there) {
  return {std::move(name), [=](std::size_t size) {
            auto text = std::make_shared<const std::string>(make(size));
            return Attack{
                .in = text->size(), .run = [text, reader] {
                  const auto wait = [](http::Exchange& exchange) -> http::asio::awaitable<void> {
                    const auto executor = co_await boost::asio::this_coro::executor;
                    boost::asio::steady_timer timer(executor, Instant::max());
                    const std::stop_callback on_stop(exchange.aborted(), [&] { timer.cancel(); });
                    boost::system::error_code ignored;
                    if (!exchange.aborted().stop_requested()) {
                      co_await timer.async_wait(
                          boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
                    }
                  };
                  Http2Peer peer({}, wait);
                  peer.send(Http2Peer::preface());
                  peer.is_reading = reader == Reader::there;
                  constexpr std::size_t piece = 16'384;
                  for (std::size_t at = 0; at < text->size(); at += piece) {
                    if (peer.session().is_over() || peer.session().is_choked()) break;
                    peer.send(std::string_view(*text).substr(at, piece));
                  }
                  return Outcome{.text = peer.session().is_over()     ? "ended"
                                         : peer.session().is_choked() ? "not read on"
                                                                      : "read"};
                }};
          }};
}

std::string head_frame(std::uint32_t stream, const std::string& block, unsigned flags) {
  return to_bytes({.type = NGHTTP2_HEADERS,
                   .flags = NGHTTP2_FLAG_END_HEADERS | flags,
                   .stream = stream,
                   .payload = block});
}

Way http2_way() {
  const std::string entry = "\x40\x01x" + packed_length(3'900) + std::string(3'900, 'b');
  const auto bomb = [=](std::size_t size) {
    std::string text = head_frame(1, pack(Http2Peer::get("/")) + entry, NGHTTP2_FLAG_END_STREAM);
    for (std::uint32_t stream = 3; text.size() < size; stream += 2) {
      text += head_frame(stream, pack(Http2Peer::get("/")) + std::string(16'000, '\xbe'),
                         NGHTTP2_FLAG_END_STREAM);
    }
    return text;
  };
  // As large as may be, a hundred at once.
  const auto heads = [=](std::size_t size) {
    std::string text = head_frame(1, pack(Http2Peer::get("/")) + entry, NGHTTP2_FLAG_END_STREAM);
    for (std::uint32_t stream = 3; text.size() < size; stream += 2) {
      text += head_frame(stream, pack(Http2Peer::get("/")) + std::string(4, '\xbe'),
                         NGHTTP2_FLAG_END_STREAM);
    }
    return text;
  };
  const auto bodies = [](std::size_t size) {
    std::string text;
    for (std::uint32_t stream = 1; text.size() < size; stream += 2) {
      text += head_frame(stream, pack(Http2Peer::post("/")), 0);
      text += to_bytes({.type = NGHTTP2_DATA, .stream = stream, .payload = "x"});
    }
    return text;
  };
  const auto pings = [](std::size_t size) {
    return repeated_to(size, "", to_bytes({.type = NGHTTP2_PING, .payload = "12345678"}), "");
  };
  return {.name = "HTTP/2",
          .inputs = {on_http2("heads of references", bomb), on_http2("a hundred heads", heads),
                     on_http2("a hundred bodies of a byte", bodies), on_http2("PING", pings),
                     on_http2("PING, unread", pings, Reader::none)},
          .fixed_bytes = std::size_t{4} << 20,
          .limited_by =
              "100 requests at once, 16 KiB of head and 8 KiB of body each; 2 MiB of "
              "bodies"};
}

}  // namespace

std::vector<Way> http_ways() { return {http1_way(), connection_way(), http2_way()}; }

}  // namespace cordon::amplify
