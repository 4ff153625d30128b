#pragma once

// A server that does exactly what a test writes, right or wrong: each connection gets a thread and
// the script.

#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cordon/base/descriptor.h"

namespace cordon::transport::http::testing {

// The server's end of one connection.
class ScriptedPeer {
 public:
  ScriptedPeer(int descriptor, std::size_t number, const std::atomic<bool>& is_over)
      : number(number), descriptor_(descriptor), is_over_(is_over) {}

  // Which connection it is, from 0.
  const std::size_t number;

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(descriptor_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Piece by piece.
  bool drip(std::string_view bytes, std::chrono::milliseconds pause, std::size_t piece = 1) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
      if (is_over_ || !send(bytes.substr(0, piece))) return false;
      std::this_thread::sleep_for(pause);
    }
    return true;
  }
  // What there is; empty at the end.
  std::string read_some() {
    while (!is_over_) {
      pollfd event{.fd = descriptor_.number(), .events = POLLIN, .revents = 0};
      if (poll(&event, 1, 20) <= 0) continue;
      std::string bytes(65'536, '\0');
      const ssize_t size = recv(descriptor_.number(), bytes.data(), bytes.size(), 0);
      bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
      return bytes;
    }
    return {};
  }
  // Up to and with `end`; what came behind it is kept for the next call.
  std::string read_until(std::string_view end) {
    for (;;) {
      const std::size_t found = kept_.find(end);
      if (found != kept_.npos) {
        std::string part = kept_.substr(0, found + end.size());
        kept_.erase(0, part.size());
        return part;
      }
      const std::string more = read_some();
      if (more.empty()) return {};
      kept_ += more;
    }
  }
  std::string read_head() { return read_until("\r\n\r\n"); }
  std::string read_exactly(std::size_t size) {
    while (kept_.size() < size) {
      const std::string more = read_some();
      if (more.empty()) return {};
      kept_ += more;
    }
    std::string part = kept_.substr(0, size);
    kept_.erase(0, size);
    return part;
  }
  // Until the client ends the connection.
  std::string read_all() {
    std::string all = std::exchange(kept_, {});
    for (std::string more = read_some(); !more.empty(); more = read_some()) all += more;
    return all;
  }
  void end_output() { shutdown(descriptor_.number(), SHUT_WR); }
  void close() { descriptor_.close(); }
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    setsockopt(descriptor_.number(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    descriptor_.close();
  }

 private:
  Descriptor descriptor_;
  const std::atomic<bool>& is_over_;
  std::string kept_;
};

class ScriptedServer {
 public:
  using Script = std::function<void(ScriptedPeer&)>;
  explicit ScriptedServer(Script script, const std::string& socket_path = {})
      : script_(std::move(script)) {
    if (socket_path.empty()) {
      listener_ = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_in name{};
      name.sin_family = AF_INET;
      name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      socklen_t size = sizeof name;
      take_address(reinterpret_cast<const sockaddr*>(&name), size);
      getsockname(listener_.number(), reinterpret_cast<sockaddr*>(&name), &size);
      port_ = ntohs(name.sin_port);
    } else {
      listener_ = Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_un name{};
      name.sun_family = AF_UNIX;
      socket_path.copy(name.sun_path, sizeof(name.sun_path) - 1);
      unlink(socket_path.c_str());
      take_address(reinterpret_cast<const sockaddr*>(&name), sizeof name);
    }
    listen(listener_.number(), 64);
    thread_ = std::thread([this] { run(); });
  }
  ~ScriptedServer() {
    is_over_ = true;
    thread_.join();
    for (std::thread& peer : peers_) peer.join();
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::uint16_t port() const { return port_; }
  std::size_t connections() const { return connections_; }

 private:
  void take_address(const sockaddr* name, socklen_t size) {
    if (bind(listener_.number(), name, size) != 0)
      throw std::system_error(errno, std::generic_category(), "bind");
  }

  void run() {
    while (!is_over_) {
      pollfd event{.fd = listener_.number(), .events = POLLIN, .revents = 0};
      if (poll(&event, 1, 20) <= 0) continue;
      const int accepted = accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC);
      if (accepted < 0) continue;
      peers_.emplace_back([this, accepted, number = connections_++] {
        ScriptedPeer peer(accepted, number, is_over_);
        script_(peer);
      });
    }
  }

  const Script script_;
  Descriptor listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> is_over_ = false;
  std::atomic<std::size_t> connections_ = 0;
  std::vector<std::thread> peers_;
  std::thread thread_;
};

}  // namespace cordon::transport::http::testing
