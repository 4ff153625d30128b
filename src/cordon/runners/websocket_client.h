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
  std::string_view output() const { return std::string_view(output_).substr(sent_); }
  void sent(std::size_t bytes);
  bool is_open() const { return is_open_; }

  // Appends the messages that these bytes end to `lines`, each with a line end.
  void on_bytes(std::string_view bytes, std::string& lines);
  // Why nothing more comes: the server refused, closed, or broke the rules.
  const std::optional<std::string>& over() const { return over_; }

 private:
  void read_answer(std::size_t known_bytes);
  void check_answer(std::string_view head);
  bool read_frame(std::size_t& read, std::string& lines);
  void take_frame(std::uint8_t first, std::string_view payload, std::string& lines);
  void take_control(std::uint8_t opcode, std::string_view payload);
  void add_frame(std::uint8_t opcode, std::string_view payload);
  void add_pong();
  void end(std::string why);

  std::size_t max_message_bytes_;
  std::string key_;
  std::string output_;
  std::size_t sent_ = 0;  // of it
  std::string waiting_;   // frames that wait for the server's answer
  std::string input_;
  std::string message_;  // the beginning of one
  bool is_in_message_ = false;
  std::optional<std::string> unanswered_ping_;  // the last one
  bool is_open_ = false;
  std::optional<std::string> over_;
};

}  // namespace cordon::runners
