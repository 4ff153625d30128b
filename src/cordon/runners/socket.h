#pragma once

// A stream to a Unix socket or to a port, which is being connected while it is used. Nothing in it
// waits, looking up a name included.

#include <cstddef>
#include <memory>
#include <optional>
#include <poll.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/descriptor.h"
#include "cordon/base/instant.h"
#include "cordon/result.h"
#include "cordon/runners/target.h"

namespace cordon::runners {

// Whether a connection starts with a lookup that may take long.
bool needs_lookup(const SocketTarget& target);
// Looks its host up, and waits for that. Fails with the text that Socket::over() would have.
Result<> look_up(SocketTarget& target);

class Socket {
 public:
  explicit Socket(const SocketTarget& target);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void add_waits(std::vector<pollfd>& waits, bool reads, bool writes) const;
  // How many bytes were taken: none before it is connected.
  std::size_t send(std::string_view bytes);
  // Into the buffer; empty where nothing has come.
  std::string_view receive(std::span<char> buffer);
  // "cannot connect to /run/x: No such file or directory", "the runner closed the connection".
  const std::optional<std::string>& over() const { return over_; }
  bool is_connected() const { return is_connected_; }
  // When to ask again, though no descriptor tells.
  std::optional<Instant> next_time() const;
  void close() { descriptor_.close(); }

 private:
  struct Lookup;  // of a name's addresses, by a thread of its own

  void begin(const SocketTarget& target);
  void take_addresses();
  void connect_next();
  void retry_later(std::string address);
  void check_connection();
  void fail_connecting(int error);
  void fail(std::string why);

  std::string name_;  // for people
  std::shared_ptr<Lookup> lookup_;
  std::vector<std::string> addresses_;  // raw, those that were not tried yet, last first
  Descriptor descriptor_;
  bool is_connected_ = false;
  bool is_input_broken_ = false;
  // For a Unix socket whose listener has no room for one more connection.
  std::optional<Instant> retry_;
  Duration retry_delay_;
  std::optional<std::string> over_;
  bool has_room_;  // in the kernel, for large messages; the kernel itself sees to that for TCP
};

}  // namespace cordon::runners
