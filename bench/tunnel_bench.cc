// The tunnel with tasks in C++, asked by wrk and by clients of our own.
//
//   tunnel_bench            all rows
//   tunnel_bench serve      serves on a port of its own until it is killed, for tools of yours
//
// Server and load share the machine's processors, as they do in the figures of the reference.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "cordon/server.h"

namespace {

using namespace cordon;
using Clock = std::chrono::steady_clock;

Task<Result<Value>> count_bytes(ByteSource& source) {
  double bytes = 0;
  for (;;) {
    Result<Bytes> piece = co_await next_piece(source);
    if (!piece) co_return fail(piece.error());
    if (piece->empty()) break;
    bytes += static_cast<double>(piece->size());
  }
  co_return Value(bytes);
}

void set_up(Server& server) {
  server.task("add", [](Value input) -> Result<Value> {
    return input.find("a").as_number() + input.find("b").as_number();
  });
  server.task("call", [](TaskCall& call) -> Result<Value> {
    return call.input.find("a").as_number() + call.input.find("b").as_number();
  });
  server.task("echo", [](TaskCall& call) -> TaskAnswer { return StreamedResult{call.body}; });
  server.task("count", [](TaskCall& call) -> Task<Result<Value>> {
    Result<Value> bytes = co_await count_bytes(*call.body);
    co_return bytes;
  });
  server.task("upload", [](TaskCall& call) -> Task<Result<Value>> {
    double sum = 0;
    for (TaskFile& file : call.files) {
      const Result<Value> bytes = co_await count_bytes(*file.stream);
      if (!bytes) co_return fail(bytes.error());
      sum += bytes->as_number();
    }
    co_return Value(sum);
  });
}

int connected(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    exit(1);
  return descriptor;
}

void send_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

// Until the end of the connection, which the request asked for.
std::size_t receive_all(int descriptor) {
  std::vector<char> room(1 << 18);
  std::size_t sum = 0;
  for (ssize_t size; (size = recv(descriptor, room.data(), room.size(), 0)) > 0;)
    sum += static_cast<std::size_t>(size);
  return sum;
}

std::string head(std::string_view task, std::string_view type, std::size_t length) {
  return fmt::format(
      "POST /__runner/task/{} HTTP/1.1\r\nhost: x\r\nx-runner-token: secret\r\nconnection: "
      "close\r\n"
      "content-type: {}\r\ncontent-length: {}\r\n\r\n",
      task, type, length);
}

void row(std::string_view what, double megabytes, Clock::time_point began) {
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  fmt::print("{:<40} {:>8.0f} MB/s\n", what, megabytes / seconds);
}

void transfer(std::uint16_t port, std::string_view what, std::string_view task) {
  constexpr std::size_t piece_bytes = 1 << 20;
  constexpr std::size_t pieces = 512;
  const std::string piece(piece_bytes, 'x');
  const auto began = Clock::now();
  const int descriptor = connected(port);
  std::jthread sender([&] {
    send_all(descriptor, head(task, "application/octet-stream", piece_bytes * pieces));
    for (std::size_t i = 0; i < pieces; ++i) send_all(descriptor, piece);
  });
  receive_all(descriptor);
  row(what, static_cast<double>(piece_bytes * pieces) / 1e6, began);
  close(descriptor);
}

void upload(std::uint16_t port) {
  constexpr int files = 8;
  const std::string content(16'000'000, 'x');
  std::string manifest = R"({"input":{"files":[)";
  std::string body;
  for (int i = 0; i < files; ++i) {
    manifest += fmt::format(
        R"({}{{"$runnerFile":"File","id":"f{}","meta":{{"name":"a","type":"text/plain"}}}})",
        i == 0 ? "" : ",", i);
    body += fmt::format(
        "--b0\r\nContent-Disposition: form-data; name=\"file:f{}\"; filename=\"a\"\r\n"
        "Content-Type: text/plain\r\n\r\n",
        i);
    body += content + "\r\n";
  }
  body = "--b0\r\nContent-Disposition: form-data; name=\"__manifest\"\r\n\r\n" + manifest +
         "]}}\r\n" + body + "--b0--\r\n";
  const int descriptor = connected(port);
  const auto began = Clock::now();
  std::jthread sender([&] {
    send_all(descriptor, head("upload", "multipart/form-data; boundary=b0", body.size()));
    send_all(descriptor, body);
  });
  receive_all(descriptor);
  row("multipart upload, 8 files of 16 MB", files * 16.0, began);
  close(descriptor);
}

void ask_with_wrk(const std::string& url, int connections, std::string_view task) {
  fmt::print("{} with {} connections:\n", task, connections);
  std::fflush(stdout);
  const std::string command = fmt::format(
      "wrk -t1 -c{} -d3 --latency -s bench/tunnel/add.lua {}/task/{} | grep -E "
      "'Requests/sec|50%|99%|Non-2xx'",
      connections, url, task);
  if (std::system(command.c_str()) != 0) fmt::print("no wrk\n");
}

}  // namespace

int main(int count, char** arguments) {
  Server server({.listen = {"127.0.0.1:0"}, .tokens = {"secret"}});
  set_up(server);
  const Result<> opened = server.open();
  if (!opened) return fmt::print(stderr, "{}\n", to_string(opened.error())), 1;
  const std::string url = server.urls().front();
  if (count > 1 && std::strcmp(arguments[1], "serve") == 0) {
    fmt::print("{}\n", url);
    std::fflush(stdout);
    server.run();
    return 0;
  }
  std::jthread thread([&] { server.run(); });
  const auto port = static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
  for (const char* task : {"add", "call"}) {
    for (const int connections : {16, 64}) ask_with_wrk(url, connections, task);
  }
  for (int i = 0; i < 3; ++i) transfer(port, "octet-stream echo, 512 MB", "echo");
  for (int i = 0; i < 3; ++i) transfer(port, "octet-stream upload, 512 MB", "count");
  for (int i = 0; i < 3; ++i) upload(port);
  server.stop();
}
