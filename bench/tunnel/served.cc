#include "tunnel/served.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "engine/process.h"
#include <fmt/format.h>

namespace cordon::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {
    if (descriptor < 0) throw std::runtime_error("no socket");
  }
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  operator int() const { return descriptor_; }

 private:
  int descriptor_;
};

Socket connected(std::uint16_t port) {
  Socket peer(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(peer, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("cannot connect");
  return peer;
}

void send_all(int peer, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

// What comes until the peer has no more; its beginning is kept.
std::size_t receive_all(int peer, std::string& beginning) {
  std::vector<char> room(std::size_t{1} << 18);
  std::size_t sum = 0;
  for (ssize_t size; (size = recv(peer, room.data(), room.size(), 0)) > 0;) {
    if (sum < 4096) beginning.append(room.data(), static_cast<std::size_t>(size));
    sum += static_cast<std::size_t>(size);
  }
  return sum;
}

std::string head(std::string_view task, std::string_view type, std::size_t length,
                 std::string_view connection) {
  return fmt::format(
      "POST /__runner/task/{} HTTP/1.1\r\nHost: x\r\nx-runner-token: secret\r\nConnection: {}\r\n"
      "Content-Type: {}\r\nContent-Length: {}\r\n\r\n",
      task, connection, type, length);
}

void send_pieces(int peer, std::size_t bytes) {
  const std::string piece(std::size_t{1} << 20, 'x');
  for (std::size_t sent = 0; sent < bytes; sent += piece.size()) send_all(peer, piece);
}

void expect_ok(std::string_view answer, std::string_view what) {
  if (!answer.starts_with("HTTP/1.1 200"))
    throw std::runtime_error(fmt::format("{}: {}", what, answer.substr(0, 200)));
}

double number_before(std::string_view text, std::string_view unit) {
  return text.ends_with(unit) ? std::atof(std::string(text).c_str()) : -1;
}

double seconds_of(std::string_view text) {
  if (const double n = number_before(text, "us"); n >= 0) return n * 1e-6;
  if (const double n = number_before(text, "ms"); n >= 0) return n * 1e-3;
  return std::atof(std::string(text).c_str());
}

// The word after `name` in what wrk prints.
std::string word_after(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == text.npos) throw std::runtime_error(fmt::format("wrk said: {}", text));
  text.remove_prefix(at + name.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return std::string(text.substr(0, text.find_first_of(" \n")));
}

}  // namespace

Served::Served(const std::vector<std::string>& command) {
  std::array<int, 2> pipe;
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    dup2(pipe[1], STDOUT_FILENO);
    execvp(words[0], words.data());
    _exit(127);
  }
  close(pipe[1]);
  std::FILE* const out = fdopen(pipe[0], "r");
  std::array<char, 512> line;
  while (url_.empty() && std::fgets(line.data(), line.size(), out) != nullptr) {
    const std::string_view text(line.data());
    if (const std::size_t at = text.find("http://"); at != text.npos)
      url_ = text.substr(at, text.find('\n') - at);
  }
  // The pipe stays open, so that a server that prints more is not ended by it.
  if (url_.empty()) throw std::runtime_error(command[0] + " did not start to serve");
}

Served::~Served() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

std::uint16_t Served::port() const {
  return static_cast<std::uint16_t>(std::stoul(url_.substr(url_.rfind(':') + 1)));
}

double Served::resident_bytes() const {
  const std::string text = file_text(fmt::format("/proc/{}/status", process_));
  return std::stod(text.substr(text.find("VmRSS:") + 6)) * 1024;
}

Rate ask(const Served& server, std::string_view task, int connections, double seconds) {
  const Result<std::string> text = output_of(
      {"wrk", "-t1", fmt::format("-c{}", connections), fmt::format("-d{:.0f}s", seconds),
       "--latency", "-s", "bench/tunnel/add.lua", fmt::format("{}/task/{}", server.url(), task)},
      "");
  if (!text) throw std::runtime_error("wrk could not be run: " + to_string(text.error()));
  if (text->contains("Non-2xx")) throw std::runtime_error("wrk got errors: " + *text);
  const std::size_t total = text->find(" requests in ");
  const std::size_t line = text->rfind('\n', total) + 1;
  return {.requests = std::stod(word_after(*text, "Requests/sec:")),
          .p99 = seconds_of(word_after(*text, "99%")),
          .count = std::stod(text->substr(line, total - line))};
}

double echo_rate(std::uint16_t port, std::size_t bytes) {
  const Socket peer = connected(port);
  const auto began = Clock::now();
  std::string beginning;
  std::size_t received = 0;
  {
    const std::jthread sender([&] {
      send_all(peer, head("echo", "application/octet-stream", bytes, "close"));
      send_pieces(peer, bytes);
    });
    received = receive_all(peer, beginning);
  }
  expect_ok(beginning, "echo");
  if (received < bytes) throw std::runtime_error("not all came back");
  return static_cast<double>(bytes) / seconds_since(began);
}

double upload_rate(std::uint16_t port, int files, std::size_t file_bytes) {
  std::string manifest;
  std::string parts;
  for (int i = 0; i < files; ++i) {
    manifest += fmt::format(R"({}{{"$runnerFile":"File","id":"f{}","meta":{{"name":"a"}}}})",
                            i == 0 ? "" : ",", i);
    parts += fmt::format(
        "--b0\r\nContent-Disposition: form-data; name=\"file:f{}\"; filename=\"a\"\r\n"
        "Content-Type: text/plain\r\n\r\n{}\r\n",
        i, std::string(file_bytes, 'x'));
  }
  const std::string body = fmt::format(
      "--b0\r\nContent-Disposition: form-data; name=\"__manifest\"\r\n\r\n"
      "{{\"input\":{{\"files\":[{}]}}}}\r\n{}--b0--\r\n",
      manifest, parts);
  const Socket peer = connected(port);
  const auto began = Clock::now();
  std::string answer;
  {
    const std::jthread sender([&] {
      send_all(peer, head("upload", "multipart/form-data; boundary=b0", body.size(), "close"));
      send_all(peer, body);
    });
    receive_all(peer, answer);
  }
  const double bytes = files * static_cast<double>(file_bytes);
  expect_ok(answer, "upload");
  if (!answer.contains(fmt::format("\"result\":{:.0f}", bytes)))
    throw std::runtime_error("not all was counted");
  return bytes / seconds_since(began);
}

double bare_echo_rate(std::size_t bytes) {
  const Socket listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, plain, size) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, plain, &size) != 0)
    throw std::runtime_error("cannot listen");
  const std::jthread echo([&] {
    const Socket peer(accept(listener, nullptr, nullptr));
    std::vector<char> room(std::size_t{1} << 18);
    for (ssize_t read; (read = recv(peer, room.data(), room.size(), 0)) > 0;)
      send_all(peer, {room.data(), static_cast<std::size_t>(read)});
  });
  const Socket peer = connected(ntohs(address.sin_port));
  const auto began = Clock::now();
  std::string beginning;
  const std::jthread sender([&] {
    send_pieces(peer, bytes);
    shutdown(peer, SHUT_WR);
  });
  receive_all(peer, beginning);
  return static_cast<double>(bytes) / seconds_since(began);
}

double idle_connection_bytes(const Served& server, int count) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const std::string body = R"({"input":{"a":1,"b":2}})";
  const std::string request = head("add", "application/json", body.size(), "keep-alive") + body;
  const auto answered = [&](int peer) {
    send_all(peer, request);
    std::array<char, 4096> room;
    std::string answer;
    while (!answer.contains("\"result\"")) {
      const ssize_t size = recv(peer, room.data(), room.size(), 0);
      if (size <= 0) throw std::runtime_error("a connection was not kept");
      answer.append(room.data(), static_cast<std::size_t>(size));
    }
  };
  {
    answered(connected(server.port()));
  }
  const double before = server.resident_bytes();
  std::vector<Socket> peers;
  for (int i = 0; i < count; ++i) {
    peers.push_back(connected(server.port()));
    answered(peers.back());
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double after = server.resident_bytes();
  for (const Socket& peer : peers) answered(peer);
  return (after - before) / count;
}

}  // namespace cordon::bench
