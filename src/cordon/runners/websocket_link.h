#pragma once

// A runner behind a WebSocket: each message is a line.

#include <string>

#include "cordon/runners/link.h"
#include "cordon/runners/socket.h"
#include "cordon/runners/websocket_client.h"

namespace cordon::runners {

class WebSocketLink final : public Link {
 public:
  WebSocketLink(const WebSocketTarget& target, const LinkOptions& options)
      : socket_(target.socket), client_(target, options.token) {}

  void add_waits(std::vector<pollfd>& waits, bool reads, bool writes) const override;
  std::size_t send(std::string_view lines) override;
  std::string_view receive(std::span<char> buffer) override;
  std::optional<std::string> over() override;
  // A close frame may come together with lines, and nothing after it.
  std::optional<Instant> next_time() const override {
    return client_.over() ? std::optional(Instant::min()) : socket_.next_time();
  }
  void close() override { socket_.close(); }

 private:
  Socket socket_;
  WebSocketClient client_;
  std::string lines_;
};

}  // namespace cordon::runners
