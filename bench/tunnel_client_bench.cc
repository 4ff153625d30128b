// The client of tunnels, next to that of npm @bluelibs/runner (CORDON_PEERS: its folder): calls
// with 1, 16 and 64 in flight to a bare echo of Boost.Beast, a process of its own with one thread,
// which answers always the same. And a stream of 1 GB through it and back, with the memory that it
// takes. docs/benchmarks.md explains the rows. It judges nothing by its exit code.
//
//   tunnel_client_bench serve              the echo alone: prints its URL, and serves until it is
//                                          killed
//   tunnel_client_bench load URL N SECONDS only our calls, for a profiler

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/process.h"
#include "tunnel/served.h"
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "cordon/json.h"
#include "cordon/tunnel_client.h"

namespace cordon::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Clock = std::chrono::steady_clock;

constexpr std::array in_flight = {1, 16, 64};
constexpr double seconds_of_load = 3;
constexpr int rounds = 3;
constexpr std::uint64_t stream_bytes = std::uint64_t{1} << 30;

// The echo.

asio::awaitable<void> echo_stream(beast::tcp_stream& stream, beast::flat_buffer& buffer,
                                  http::request_parser<http::buffer_body>& parser) {
  http::response<http::buffer_body> answer(http::status::ok, 11);
  answer.set(http::field::content_type, "application/octet-stream");
  answer.chunked(true);
  answer.body().data = nullptr;
  answer.body().more = true;
  http::response_serializer<http::buffer_body> serializer(answer);
  (void)co_await http::async_write_header(stream, serializer, asio::use_awaitable);
  std::vector<char> room(std::size_t{64} << 10);
  while (!parser.is_done()) {
    parser.get().body().data = room.data();
    parser.get().body().size = room.size();
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    (void)co_await http::async_read(stream, buffer, parser, token);
    if (error && error != http::error::need_buffer) co_return;
    const std::size_t size = room.size() - parser.get().body().size;
    if (size == 0) continue;
    answer.body().data = room.data();
    answer.body().size = size;
    answer.body().more = true;
    boost::system::error_code ignored;
    auto written = asio::redirect_error(asio::use_awaitable, ignored);
    (void)co_await http::async_write(stream, serializer, written);
  }
  answer.body().data = nullptr;
  answer.body().more = false;
  (void)co_await http::async_write(stream, serializer, asio::use_awaitable);
}

asio::awaitable<void> echo(asio::ip::tcp::socket socket) {
  socket.set_option(asio::ip::tcp::no_delay(true));
  beast::tcp_stream stream(std::move(socket));
  beast::flat_buffer buffer;
  http::response<http::string_body> answer(http::status::ok, 11);
  answer.set(http::field::content_type, "application/json; charset=utf-8");
  answer.body() = R"({"ok":true,"result":3})";
  answer.prepare_payload();
  try {
    for (;;) {
      http::request_parser<http::buffer_body> parser;
      parser.body_limit(boost::none);
      (void)co_await http::async_read_header(stream, buffer, parser, asio::use_awaitable);
      if (parser.get()[http::field::content_type] == "application/octet-stream") {
        co_await echo_stream(stream, buffer, parser);
        continue;
      }
      std::array<char, 4096> room;
      while (!parser.is_done()) {
        parser.get().body().data = room.data();
        parser.get().body().size = room.size();
        boost::system::error_code error;
        auto token = asio::redirect_error(asio::use_awaitable, error);
        (void)co_await http::async_read(stream, buffer, parser, token);
        if (error && error != http::error::need_buffer) co_return;
      }
      (void)co_await http::async_write(stream, answer, asio::use_awaitable);
    }
  } catch (const boost::system::system_error&) {
    co_return;
  }
}

asio::awaitable<void> accept_all(asio::ip::tcp::acceptor acceptor) {
  for (;;) {
    asio::ip::tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    asio::co_spawn(acceptor.get_executor(), echo(std::move(socket)), asio::detached);
  }
}

