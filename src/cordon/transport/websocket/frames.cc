#include "cordon/transport/websocket/frames.h"

#include <algorithm>
#include <cstring>

#include "cordon/base/utf8.h"

namespace cordon::transport::websocket {
namespace {

constexpr std::uint8_t final_bit = 0x80;
constexpr std::uint8_t reserved_bits = 0x70;
constexpr std::uint8_t mask_bit = 0x80;
constexpr std::uint8_t length_bits = 0x7f;
// In the place of a length: it follows in two, or in eight bytes.
constexpr std::uint8_t two_byte_length = 126;
constexpr std::uint8_t eight_byte_length = 127;
constexpr std::size_t mask_bytes = 4;

std::uint64_t big_endian(std::span<const std::uint8_t> bytes) {
  std::uint64_t number = 0;
  for (const std::uint8_t byte : bytes) number = number << 8 | byte;
  return number;
}

bool is_known(std::uint8_t opcode) { return opcode <= 2 || (opcode >= 8 && opcode <= 10); }

// Those that a close frame may bear: RFC 6455, 7.4, and what IANA has added since.
bool may_be_sent(std::uint64_t code) {
  if (code >= 3000 && code < 5000) return true;
  return code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006;
}

}  // namespace

std::size_t FrameReader::head_size() const {
  const std::uint8_t length = head_[1] & length_bits;
  const std::size_t more = length == two_byte_length ? 2 : length == eight_byte_length ? 8 : 0;
  return 2 + more + mask_bytes;
}

std::string_view FrameReader::fault_of_first_bytes() const {
  if ((head_[0] & reserved_bits) != 0) return "a reserved bit is set";
  if (!is_known(head_[0] & 0x0f)) return "unknown opcode";
  if ((head_[1] & mask_bit) == 0) return "a client's frame without a mask";
  if (is_control()) {
    if (!is_final()) return "a control frame in parts";
    if ((head_[1] & length_bits) > max_control_bytes) return "a control frame that is too long";
    return {};
  }
  const bool continues = opcode() == Opcode::continuation;
  if (continues && !is_in_message_) return "a continuation of nothing";
  if (!continues && is_in_message_) return "a message inside of a message";
  return {};
}

std::string_view FrameReader::begin_frame() {
  const std::size_t size = head_size();
  const std::span<const std::uint8_t> head(head_.data(), size);
  std::copy_n(head.end() - mask_bytes, mask_bytes, mask_.begin());
  mask_at_ = 0;
  left_ = head_[1] & length_bits;
  if (size > 2 + mask_bytes) {
    left_ = big_endian(head.subspan(2, size - 2 - mask_bytes));
    const std::uint64_t least =
        size == 2 + 2 + mask_bytes ? two_byte_length : std::uint64_t{1} << 16;
    if (left_ < least) return "a length in more bytes than it needs";
    if (left_ > std::numeric_limits<std::uint64_t>::max() / 2) return "a length past its range";
  }
  is_in_frame_ = true;
  control_.clear();
  if (is_control() || opcode() == Opcode::continuation) return {};
  is_in_message_ = true;
  is_text_ = opcode() == Opcode::text;
  message_bytes_ = 0;
  utf8_ = {};
  return {};
}

FrameReader::Event FrameReader::next(std::span<std::uint8_t>& input) {
  for (;;) {
    while (!is_in_frame_) {
      if (input.empty()) return NeedsMore{};
      head_[head_have_++] = input.front();
      input = input.subspan(1);
      if (head_have_ < 2) continue;
      std::string_view fault = head_have_ == 2 ? fault_of_first_bytes() : std::string_view();
      if (fault.empty() && head_have_ == head_size()) fault = begin_frame();
      if (!fault.empty()) return Fault{CloseCode::protocol_error, fault};
    }
    if (is_control()) return take_control(input);
    Event event = take_data(input);
    // A frame without a payload that does not end its message says nothing.
    const auto* const data = std::get_if<Data>(&event);
    if (data == nullptr || !data->bytes.empty() || data->ends_message) return event;
  }
}

FrameReader::Event FrameReader::take_data(std::span<std::uint8_t>& input) {
  if (left_ > max_message_bytes_ - message_bytes_)
    return Fault{CloseCode::too_big, "the message is too long"};
  if (left_ > 0 && input.empty()) return NeedsMore{};
  const std::span<std::uint8_t> bytes =
      input.first(static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size())));
  input = input.subspan(bytes.size());
  const bool ends_frame = unmask(bytes);
  message_bytes_ += bytes.size();
  const bool ends_message = ends_frame && is_final();
  if (is_text_) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!utf8_.feed(text) || (ends_message && !utf8_.is_whole()))
      return Fault{CloseCode::bad_payload, "a text that is not UTF-8"};
  }
  if (ends_message) is_in_message_ = false;
  return Data{.bytes = bytes, .ends_message = ends_message};
}

