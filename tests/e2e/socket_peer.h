#pragma once

// A client of a server under test: lines over a Unix or TCP socket, TLS, or a WebSocket.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cordon::e2e {

class SocketPeer {
 public:
  // "unix:PATH" or "tcp:HOST:PORT". Throws std::runtime_error where nobody listens.
  explicit SocketPeer(const std::string& address);
  ~SocketPeer();
  SocketPeer(const SocketPeer&) = delete;
  SocketPeer& operator=(const SocketPeer&) = delete;

  // From here on all goes through TLS; the server's certificate is not checked.
  void start_tls();
  // The one that the server showed, as PEM.
  std::string certificate() const;
  // The status line that the server answers with; after "101" it is a WebSocket, and a line is a
  // message.
  std::string upgrade(const std::string& path, const std::vector<std::string>& headers = {});

  bool send(std::string_view line);
  bool send_bytes(std::string_view bytes);
  void end_output();

  // The next line; nothing at the end. Throws where nothing comes in time.
  std::optional<std::string> receive(std::chrono::milliseconds within = std::chrono::seconds(20));
  bool is_closed(std::chrono::milliseconds within);
  // As somebody at the end of a slow line: it waits before each read.
  void read_slowly(std::chrono::milliseconds pause) { pause_ = pause; }

 private:
  bool read_more(std::chrono::milliseconds within);
  bool take_frame();

  struct Tls;
  int socket_ = -1;
  std::unique_ptr<Tls> tls_;
  bool is_websocket_ = false;
  bool is_closed_ = false;  // a close frame has come
  std::string unread_;
  std::string fragments_;  // of a WebSocket's message that goes on
  std::optional<std::string> whole_;
  std::chrono::milliseconds pause_{0};
};

// A key and a certificate of its own for localhost, as PEM.
struct TestCertificate {
  std::string certificate;
  std::string key;
};
TestCertificate make_certificate();

}  // namespace cordon::e2e
