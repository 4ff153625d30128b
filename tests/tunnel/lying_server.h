#pragma once

// A server on a port of its own that answers what a test wants, whatever it is asked.

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace cordon::e2e {

// One connection of it, as the test's function sees it.
class LyingConnection {
 public:
  explicit LyingConnection(int socket) : socket_(socket) {}
  ~LyingConnection();
  LyingConnection(const LyingConnection&) = delete;
  LyingConnection& operator=(const LyingConnection&) = delete;

  // What has come, to the end of a request with JSON; or less, where no more comes.
  std::string receive_request() const;
  // Some of what has come; empty at the end.
  std::string receive_some() const;
  // False where the client is gone, or takes nothing.
  bool send(std::string_view bytes) const;
  // The end of the connection, in a way that throws away what the client has not read.
  void reset();

 private:
  int socket_;
};

class LyingServer {
 public:
  using Serve = std::function<void(LyingConnection&)>;
  // One connection after the other.
  explicit LyingServer(Serve serve);
  // Reads the request, then answers with these bytes and closes the connection.
  explicit LyingServer(std::string answer);
  ~LyingServer();
  LyingServer(const LyingServer&) = delete;
  LyingServer& operator=(const LyingServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/base"; }
  // The last request that a server with one answer has read.
  std::string request() const;
  int connections() const;

 private:
  void accept_all();

  const Serve serve_;
  int socket_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::string request_;
  int connections_ = 0;
  int serving_ = -1;  // the socket of the connection that is being served
  bool is_over_ = false;
  std::jthread thread_;
};

// An answer with a body and its length.
std::string http_answer(std::string_view status, std::string_view type, std::string_view body,
                        std::string_view headers = "");

}  // namespace cordon::e2e