FrameReader::Event FrameReader::take_control(std::span<std::uint8_t>& input) {
  const std::span<std::uint8_t> bytes =
      input.first(static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size())));
  input = input.subspan(bytes.size());
  const bool is_cut = !control_.empty() || bytes.size() < left_;
  const bool ends_frame = unmask(bytes);
  if (!is_cut) return control_event(bytes);
  control_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!ends_frame) return NeedsMore{};
  return control_event({reinterpret_cast<std::uint8_t*>(control_.data()), control_.size()});
}

FrameReader::Event FrameReader::control_event(std::span<std::uint8_t> payload) {
  if (opcode() == Opcode::ping) return Ping{payload};
  if (opcode() == Opcode::pong) return Pong{};
  if (payload.empty()) return Close{CloseCode::none};
  if (payload.size() == 1) return Fault{CloseCode::protocol_error, "half of a close code"};
  const std::uint64_t code = big_endian(payload.first(2));
  if (!may_be_sent(code)) return Fault{CloseCode::protocol_error, "a bad close code"};
  const std::span<std::uint8_t> reason = payload.subspan(2);
  if (!is_utf8({reinterpret_cast<const char*>(reason.data()), reason.size()}))
    return Fault{CloseCode::bad_payload, "a reason that is not UTF-8"};
  return Close{static_cast<CloseCode>(code)};
}

// Takes the mask off, and says whether that was the end of the frame.
bool FrameReader::unmask(std::span<std::uint8_t> bytes) {
  // Turned so that it fits the first byte, and then eight at a time.
  std::array<std::uint8_t, 8> turned;
  for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = mask_[(mask_at_ + i) % mask_bytes];
  std::uint64_t wide;
  std::memcpy(&wide, turned.data(), sizeof wide);
  std::size_t i = 0;
  for (; i + sizeof wide <= bytes.size(); i += sizeof wide) {
    std::uint64_t word;
    std::memcpy(&word, &bytes[i], sizeof word);
    word ^= wide;
    std::memcpy(&bytes[i], &word, sizeof word);
  }
  for (; i < bytes.size(); ++i) bytes[i] ^= turned[i % mask_bytes];
  mask_at_ = static_cast<std::uint8_t>((mask_at_ + bytes.size()) % mask_bytes);
  left_ -= bytes.size();
  if (left_ > 0) return false;
  is_in_frame_ = false;
  head_have_ = 0;
  return true;
}

FrameHead frame_head(Opcode opcode, bool is_final, std::uint64_t payload_bytes) {
  FrameHead head{.bytes = {}, .size = 2};
  head.bytes[0] = static_cast<std::uint8_t>(opcode);
  if (is_final) head.bytes[0] |= final_bit;
  std::size_t more = 0;
  if (payload_bytes < two_byte_length) {
    head.bytes[1] = static_cast<std::uint8_t>(payload_bytes);
  } else {
    more = payload_bytes < 65'536 ? 2 : 8;
    head.bytes[1] = more == 2 ? two_byte_length : eight_byte_length;
  }
  for (std::size_t i = more; i-- > 0;)
    head.bytes[head.size++] = static_cast<std::uint8_t>(payload_bytes >> (8 * i));
  return head;
}

std::string control_frame(Opcode opcode, std::string_view payload) {
  payload = payload.substr(0, max_control_bytes);
  const FrameHead head = frame_head(opcode, true, payload.size());
  std::string frame(head.bytes.begin(),
                    head.bytes.begin() + static_cast<std::ptrdiff_t>(head.size));
  return frame += payload;
}

std::string close_frame(CloseCode code, std::string_view why) {
  if (code == CloseCode::none) return control_frame(Opcode::close, {});
  const auto number = static_cast<std::uint16_t>(code);
  std::string payload{static_cast<char>(number >> 8), static_cast<char>(number & 0xff)};
  return control_frame(Opcode::close, payload += why);
}

}  // namespace cordon::transport::websocket
