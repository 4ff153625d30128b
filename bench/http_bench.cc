// What HTTP itself costs: a small JSON answer under wrk, and a large body echoed, next to a thread
// that does nothing but read and write. docs/benchmarks.md explains the rows. It judges nothing by
// its exit code. `http_bench --serve` only serves, for a profiler, and says where.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "cordon/transport/acceptor.h"
#include "cordon/transport/http/http_server.h"
#include "cordon/transport/listening_socket.h"

namespace cordon::bench {
namespace {

namespace http = transport::http;
namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

constexpr std::size_t threads = 2;
constexpr std::size_t echo_bytes = std::size_t{512} << 20;
constexpr std::size_t piece_bytes = std::size_t{256} << 10;
constexpr int repeats = 5;

// As an answer of the tunnel: the body is read, and what goes back has the tunnel's headers.
asio::awaitable<void> add(http::Exchange& exchange) {
  std::size_t size = 0;
  for (;;) {
    const Result<BytesView> piece = co_await exchange.read();
    if (!piece || piece->empty()) break;
    size += piece->size();
  }
  http::ResponseHead head;
  head.headers.push_back({"content-type", "application/json; charset=utf-8"});
  head.headers.push_back({"x-content-type-options", "nosniff"});
  head.headers.push_back({"x-runner-request-id", "2d0e1c7a-0a7f-4d0c-9d4c-5b1f3f0f9d10"});
  co_await exchange.respond(head, size > 0 ? "{\"ok\":true,\"result\":3}" : "{\"ok\":false}");
}

asio::awaitable<void> echo(http::Exchange& exchange) {
  http::ResponseHead head;
  head.headers.push_back({"content-type", "application/octet-stream"});
  co_await exchange.start(head);
  Bytes room(piece_bytes);
  for (;;) {
    const Result<std::size_t> size = co_await exchange.read_into(room);
    if (size.value_or(0) == 0) break;
    const BytesView bytes(room.data(), *size);
    const bool is_there = co_await exchange.write(bytes);
    if (!is_there) co_return;
  }
  co_await exchange.finish();
}

asio::awaitable<void> answer(http::Exchange& exchange) {
  if (exchange.head().target == "/echo") return echo(exchange);
  return add(exchange);
}

class Server {
 public:
  Server() : socket_(*transport::ListeningSocket::open(*transport::parse_http_address("0"))) {
    std::vector<transport::Adopter*> all;
    for (const auto& shard : shards_) {
      shard->server = std::make_unique<http::HttpServer>(shard->io, http::HttpOptions{}, answer);
      all.push_back(shard->server.get());
    }
    for (const auto& shard : shards_) {
      shard->acceptor = std::make_unique<transport::Acceptor>(
          shard->io, *socket_.duplicate(), gate_,
          transport::Balance{.own = *shard->server, .all = all});
      shard->thread = std::thread([&io = shard->io] { io.run(); });
    }
  }
  ~Server() {
    for (const auto& shard : shards_) shard->io.stop();
    for (const auto& shard : shards_) shard->thread.join();
  }

  std::uint16_t port() const { return socket_.address().port; }
  std::string url() const { return socket_.address().url(false); }

 private:
  struct Shard {
    asio::io_context io{1};
    std::unique_ptr<http::HttpServer> server;
    std::unique_ptr<transport::Acceptor> acceptor;
    std::thread thread;
  };
  static std::vector<std::unique_ptr<Shard>> make_shards() {
    std::vector<std::unique_ptr<Shard>> shards;
    for (std::size_t i = 0; i < threads; ++i) shards.push_back(std::make_unique<Shard>());
    return shards;
  }

