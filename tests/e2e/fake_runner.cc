#include "fake_runner.h"

#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include <openssl/evp.h>
#include <openssl/sha.h>

namespace cordon::e2e {
namespace {

std::string accept_value(const std::string& key) {
  const std::string text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::array<unsigned char, 32> encoded{};
  const int size = EVP_EncodeBlock(encoded.data(), digest.data(), digest.size());
  return {reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(size)};
}

int listen_at(const sockaddr* name, socklen_t size) {
  const int made = socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0 || bind(made, name, size) != 0 || listen(made, 64) != 0)
    throw std::runtime_error("cannot listen");
  return made;
}

int listen_unix(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());
  return listen_at(reinterpret_cast<const sockaddr*>(&name), sizeof name);
}

std::pair<int, std::string> listen_tcp() {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int made = listen_at(reinterpret_cast<const sockaddr*>(&name), sizeof name);
  socklen_t size = sizeof name;
  getsockname(made, reinterpret_cast<sockaddr*>(&name), &size);
  return {made, "127.0.0.1:" + std::to_string(ntohs(name.sin_port))};
}

}  // namespace

std::string name_of(Transport transport) {
  switch (transport) {
    case Transport::unix_socket:
      return "unix";
    case Transport::tcp:
      return "tcp";
    case Transport::websocket:
      return "ws";
  }
  return {};
}

std::string frame(unsigned opcode, std::string_view payload, bool is_final) {
  std::string made(1, static_cast<char>(opcode | (is_final ? 0x80U : 0U)));
  const auto add_size = [&](int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
      made += static_cast<char>(payload.size() >> shift);
  };
  if (payload.size() < 126) {
    made += static_cast<char>(payload.size());
  } else if (payload.size() < 65536) {
    made += static_cast<char>(126);
    add_size(2);
  } else {
    made += static_cast<char>(127);
    add_size(8);
  }
  return made.append(payload);
}

bool FakeConnection::send_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

bool FakeConnection::send(std::string_view line) {
  if (transport_ == Transport::websocket) return send_bytes(frame(1, line));
  return send_bytes(std::string(line) + "\n");
}

bool FakeConnection::read_more() {
  std::array<char, 65536> buffer;
  const ssize_t got = recv(socket_, buffer.data(), buffer.size(), 0);
  if (got > 0) unread_.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

// A whole message of the client's, which has a mask. Others than text are skipped.
std::optional<std::string> FakeConnection::take_message() {
  const auto byte = [this](std::size_t at) { return static_cast<unsigned char>(unread_[at]); };
  while (unread_.size() >= 2) {
    std::size_t size = byte(1) & 0x7fU;
    const std::size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
    const std::size_t head = 2 + more + 4;
    if (unread_.size() < head) return std::nullopt;
    if (more > 0) size = 0;
    for (std::size_t i = 0; i < more; ++i) size = size << 8 | byte(2 + i);
    if (unread_.size() < head + size) return std::nullopt;
    const bool is_text = (byte(0) & 0x0fU) == 1;
    std::string payload = unread_.substr(head, size);
    for (std::size_t i = 0; i < size; ++i)
      payload[i] = static_cast<char>(payload[i] ^ unread_[head - 4 + i % 4]);
    unread_.erase(0, head + size);
    if (is_text) return payload;
  }
  return std::nullopt;
}

std::optional<std::string> FakeConnection::receive() {
  while (true) {
    if (transport_ == Transport::websocket) {
      if (auto message = take_message()) return message;
    } else if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (!read_more()) return std::nullopt;
  }
}

std::optional<std::string> FakeConnection::receive_type(std::string_view type) {
  const std::string beginning = "{\"type\":\"" + std::string(type) + "\"";
  while (auto line = receive())
    if (line->starts_with(beginning)) return line;
  return std::nullopt;
}

bool FakeConnection::wait_for_end(std::chrono::milliseconds within) {
  const auto until = std::chrono::steady_clock::now() + within;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    pollfd waiting{socket_, POLLIN, 0};
    if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) == 0) return false;
    if (!read_more()) return true;
  }
}

void FakeConnection::end_output() { shutdown(socket_, SHUT_WR); }

void FakeConnection::reset() {
  // A socket of TCP answers with a reset when it is told to forget its peer.
  const sockaddr nobody{.sa_family = AF_UNSPEC, .sa_data = {}};
  if (connect(socket_, &nobody, sizeof nobody) != 0) shutdown(socket_, SHUT_RDWR);
}

std::string FakeConnection::read_request() {
  while (!unread_.contains("\r\n\r\n"))
    if (!read_more()) return {};
  const std::size_t size = unread_.find("\r\n\r\n") + 4;
  std::string request = unread_.substr(0, size);
  unread_.erase(0, size);
  return request;
}

std::string FakeConnection::agreement(const std::string& request) {
  const std::string name = "Sec-WebSocket-Key: ";
  const std::size_t start = request.find(name) + name.size();
  const std::string key = request.substr(start, request.find("\r\n", start) - start);
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Accept: " +
         accept_value(key) + "\r\n\r\n";
}

FakeRunner::FakeRunner(Transport transport, Serve serve, Handshake handshake)
    : transport_(transport), serve_(std::move(serve)), handshake_(handshake) {
  if (transport == Transport::unix_socket) {
    listening_ = listen_unix(folder_.path() + "/s");
    target_ = "unix:" + folder_.path() + "/s";
  } else {
    const auto [socket, address] = listen_tcp();
    listening_ = socket;
    target_ =
        transport == Transport::tcp ? "tcp:" + address : "ws://" + address + "/runner?name=fake";
  }
  accepting_ = std::thread([this] { accept_all(); });
}

FakeRunner::~FakeRunner() {
  shutdown(listening_, SHUT_RDWR);
  accepting_.join();
  for (Served& one : served_) {
    shutdown(one.socket, SHUT_RDWR);
    one.thread.join();
    close(one.socket);
  }
  close(listening_);
}

void FakeRunner::accept_all() {
  while (true) {
    const int socket = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    ++connections_;
    served_.push_back({socket, std::thread([this, socket] { serve_one(socket); })});
  }
}

void FakeRunner::serve_one(int socket) const {
  FakeConnection connection(socket, transport_);
  if (transport_ == Transport::websocket && handshake_ == Handshake::made)
    connection.send_bytes(FakeConnection::agreement(connection.read_request()));
  serve_(connection);
  // The number stays taken until the end, so that no other socket gets it.
  shutdown(socket, SHUT_RDWR);
}

}  // namespace cordon::e2e
