#include "cordon/runners/websocket_client.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cordon/base/ascii.h"
#include "cordon/base/base64.h"
#include "cordon/base/bytes.h"
#include "cordon/base/random.h"
#include "cordon/base/visible_text.h"
#include "cordon/transport/websocket/frames.h"
#include "cordon/transport/websocket/handshake.h"

namespace cordon::runners {
namespace {

using transport::websocket::FrameHead;
using transport::websocket::Opcode;

constexpr std::size_t max_head_bytes = 65'536;
// A runner that only sends pings makes its host keep no more than this.
constexpr std::size_t max_unsent_before_pongs = 65'536;

constexpr std::string_view no_websocket = "the runner answered with no WebSocket";
constexpr std::string_view broken_rules = "the runner broke the rules of WebSockets";

// Unpredictable, so that no page can make a client's bytes look like a request to a proxy on the
// way. Without randomness the client works all the same.
template <std::size_t size>
std::array<std::uint8_t, size> random_bytes() {
  std::array<std::uint8_t, size> bytes{};
  if (!fill_with_randomness(bytes)) bytes.fill(0x5a);
  return bytes;
}

// The value of a header in an answer's head, without blanks around it. Of one that is repeated, all
// values with a comma between.
std::string header(std::string_view head, std::string_view name) {
  std::string all;
  for (std::size_t start = head.find("\r\n"); start != std::string_view::npos;
       start = head.find("\r\n", start)) {
    start += 2;
    const std::string_view line = head.substr(start, head.find("\r\n", start) - start);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos ||
        ascii_lower_case(std::string(line.substr(0, colon))) != name)
      continue;
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    value = value.substr(0, value.find_last_not_of(" \t") + 1);
    all.append(all.empty() ? "" : ", ").append(value);
  }
  return all;
}

// "closed the connection", with the code and the reason that a close frame has.
std::string text_of_close(std::string_view payload) {
  std::string text = "the runner closed the connection";
  if (payload.size() < 2) return text;
  const auto byte = [payload](std::size_t at) { return static_cast<std::uint8_t>(payload[at]); };
  text += " (code " + std::to_string(byte(0) << 8 | byte(1));
  const std::string_view reason = payload.substr(2);
  return text + (reason.empty() ? "" : ": " + visible(reason, Lines::escaped)) + ")";
}

}  // namespace

WebSocketClient::WebSocketClient(const WebSocketTarget& target, std::string_view token,
                                 std::size_t max_message_bytes)
    : max_message_bytes_(max_message_bytes), key_(to_base64(random_bytes<16>())) {
  output_ = "GET " + target.resource + " HTTP/1.1\r\nHost: " + target.authority +
            "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: " +
            key_ + "\r\n";
  if (!token.empty()) output_ += "Authorization: Bearer " + std::string(token) + "\r\n";
  output_ += "\r\n";
}