  transport::ListeningSocket socket_;
  transport::ConnectionGate gate_{ConnectionLimits()};
  std::vector<std::unique_ptr<Shard>> shards_ = make_shards();
};

// A request and its answer.

std::string output_of(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  std::array<char, 4096> room;
  while (const std::size_t size = fread(room.data(), 1, room.size(), pipe))
    text.append(room.data(), size);
  return pclose(pipe) == 0 ? text : std::string();
}

void measure_requests(const Server& server, int seconds) {
  const std::filesystem::path script =
      std::filesystem::temp_directory_path() / fmt::format("http_bench_{}.lua", getpid());
  std::ofstream(script) << "wrk.method = 'POST'\nwrk.body = '{\"input\":{\"a\":1,\"b\":2}}'\n"
                           "wrk.headers['Content-Type'] = 'application/json'\n"
                           "wrk.headers['x-runner-token'] = 'secret'\n";
  for (const int connections : {1, 16, 64}) {
    const std::string text =
        output_of(fmt::format("wrk -t1 -c{} -d{}s --latency -s {} {}/task/add", connections,
                              seconds, script.string(), server.url()));
    const auto after = [&](std::string_view label) {
      const std::size_t at = text.find(label);
      if (at == text.npos) return std::string("?");
      const std::size_t begin = text.find_first_not_of(' ', at + label.size());
      return text.substr(begin, text.find('\n', begin) - begin);
    };
    fmt::print("JSON, {:>2} connections: {:>10} requests/s, p50 {}, p99 {}\n", connections,
               after("Requests/sec:"), after("50%"), after("99%"));
  }
  std::filesystem::remove(script);
}

// Echoes.

int connect_to(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(port);
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) std::abort();
  return descriptor;
}

void send_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) std::abort();
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// Sends from one thread and receives with another, so that neither waits for the other.
double megabytes_per_second(std::uint16_t port, std::string_view head, bool is_chunked) {
  const int descriptor = connect_to(port);
  const auto start = Clock::now();
  std::thread sender([&] {
    send_all(descriptor, head);
    const std::string data(65'536, 'x');
    const std::string piece = is_chunked ? "10000\r\n" + data + "\r\n" : data;
    for (std::size_t sent = 0; sent < echo_bytes; sent += data.size()) send_all(descriptor, piece);
    if (is_chunked) send_all(descriptor, "0\r\n\r\n");
    shutdown(descriptor, SHUT_WR);
  });
  std::vector<char> room(piece_bytes);
  std::size_t received = 0;
  while (const ssize_t size = recv(descriptor, room.data(), room.size(), 0)) {
    if (size < 0) std::abort();
    received += static_cast<std::size_t>(size);
  }
  const std::chrono::duration<double> time = Clock::now() - start;
  sender.join();
  close(descriptor);
  if (received < echo_bytes) std::abort();
  return static_cast<double>(echo_bytes) / 1e6 / time.count();
}

// One connection, read and written by a thread that waits in both.
class BareEcho {
 public:
  BareEcho()
      : socket_(*transport::ListeningSocket::open(*transport::parse_http_address("0"))),
        listening_(waiting(socket_.duplicate()->release())),
        thread_([this] { serve(); }) {}
  ~BareEcho() {
    shutdown(listening_, SHUT_RDWR);
    thread_.join();
    close(listening_);
  }
  std::uint16_t port() const { return socket_.address().port; }

 private:
  static int waiting(int descriptor) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    return descriptor;
  }

  void serve() const {
    for (;;) {
      const int descriptor = accept(listening_, nullptr, nullptr);
      if (descriptor < 0) return;
      std::vector<char> room(piece_bytes);
      for (;;) {
        const ssize_t size = recv(descriptor, room.data(), room.size(), 0);
        if (size <= 0) break;
        send_all(descriptor, {room.data(), static_cast<std::size_t>(size)});
      }
      close(descriptor);
    }
  }

  transport::ListeningSocket socket_;
  int listening_;
  std::thread thread_;
};

double middle(std::vector<double> figures) {
  std::ranges::sort(figures);
  return figures[figures.size() / 2];
}

void measure_echo(const Server& server) {
  const BareEcho bare;
  const std::string common = "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
  const std::string lengthy = common + fmt::format("Content-Length: {}\r\n\r\n", echo_bytes);
  const std::string chunked = common + "Transfer-Encoding: chunked\r\n\r\n";
  std::vector<double> bares;
  std::vector<double> lengths;
  std::vector<double> chunks;
  for (int i = 0; i < repeats; ++i) {
    bares.push_back(megabytes_per_second(bare.port(), "", false));
    lengths.push_back(megabytes_per_second(server.port(), lengthy, false));
    chunks.push_back(megabytes_per_second(server.port(), chunked, true));
  }
  const double unit = middle(bares);
  fmt::print("echo, a bare read and write: {:>6.0f} MB/s\n", unit);
  fmt::print("echo, body with a length:    {:>6.0f} MB/s, {:.2f} of the bare one\n",
             middle(lengths), middle(lengths) / unit);
  fmt::print("echo, body in chunks:        {:>6.0f} MB/s, {:.2f} of the bare one\n", middle(chunks),
             middle(chunks) / unit);
}

// Connections that wait.

std::size_t resident_bytes() {
  std::size_t pages = 0;
  std::ifstream statm("/proc/self/statm");
  statm >> pages >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Each has asked once. They are another process's, so that what they take there does not count.
void measure_idle(const Server& server) {
  constexpr std::size_t count = 10'000;
  const std::size_t before = resident_bytes();
  int done[2];
  int leave[2];
  if (pipe(done) != 0 || pipe(leave) != 0) std::abort();
  const pid_t clients = fork();
  if (clients == 0) {
    transport::raise_file_limit();
    for (std::size_t i = 0; i < count; ++i) {
      const int descriptor = connect_to(server.port());
      send_all(descriptor,
               "POST /task/add HTTP/1.1\r\nHost: localhost:7070\r\nAccept: */*\r\nUser-Agent: "
               "some-client/1.2.3\r\nContent-Type: application/json\r\nContent-Length: "
               "23\r\n\r\n{\"input\":{\"a\":1,\"b\":2}}");
      std::array<char, 1024> room;
      if (recv(descriptor, room.data(), room.size(), 0) <= 0) _exit(1);
    }
    char byte = 'x';
    (void)!write(done[1], &byte, 1);
    close(leave[1]);
    (void)!read(leave[0], &byte, 1);
    _exit(0);
  }
  close(done[1]);
  char byte = 0;
  const bool are_there = read(done[0], &byte, 1) == 1;
  const std::size_t each = (resident_bytes() - before) / count;
  fmt::print("{} idle connections: {}, {} bytes each\n", count, are_there ? "held" : "NOT held",
             each);
  close(leave[1]);
  waitpid(clients, nullptr, 0);
}

}  // namespace
}  // namespace cordon::bench

int main(int count, char** arguments) {
  using namespace cordon::bench;
  cordon::transport::raise_file_limit();
  const Server server;
  if (count > 1 && std::string_view(arguments[1]) == "--serve") {
    fmt::print("{}\n", server.url());
    std::fflush(stdout);
    pause();
  }
  measure_requests(server, count > 1 ? std::atoi(arguments[1]) : 5);
  measure_echo(server);
  measure_idle(server);
}
