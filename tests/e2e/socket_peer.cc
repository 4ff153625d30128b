#include "socket_peer.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace cordon::e2e {
namespace {

int connect_unix(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(made, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0) return made;
  close(made);
  return -1;
}

int connect_tcp(const std::string& endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(colon + 1))));
  inet_pton(AF_INET, endpoint.substr(0, colon).c_str(), &name.sin_addr);
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(made, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0) return made;
  close(made);
  return -1;
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

}  // namespace

struct SocketPeer::Tls {
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL* connection = SSL_new(context);
  ~Tls() {
    SSL_free(connection);
    SSL_CTX_free(context);
  }
};

SocketPeer::SocketPeer(const std::string& address)
    : socket_(address.starts_with("unix:") ? connect_unix(address.substr(5))
                                           : connect_tcp(address.substr(4))) {
  if (socket_ < 0) throw std::runtime_error("cannot connect to " + address);
}

SocketPeer::~SocketPeer() {
  tls_.reset();
  close(socket_);
}

void SocketPeer::start_tls() {
  tls_ = std::make_unique<Tls>();
  SSL_set_fd(tls_->connection, socket_);
  if (SSL_connect(tls_->connection) != 1) throw std::runtime_error("no TLS");
}

std::string SocketPeer::certificate() const {
  X509* const shown = SSL_get1_peer_certificate(tls_->connection);
  BIO* const text = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(text, shown);
  X509_free(shown);
  return text_of(text);
}

std::string SocketPeer::upgrade(const std::string& path, const std::vector<std::string>& headers) {
  std::string request = "GET " + path +
                        " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: "
                        "Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                        "dGhlIHNhbXBsZSBub25jZQ==\r\n";
  for (const std::string& header : headers) request += header + "\r\n";
  send_bytes(request + "\r\n");
  while (!unread_.contains("\r\n\r\n")) {
    if (!read_more(std::chrono::seconds(20))) return {};
  }
  const std::string status = unread_.substr(0, unread_.find("\r\n"));
  unread_.erase(0, unread_.find("\r\n\r\n") + 4);
  is_websocket_ = status.contains(" 101 ");
  return status;
}

bool SocketPeer::send(std::string_view line) {
  if (!is_websocket_) return send_bytes(std::string(line) + "\n");
  std::string frame = "\x81";
  if (line.size() < 126) {
    frame += static_cast<char>(0x80 | line.size());
  } else if (line.size() < 65536) {
    frame += static_cast<char>(0x80 | 126);
    for (int shift = 8; shift >= 0; shift -= 8) frame += static_cast<char>(line.size() >> shift);
  } else {
    frame += static_cast<char>(0x80 | 127);
    for (int shift = 56; shift >= 0; shift -= 8) frame += static_cast<char>(line.size() >> shift);
  }
  const char mask[4] = {1, 2, 3, 4};
  frame.append(mask, 4);
  for (std::size_t i = 0; i < line.size(); ++i) frame += static_cast<char>(line[i] ^ mask[i % 4]);
  return send_bytes(frame);
}

bool SocketPeer::send_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote =
        tls_ != nullptr ? SSL_write(tls_->connection, bytes.data(), static_cast<int>(bytes.size()))
                        : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

void SocketPeer::end_output() {
  if (tls_ != nullptr) SSL_shutdown(tls_->connection);
  shutdown(socket_, SHUT_WR);
}

bool SocketPeer::read_more(std::chrono::milliseconds within) {
  std::this_thread::sleep_for(pause_);
  pollfd watched{.fd = socket_, .events = POLLIN, .revents = 0};
  const bool has_pending = tls_ != nullptr && SSL_pending(tls_->connection) > 0;
  if (!has_pending && poll(&watched, 1, static_cast<int>(within.count())) == 0) {
    throw std::runtime_error("nothing came in time");
  }
  char buffer[65536];
  const ssize_t got = tls_ != nullptr ? SSL_read(tls_->connection, buffer, sizeof buffer)
                                      : recv(socket_, buffer, sizeof buffer, 0);
  if (got <= 0) return false;
  unread_.append(buffer, static_cast<std::size_t>(got));
  return true;
}

// Whether there was a frame of the server's, which has no mask.
bool SocketPeer::take_frame() {
  if (unread_.size() < 2) return false;
  const auto byte = [this](std::size_t at) { return static_cast<unsigned char>(unread_[at]); };
  std::size_t size = byte(1) & 0x7F;
  std::size_t header = 2;
  if (size >= 126) {
    const std::size_t count = size == 126 ? 2 : 8;
    header += count;
    if (unread_.size() < header) return false;
    size = 0;
    for (std::size_t i = 0; i < count; ++i) size = size << 8 | byte(2 + i);
  }
  if (unread_.size() < header + size) return false;
  const int opcode = byte(0) & 0x0F;
  const bool is_last = (byte(0) & 0x80) != 0;
  if (opcode == 8) is_closed_ = true;
  if (opcode <= 1) {
    fragments_.append(unread_, header, size);
    if (is_last) whole_ = std::exchange(fragments_, {});
  }
  unread_.erase(0, header + size);
  return true;
}

std::optional<std::string> SocketPeer::receive(std::chrono::milliseconds within) {
  for (;;) {
    if (is_websocket_) {
      while (!whole_ && take_frame()) {
      }
      if (whole_) return std::exchange(whole_, std::nullopt);
      if (is_closed_) return std::nullopt;
    } else if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (!read_more(within)) return std::nullopt;
  }
}

bool SocketPeer::is_closed(std::chrono::milliseconds within) {
  try {
    return !receive(within).has_value();
  } catch (const std::runtime_error&) {
    return false;
  }
}

TestCertificate make_certificate() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>("localhost");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_sign(certificate, key, EVP_sha256());
  BIO* certificate_text = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(certificate_text, certificate);
  BIO* key_text = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(key_text, key, nullptr, nullptr, 0, nullptr, nullptr);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return {text_of(certificate_text), text_of(key_text)};
}

}  // namespace cordon::e2e
