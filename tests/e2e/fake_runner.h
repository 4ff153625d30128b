#pragma once

// A runner that behaves as a test says: it listens, and a function of the test's serves each
// connection in a thread of its own.

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "process.h"

namespace cordon::e2e {

enum class Transport { unix_socket, tcp, websocket };
std::string name_of(Transport transport);

// The runner's end of a connection. What it sends to a host that is gone is lost.
class FakeConnection {
 public:
  FakeConnection(int socket, Transport transport) : socket_(socket), transport_(transport) {}
  Transport transport() const { return transport_; }

  // As it is. False once the host is gone.
  bool send_bytes(std::string_view bytes);
  // As a line, or as a message of the WebSocket.
  bool send(std::string_view line);
  // The next line or message; nothing at the end.
  std::optional<std::string> receive();
  // Until one of this type has come.
  std::optional<std::string> receive_type(std::string_view type);
  // Until the host closes; whether it did so in time.
  bool wait_for_end(std::chrono::milliseconds within = std::chrono::seconds(20));
  // The host may read what was sent, and no more comes.
  void end_output();
  // Ends the connection in the middle: what the host sent and nobody read is refused.
  void reset();

  // The request of a WebSocket's client, and the answer that agrees to it.
  std::string read_request();
  static std::string agreement(const std::string& request);

 private:
  bool read_more();
  std::optional<std::string> take_message();

  const int socket_;
  const Transport transport_;
  std::string unread_;
};

// A frame as a server sends it.
std::string frame(unsigned opcode, std::string_view payload, bool is_final = true);

class FakeRunner {
 public:
  using Serve = std::function<void(FakeConnection&)>;
  // Unless it is `bare`, a WebSocket is agreed to before the function is called.
  enum class Handshake { made, bare };
  FakeRunner(Transport transport, Serve serve, Handshake handshake = Handshake::made);
  ~FakeRunner();
  FakeRunner(const FakeRunner&) = delete;
  FakeRunner& operator=(const FakeRunner&) = delete;

  // For --runner.
  const std::string& target() const { return target_; }
  int connections() const { return connections_.load(); }

 private:
  struct Served {
    int socket;
    std::thread thread;
  };
  void accept_all();
  void serve_one(int socket) const;

  const Transport transport_;
  const Serve serve_;
  const Handshake handshake_;
  const Folder folder_;
  int listening_ = -1;
  std::string target_;
  std::atomic<int> connections_ = 0;
  std::list<Served> served_;  // of the thread that accepts, until that has ended
  std::thread accepting_;
};

}  // namespace cordon::e2e