void WebSocketClient::add_lines(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    add_frame(std::to_underlying(Opcode::text), lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

void WebSocketClient::add_frame(std::uint8_t opcode, std::string_view payload) {
  const FrameHead head =
      transport::websocket::frame_head(static_cast<Opcode>(opcode), true, payload.size());
  std::string& out = is_open_ ? output_ : waiting_;
  const std::size_t start = out.size();
  out.append(as_text(BytesView(head.bytes.data(), head.size)));
  out[start + 1] = static_cast<char>(static_cast<unsigned char>(out[start + 1]) | 0x80U);
  const std::array<std::uint8_t, 4> mask = random_bytes<4>();
  out.append(as_text(BytesView(mask.data(), mask.size())));
  const std::size_t body = out.size();
  out.append(payload);
  for (std::size_t i = 0; i < payload.size(); ++i)
    out[body + i] = static_cast<char>(static_cast<unsigned char>(out[body + i]) ^ mask[i % 4]);
}

void WebSocketClient::add_pong() {
  if (!unanswered_ping_ || output().size() > max_unsent_before_pongs) return;
  add_frame(std::to_underlying(Opcode::pong), *std::exchange(unanswered_ping_, std::nullopt));
}

void WebSocketClient::sent(std::size_t bytes) {
  sent_ += bytes;
  // Moving the rest costs no more than sending what was before it.
  if (sent_ * 2 >= output_.size()) {
    output_.erase(0, sent_);
    sent_ = 0;
  }
  add_pong();
}

void WebSocketClient::on_bytes(std::string_view bytes, std::string& lines) {
  if (over_) return;
  const std::size_t known_bytes = input_.size();
  input_ += bytes;
  if (!is_open_) read_answer(known_bytes);
  std::size_t read = 0;  // of the input
  while (is_open_ && !over_ && read_frame(read, lines)) {
  }
  input_.erase(0, read);
}

// What cannot become the right answer is one at once: nobody waits for the rest of it.
void WebSocketClient::read_answer(std::size_t known_bytes) {
  constexpr std::string_view http = "HTTP/1.";
  if (!http.starts_with(std::string_view(input_).substr(0, http.size())))
    return this->end(std::string(no_websocket));
  const std::size_t line_end = input_.find("\r\n");
  const std::string_view line = std::string_view(input_).substr(0, line_end);
  if (line_end != std::string::npos && line != "HTTP/1.1 101" && !line.starts_with("HTTP/1.1 101 "))
    return this->end("the runner refused the WebSocket: " +
                     visible(line.substr(0, 200), Lines::escaped));
  constexpr std::string_view end_of_head = "\r\n\r\n";
  const std::size_t end =
      input_.find(end_of_head, known_bytes - std::min(known_bytes, end_of_head.size()));
  if (end == std::string::npos) {
    if (input_.size() > max_head_bytes) this->end(std::string(no_websocket));
    return;
  }
  check_answer(std::string_view(input_).substr(0, end + 2));
  input_.erase(0, end + end_of_head.size());
}

// RFC 6455, 4.1.
void WebSocketClient::check_answer(std::string_view head) {
  const bool is_upgrade =
      ascii_lower_case(header(head, "upgrade")) == "websocket" &&
      ascii_lower_case(header(head, "connection")).contains("upgrade") &&
      header(head, "sec-websocket-accept") == transport::websocket::accept_value(key_);
  if (!is_upgrade) return end(std::string(no_websocket));
  // Nobody asked for any.
  if (!header(head, "sec-websocket-extensions").empty() ||
      !header(head, "sec-websocket-protocol").empty())
    return end(std::string(broken_rules));
  is_open_ = true;
  output_ += std::exchange(waiting_, {});
}

// Whether there was one.
bool WebSocketClient::read_frame(std::size_t& read, std::string& lines) {
  const std::string_view left = std::string_view(input_).substr(read);
  if (left.size() < 2) return false;
  const auto byte = [left](std::size_t at) { return static_cast<std::uint8_t>(left[at]); };
  const std::uint8_t first = byte(0);
  // A control frame is whole and short.
  const bool is_wrong_control = (first & 0x08U) != 0 && ((first & 0x80U) == 0 || byte(1) > 125);
  if ((byte(1) & 0x80U) != 0 || (first & 0x70U) != 0 || is_wrong_control) {
    end(std::string(broken_rules));
    return false;
  }
  std::uint64_t size = byte(1);
  std::size_t head = 2;
  const std::size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (left.size() < head + more) return false;
  if (more > 0) size = 0;
  for (std::size_t i = 0; i < more; ++i) size = size << 8 | byte(head++);
  if (size > max_message_bytes_ - std::min(message_.size(), max_message_bytes_)) {
    end("the runner sent a line of more than " + std::to_string(max_message_bytes_) + " bytes");
    return false;
  }
  if (left.size() - head < size) return false;
  take_frame(first, left.substr(head, size), lines);
  read += head + size;
  return true;
}

void WebSocketClient::take_frame(std::uint8_t first, std::string_view payload, std::string& lines) {
  const auto opcode = static_cast<Opcode>(first & 0x0fU);
  const bool is_final = (first & 0x80U) != 0;
  if (std::to_underlying(opcode) >= std::to_underlying(Opcode::close))
    return take_control(std::to_underlying(opcode), payload);
  if (std::to_underlying(opcode) > std::to_underlying(Opcode::binary))
    return end(std::string(broken_rules));
  if ((opcode == Opcode::continuation) != is_in_message_) return end(std::string(broken_rules));
  message_ += payload;
  is_in_message_ = !is_final;
  if (!is_final) return;
  // Between the parts of JSON a line end is a blank; within a text there is none.
  std::ranges::replace(message_, '\n', ' ');
  lines += std::exchange(message_, {}) + "\n";
}

void WebSocketClient::take_control(std::uint8_t opcode, std::string_view payload) {
  switch (static_cast<Opcode>(opcode)) {
    case Opcode::ping:
      // Only the last of several needs an answer.
      unanswered_ping_ = payload;
      return add_pong();
    case Opcode::pong:
      return;
    case Opcode::close:
      return end(text_of_close(payload));
    default:
      return end(std::string(broken_rules));
  }
}

void WebSocketClient::end(std::string why) {
  if (!over_) over_ = std::move(why);
}

}  // namespace cordon::runners
