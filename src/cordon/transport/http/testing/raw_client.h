#pragma once

// A client that sends exactly the bytes that a test writes, and shows those that come back.

#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace cordon::transport::http::testing {

using namespace std::chrono_literals;

class RawClient {
 public:
  explicit RawClient(std::uint16_t port, int receive_buffer = 0)
      : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0)
      setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    name.sin_port = htons(port);
    if (connect(descriptor_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) close();
  }
  ~RawClient() { close(); }
  RawClient(RawClient&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  RawClient& operator=(RawClient&&) = delete;

  int descriptor() const { return descriptor_; }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // What comes in that time, at most `most` bytes; stops at the end, which `has_ended` tells.
  std::string read_some(std::chrono::milliseconds within = 5s, std::size_t most = 65'536) {
    pollfd event{.fd = descriptor_, .events = POLLIN, .revents = 0};
    if (poll(&event, 1, static_cast<int>(within.count())) <= 0) return {};
    std::string bytes(most, '\0');
    const ssize_t size = recv(descriptor_, bytes.data(), bytes.size(), 0);
    has_ended = size <= 0;
    was_reset = size < 0 && errno == ECONNRESET;
    bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return bytes;
  }

  // All until the server ends the connection.
  std::string read_all(std::chrono::milliseconds within = 5s) {
    std::string all;
    const auto until = std::chrono::steady_clock::now() + within;
    while (!has_ended && std::chrono::steady_clock::now() < until) all += read_some(100ms);
    return all;
  }

  // Until `end` has come.
  std::string read_until(std::string_view end, std::chrono::milliseconds within = 5s) {
    std::string all;
    const auto until = std::chrono::steady_clock::now() + within;
    while (!has_ended && all.find(end) == all.npos && std::chrono::steady_clock::now() < until)
      all += read_some(100ms);
    return all;
  }

  void end_output() { shutdown(descriptor_, SHUT_WR); }
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
  }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

  bool has_ended = false;
  bool was_reset = false;

 private:
  int descriptor_;
};

}  // namespace cordon::transport::http::testing
