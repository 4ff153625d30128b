#pragma once

// Frames as a client sends them, right or wrong.

#include <cstdint>
#include <initializer_list>
#include <string>

#include "cordon/transport/websocket/frames.h"

namespace cordon::transport::websocket::testing {

inline std::string bytes_of(std::initializer_list<unsigned> bytes) {
  std::string text;
  for (const unsigned byte : bytes) text += static_cast<char>(byte);
  return text;
}

struct Frame {
  Opcode opcode = Opcode::text;
  std::string payload = {};
  bool is_final = true;
  bool is_masked = true;
  unsigned reserved = 0;
};

inline std::string client_frame(const Frame& frame) {
  const FrameHead head = frame_head(frame.opcode, frame.is_final, frame.payload.size());
  std::string bytes(head.bytes.begin(),
                    head.bytes.begin() + static_cast<std::ptrdiff_t>(head.size));
  bytes[0] = static_cast<char>(static_cast<unsigned char>(bytes[0]) | frame.reserved);
  if (!frame.is_masked) return bytes + frame.payload;
  bytes[1] = static_cast<char>(static_cast<unsigned char>(bytes[1]) | 0x80U);
  const std::string mask = bytes_of({0x12, 0xfe, 0x00, 0x7a});
  bytes += mask;
  for (std::size_t i = 0; i < frame.payload.size(); ++i)
    bytes += static_cast<char>(frame.payload[i] ^ mask[i % mask.size()]);
  return bytes;
}

}  // namespace cordon::transport::websocket::testing
