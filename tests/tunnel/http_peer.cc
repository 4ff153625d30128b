#include "http_peer.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace cordon::tunnel_test {

HttpPeer::HttpPeer(std::uint16_t port)
    : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("nobody listens");
}

HttpPeer::~HttpPeer() {
  if (descriptor_ >= 0) close(descriptor_);
}

void HttpPeer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return;  // the answer tells why
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

void HttpPeer::end_output() { shutdown(descriptor_, SHUT_WR); }

void HttpPeer::vanish() {
  const linger reset{.l_onoff = 1, .l_linger = 0};
  setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  close(descriptor_);
  descriptor_ = -1;
}

bool HttpPeer::read_more(std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
  pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
  if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) <= 0)
    throw std::runtime_error("nothing came in time; so far: " + received_);
  char room[65536];
  const ssize_t size = recv(descriptor_, room, sizeof room, 0);
  if (size <= 0) return false;
  received_.append(room, static_cast<std::size_t>(size));
  return true;
}

std::string HttpPeer::receive_until(std::string_view text, std::chrono::milliseconds within) {
  const auto until = std::chrono::steady_clock::now() + within;
  while (!received_.contains(text)) {
    if (!read_more(until)) throw std::runtime_error("ended after: " + received_);
  }
  return std::exchange(received_, {});
}

Response HttpPeer::receive(Body body, std::chrono::milliseconds within) {
  const auto until = std::chrono::steady_clock::now() + within;
  Response response;
  const auto need = [&](std::size_t size) {
    while (received_.size() < size) {
      if (!read_more(until)) return false;
    }
    return true;
  };
  const auto line = [&]() -> std::string {
    std::size_t end;
    while ((end = received_.find("\r\n")) == std::string::npos) {
      if (!read_more(until)) return {};
    }
    std::string text = received_.substr(0, end);
    received_.erase(0, end + 2);
    return text;
  };
  const std::string status = line();
  if (status.size() < 12) return response;
  response.status = static_cast<unsigned>(std::stoul(status.substr(9, 3)));
  for (std::string header = line(); !header.empty(); header = line()) {
    const std::size_t colon = header.find(": ");
    std::string name = header.substr(0, colon);
    std::ranges::transform(name, name.begin(),
                           [](char c) { return static_cast<char>(tolower(c)); });
    std::string& value = response.headers[name];
    value += (value.empty() ? "" : ", ") + header.substr(colon + 2);
  }
  if (body == Body::none || response.status == 204) {
    response.is_whole = true;
  } else if (response.headers.contains("content-length")) {
    const std::size_t size = std::stoul(response.headers["content-length"]);
    response.is_whole = need(size);
    response.body = received_.substr(0, size);
    received_.erase(0, size);
  } else {
    for (;;) {
      const std::string size_text = line();
      if (size_text.empty()) return response;
      const std::size_t size = std::stoul(size_text, nullptr, 16);
      if (!need(size + 2)) return response;
      response.body += received_.substr(0, size);
      received_.erase(0, size + 2);
      if (size == 0) break;
    }
    response.is_whole = true;
  }
  return response;
}

}  // namespace cordon::tunnel_test
