#include "lying_server.h"

#include <array>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace cordon::e2e {

LyingConnection::~LyingConnection() {
  if (socket_ >= 0) close(socket_);
}

std::string LyingConnection::receive_some() const {
  std::array<char, 65'536> piece;
  const ssize_t size = recv(socket_, piece.data(), piece.size(), 0);
  return {piece.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

std::string LyingConnection::receive_request() const {
  std::string request;
  for (;;) {
    const std::size_t end = request.find("\r\n\r\n");
    const bool has_json = request.starts_with("POST ");
    if (end != std::string::npos && (!has_json || request.ends_with('}'))) return request;
    const std::string piece = receive_some();
    if (piece.empty()) return request;
    request += piece;
  }
}

bool LyingConnection::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t size = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

void LyingConnection::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(std::exchange(socket_, -1));
}

LyingServer::LyingServer(Serve serve)
    : serve_(std::move(serve)), socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket_, any, size) != 0 || listen(socket_, 8) != 0 ||
      getsockname(socket_, any, &size) != 0) {
    throw std::runtime_error("no port for a server of this test");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this] { accept_all(); });
}

LyingServer::LyingServer(std::string answer)
    : LyingServer([this, answer = std::move(answer)](LyingConnection& connection) {
        std::string request = connection.receive_request();
        {
          const std::lock_guard lock(mutex_);
          request_ = std::move(request);
        }
        connection.send(answer);
      }) {}

LyingServer::~LyingServer() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    if (serving_ >= 0) shutdown(serving_, SHUT_RDWR);
  }
  shutdown(socket_, SHUT_RDWR);
  thread_.join();
  close(socket_);
}

std::string LyingServer::request() const {
  const std::lock_guard lock(mutex_);
  return request_;
}

int LyingServer::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

void LyingServer::accept_all() {
  for (;;) {
    const int peer = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) return;
    // The destructor shuts down a number of its own, which nobody else can have been given.
    const int own = fcntl(peer, F_DUPFD_CLOEXEC, 0);
    LyingConnection connection(peer);
    {
      const std::lock_guard lock(mutex_);
      if (is_over_) {
        close(own);
        return;
      }
      ++connections_;
      serving_ = own;
    }
    serve_(connection);
    const std::lock_guard lock(mutex_);
    close(std::exchange(serving_, -1));
  }
}

std::string http_answer(std::string_view status, std::string_view type, std::string_view body,
                        std::string_view headers) {
  std::string text = "HTTP/1.1 " + std::string(status) + "\r\n";
  if (!type.empty()) text += "Content-Type: " + std::string(type) + "\r\n";
  text += std::string(headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  return text += body;
}

}  // namespace cordon::e2e
