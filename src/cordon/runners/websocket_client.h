#pragma once

// The client's side of a WebSocket (RFC 6455) whose messages are lines: its request, the frames
// that it sends, and those that come. No I/O.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/runners/target.h"

namespace cordon::runners {

class WebSocketClient {
 public:
  // The token is shown as a bearer's. `max_message_bytes` is for what comes.
  WebSocketClient(const WebSocketTarget& target, std::string_view token,
                  std::size_t max_message_bytes = std::size_t{64} << 20);

  // Puts lines, all of which end, into messages of their own, to be sent.
  void add_lines(std::string_view lines);
  // To be sent, in order. It holds only the request until the server has agreed.
  const std::string& output() const { return output_; }
  void sent(std::size_t bytes) { output_.erase(0, bytes); }
  bool is_open() const { return is_open_; }

  // Appends the messages that these bytes end to `lines`, each with a line end.
  void on_bytes(std::string_view bytes, std::string& lines);
  // Why nothing more comes: the server refused, closed, or broke the rules.
  const std::optional<std::string>& over() const { return over_; }

 private:
  void read_answer();
  bool read_frame(std::size_t& read, std::string& lines);
  void take_frame(std::uint8_t first, std::string_view payload, std::string& lines);
  void add_frame(std::uint8_t opcode, std::string_view payload);
  void end(std::string why);

  const std::size_t max_message_bytes_;
  std::string key_;
  std::string output_;
  std::string waiting_;  // frames that wait for the server's answer
  std::string input_;
  std::string message_;  // the beginning of one
  bool is_in_message_ = false;
  bool is_open_ = false;
  std::optional<std::string> over_;
};

}  // namespace cordon::runners
