#pragma once

// A runner that listens on a Unix socket or a port, and speaks in lines there.

#include <string>

#include "cordon/runners/link.h"
#include "cordon/runners/socket.h"

namespace cordon::runners {

class SocketLink final : public Link {
 public:
  SocketLink(const SocketTarget& target, const LinkOptions& options);

  void add_waits(std::vector<pollfd>& waits, bool reads, bool writes) const override;
  std::size_t send(std::string_view lines) override;
  std::string_view receive(std::span<char> buffer) override { return socket_.receive(buffer); }
  std::optional<std::string> over() override { return socket_.over(); }
  std::optional<Instant> next_time() const override { return socket_.next_time(); }
  void close() override { socket_.close(); }

 private:
  Socket socket_;
  std::string unsent_;  // the line with the token
};

}  // namespace cordon::runners
