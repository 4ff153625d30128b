#pragma once

// The frames of a WebSocket (RFC 6455), as a server reads and writes them. No I/O.
//
// A client's frames have masks and come in any pieces. Their payloads lose the masks where they
// lie, so nothing is copied, and between two reads only the head of a frame is kept.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "cordon/bytes.h"
#include "cordon/transport/websocket/utf8_check.h"

namespace cordon::transport::websocket {

enum class Opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10
};

enum class CloseCode : std::uint16_t {
  normal = 1000,
  protocol_error = 1002,
  none = 1005,  // of a close frame that has none; never sent
  bad_payload = 1007,
  too_big = 1009
};

// Payloads of control frames: pings, pongs and the end.
inline constexpr std::size_t max_control_bytes = 125;

class FrameReader {
 public:
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  explicit FrameReader(std::uint64_t max_message_bytes = unlimited)
      : max_message_bytes_(max_message_bytes) {}

  struct NeedsMore {};
  // A part of a message, in the input.
  struct Data {
    std::span<std::uint8_t> bytes;
    bool ends_message = false;
  };
  // In the input or in the reader, until the next call.
  struct Ping {
    BytesView payload;
  };
  struct Pong {};
  struct Close {
    CloseCode code;
  };
  // The client does not keep to the rules: it is told so with this code, and that is the end.
  struct Fault {
    CloseCode code;
    std::string_view why;  // a literal
  };
  using Event = std::variant<NeedsMore, Data, Ping, Pong, Close, Fault>;

  // Takes what makes up the next event from the front of `input`, all of it for NeedsMore. Nothing
  // comes after a Close or a Fault: do not call it again.
  Event next(std::span<std::uint8_t>& input);

 private:
  bool is_control() const { return (head_[0] & 0x08) != 0; }
  bool is_final() const { return (head_[0] & 0x80) != 0; }
  Opcode opcode() const { return static_cast<Opcode>(head_[0] & 0x0f); }
  std::size_t head_size() const;
  std::string_view fault_of_first_bytes() const;
  // Empty if the frame may continue.
  std::string_view begin_frame();
  bool unmask(std::span<std::uint8_t> bytes);
  Event take_data(std::span<std::uint8_t>& input);
  Event take_control(std::span<std::uint8_t>& input);
  Event control_event(std::span<std::uint8_t> payload);

  const std::uint64_t max_message_bytes_;
  // The frame that is under way.
  std::array<std::uint8_t, 14> head_{};
  std::uint8_t head_have_ = 0;
  bool is_in_frame_ = false;  // its head is whole
  std::uint8_t mask_at_ = 0;  // of the four bytes of the mask, the next
  std::array<std::uint8_t, 4> mask_{};
  std::uint64_t left_ = 0;  // of its payload
  std::string control_;     // what has come of a control frame's payload, where that was cut
  // The message that is under way; control frames may stand between its frames.
  bool is_in_message_ = false;
  bool is_text_ = false;
  std::uint64_t message_bytes_ = 0;
  Utf8Check utf8_;
};

// The head of a server's frame, which has no mask.
struct FrameHead {
  std::array<std::uint8_t, 10> bytes;
  std::size_t size;
};
FrameHead frame_head(Opcode opcode, bool is_final, std::uint64_t payload_bytes);

// A whole control frame. Of a longer payload only max_control_bytes are sent.
std::string control_frame(Opcode opcode, std::string_view payload);
std::string close_frame(CloseCode code, std::string_view why);

}  // namespace cordon::transport::websocket