int serve() {
  asio::io_context io{1};
  asio::ip::tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
  fmt::print("http://127.0.0.1:{}\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  asio::co_spawn(io, accept_all(std::move(acceptor)), asio::detached);
  io.run();
  return 0;
}

// Our calls.

struct Calls {
  double rate = 0;  // a second
  double p99 = 0;   // in seconds
};

Coroutine<bool> call_until(TunnelClient& client, Clock::time_point end, std::vector<float>& times) {
  const Value input = Value::object({{"a", 1}, {"b", 2}});
  for (;;) {
    const Clock::time_point start = Clock::now();
    if (start >= end) co_return true;
    TunnelInput given(input);
    Coroutine<TunnelResult<Value>> call = client.task("add", std::move(given));
    const TunnelResult<Value> result = co_await call;
    if (!result || result->as_number() != 3) std::abort();
    times.push_back(std::chrono::duration<float>(Clock::now() - start).count());
  }
}

Calls load(TunnelClient& client, int count, double seconds) {
  std::vector<float> times;
  times.reserve(1'000'000);
  const Clock::time_point begin = Clock::now();
  const auto end =
      begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::vector<std::future<bool>> all;
  // All of them run on the client's thread from their first answer on.
  std::vector<std::vector<float>> own(static_cast<std::size_t>(count));
  all.reserve(own.size());
  for (std::vector<float>& part : own) all.push_back(start(call_until(client, end, part)));
  for (std::future<bool>& one : all) one.get();
  const double taken = std::chrono::duration<double>(Clock::now() - begin).count();
  for (const std::vector<float>& part : own) times.insert(times.end(), part.begin(), part.end());
  std::ranges::sort(times);
  return {static_cast<double>(times.size()) / taken, times[times.size() * 99 / 100]};
}

TunnelClient client_for(const std::string& url) {
  return *TunnelClient::create({.url = url, .token = "secret", .uses_proxies = false});
}

Calls our_rate(const std::string& url, int count) {
  TunnelClient client = client_for(url);
  load(client, count, 0.5);
  return load(client, count, seconds_of_load);
}

std::optional<Calls> npm_rate(const std::string& url, int count) {
  const char* const peers = std::getenv("CORDON_PEERS");
  if (peers == nullptr) return std::nullopt;
  const Result<std::string> text =
      output_of({"node", std::string(peers) + "/tunnel_client.mjs", url, std::to_string(count),
                 std::to_string(seconds_of_load)},
                "");
  if (!text) return std::nullopt;
  const Result<Value> found = from_json(*text);
  if (!found) return std::nullopt;
  return Calls{found->find("calls").as_number(), found->find("p99").as_number()};
}

// A stream.

class ManyBytes : public ByteSource {
 public:
  void read(Next next) override {
    const std::uint64_t size = std::min<std::uint64_t>(left_, 65'536);
    left_ -= size;
    next(Bytes(size, 'x'));
  }
  void close() override {}

 private:
  std::uint64_t left_ = stream_bytes;
};

std::uint64_t read_all(ByteSource& source) {
  std::uint64_t sum = 0;
  std::promise<void> done;
  std::function<void()> read = [&] {
    source.read([&](Result<Bytes> piece) {
      if (!piece || piece->empty()) return done.set_value();
      sum += piece->size();
      read();
    });
  };
  read();
  done.get_future().wait();
  return sum;
}

void stream(const std::string& url) {
  TunnelClient client = client_for(url);
  const std::uint64_t before = resident_bytes();
  const Clock::time_point begin = Clock::now();
  TunnelInput input = TunnelInput::from_stream(std::make_shared<ManyBytes>());
  TunnelResult<TunnelAnswer> answer = start(client.call("echo", std::move(input))).get();
  if (!answer) std::abort();
  const std::uint64_t sum = read_all(*std::get<TunnelStream>(*answer).bytes);
  const double taken = std::chrono::duration<double>(Clock::now() - begin).count();
  const std::uint64_t after = resident_bytes();
  fmt::print(
      "\n1 GiB through the echo and back: {:.0f} MB/s, {:.1f} MiB more resident ({:.1f} MiB "
      "in all); {}\n",
      static_cast<double>(sum) / 1e6 / taken,
      (static_cast<double>(after) - static_cast<double>(before)) / (1 << 20),
      static_cast<double>(after) / (1 << 20), sum == stream_bytes ? "whole" : "**not whole**");
}

int run() {
  const Served server({own_path(), "serve"});
  fmt::print("| in flight | ours | p99 | npm | p99 | ratio | bar | met |\n");
  fmt::print("| ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n");
  for (const int count : in_flight) {
    Calls ours;
    std::optional<Calls> npm;
    for (int i = 0; i < rounds; ++i) {
      const Calls one = our_rate(server.url(), count);
      if (one.rate > ours.rate) ours = one;
      const std::optional<Calls> other = npm_rate(server.url(), count);
      if (other && (!npm || other->rate > npm->rate)) npm = other;
    }
    const double ratio = npm ? ours.rate / npm->rate : 0;
    fmt::print("| {} | {:.0f} /s | {:.0f} µs | {} | {} | {} | ≥ 5 × | {} |\n", count, ours.rate,
               ours.p99 * 1e6, npm ? fmt::format("{:.0f} /s", npm->rate) : "—",
               npm ? fmt::format("{:.0f} µs", npm->p99 * 1e6) : "—",
               npm ? fmt::format("{:.1f} ×", ratio) : "—",
               !npm         ? "—"
               : ratio >= 5 ? "yes"
                            : "**no**");
    std::fflush(stdout);
  }
  stream(server.url());
  return 0;
}

}  // namespace
}  // namespace cordon::bench

int main(int count, char** words) {
  using namespace cordon::bench;
  const std::string what = count > 1 ? words[1] : "";
  if (what == "serve") return serve();
  if (what == "load" && count > 4) {
    cordon::TunnelClient client = client_for(words[2]);
    const Calls found = load(client, std::atoi(words[3]), std::atof(words[4]));
    fmt::print("{:.0f} /s, p99 {:.0f} µs\n", found.rate, found.p99 * 1e6);
    return 0;
  }
  return run();
}
