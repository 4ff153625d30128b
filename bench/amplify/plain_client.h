#pragma once

// A client that sends what it is given and keeps nothing of the answer but its first bytes, so that
// what is measured is the server's.

#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cstdint>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace cordon::amplify {

class PlainClient {
 public:
  explicit PlainClient(std::uint16_t port)
      : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    name.sin_port = htons(port);
    if (connect(descriptor_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
      close(descriptor_);
      throw std::runtime_error("cannot connect");
    }
  }
  ~PlainClient() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  PlainClient(PlainClient&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), head_(other.head_), seen_(other.seen_) {}
  PlainClient& operator=(PlainClient&&) = delete;

  // Reads meanwhile, so that neither side waits for the other. False where nobody takes it.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      pollfd event{.fd = descriptor_, .events = POLLIN | POLLOUT, .revents = 0};
      if (poll(&event, 1, patience_ms) <= 0) return false;
      if ((event.revents & POLLIN) != 0 && !take()) return false;
      if ((event.revents & POLLOUT) == 0) continue;
      const ssize_t sent =
          ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Until `text` has come, the connection has ended or nothing came for long.
  bool read_until(std::string_view text) {
    pollfd event{.fd = descriptor_, .events = POLLIN, .revents = 0};
    while (!contains(text)) {
      if (poll(&event, 1, patience_ms) <= 0 || !take()) return contains(text);
    }
    return true;
  }
  void read_to_end() {
    pollfd event{.fd = descriptor_, .events = POLLIN, .revents = 0};
    while (poll(&event, 1, patience_ms) > 0 && take()) {
    }
  }

  // What came first, a line of it.
  std::string first_line() const {
    const std::string_view all(head_.data(), std::min(seen_, head_.size()));
    return std::string(all.substr(0, std::min(all.find_first_of("\r\n"), std::size_t{40})));
  }
  std::size_t bytes_read() const { return seen_; }

 private:
  static constexpr int patience_ms = 60'000;

  bool take() {
    thread_local std::array<char, 65'536> room;
    const ssize_t got = recv(descriptor_, room.data(), room.size(), MSG_DONTWAIT);
    if (got <= 0) return false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(got); ++i, ++seen_)
      if (seen_ < head_.size()) head_[seen_] = room[i];
    // The end, for those who look for something in it.
    const auto size = static_cast<std::size_t>(got);
    last_ = std::string_view(room.data(), size);
    return true;
  }
  bool contains(std::string_view text) const {
    return last_.contains(text) ||
           std::string_view(head_.data(), std::min(seen_, head_.size())).contains(text);
  }

  int descriptor_;
  std::array<char, 512> head_ = {};
  std::size_t seen_ = 0;
  std::string_view last_;  // in the room of the thread
};

}  // namespace cordon::amplify
