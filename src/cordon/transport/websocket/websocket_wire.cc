// A WebSocket whose messages are lines.

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "cordon/transport/tcp_socket.h"
#include "cordon/transport/websocket/frames.h"
#include "cordon/transport/wire.h"

namespace cordon::transport {
namespace {

using Status = Stream::Status;
using websocket::CloseCode;
using websocket::FrameReader;
using websocket::Opcode;
constexpr auto awaiting = asio::as_tuple(asio::use_awaitable);

// A long message is sent in frames of this size, so that a pong can go between them.
constexpr std::size_t max_frame_bytes = std::size_t{64} << 10;
// Written at once, so that a peer that reads as fast as we write does not have the thread alone.
constexpr std::size_t max_written_bytes = std::size_t{256} << 10;
// Reads of what a peer has sent that did not keep to the rules, before the connection is closed.
constexpr int max_last_reads = 16;

// What goes out, frame after frame. The payload of a message is never copied: of a frame that is
// under way only its head and the number of bytes that are left are known, and the bytes are the
// first ones of the lines that come with the next call.
class FrameWriter {
 public:
  explicit FrameWriter(Stream& stream) : stream_(stream) {}

  // If two pongs wait, only the last one is sent, as RFC 6455 allows. Nothing follows a close.
  void pong(BytesView payload) {
    if (has_ended_) return;
    next_control_ = websocket::control_frame(
        Opcode::pong, {reinterpret_cast<const char*>(payload.data()), payload.size()});
  }
  void end(CloseCode code, std::string_view why) {
    if (std::exchange(has_ended_, true)) return;
    next_control_ = websocket::close_frame(code, why);
  }

  // Whether a control frame waits that does not have to wait for the rest of a message's frame,
  // which is the business of who writes that message.
  bool has_control() const { return !is_in_data_ && (is_in_control() || !next_control_.empty()); }
  // What the last send() lacked to go on.
  Status blocked_by() const { return blocked_by_; }

  // Sends what can be sent without waiting: control frames, and `lines`, of which it says how much
  // it took. Nothing where the connection is gone or has ended.
  std::optional<std::size_t> send(std::string_view lines) {
    std::size_t taken = 0;
    blocked_by_ = Status::wants_write;
    for (;;) {
      if (!is_in_data_ && !is_in_control()) {
        if (!next_control_.empty()) {
          control_ = std::exchange(next_control_, {});
          control_sent_ = 0;
        } else if (taken == lines.size() || taken >= max_written_bytes) {
          return taken;
        } else if (has_ended_) {
          return std::nullopt;
        } else {
          begin_data(lines.substr(taken));
        }
      }
      const std::string_view payload =
          is_in_data_ ? lines.substr(taken, payload_left_) : std::string_view();
      const std::array<BytesView, 2> pieces{is_in_data_ ? head_left() : control_left(),
                                            bytes_of(payload)};
      if (pieces[0].empty() && payload.empty() && payload_left_ > 0) return taken;
      const Stream::Outcome sent = stream_.write(pieces);
      if (sent.status == Status::moved) {
        taken += account_for(sent.bytes);
        continue;
      }
      if (sent.status != Status::wants_write && sent.status != Status::wants_read)
        return std::nullopt;
      blocked_by_ = sent.status;
      return taken;
    }
  }

 private:
  static BytesView bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }
  bool is_in_control() const { return control_sent_ < control_.size(); }
  BytesView control_left() const {
    return bytes_of(std::string_view(control_).substr(control_sent_));
  }
  BytesView head_left() const {
    return BytesView(head_.bytes).subspan(0, head_.size).subspan(head_sent_);
  }

  void begin_data(std::string_view lines) {
    const std::string_view part = lines.substr(0, max_frame_bytes);
    const std::size_t end = part.find('\n');
    ends_message_ = end != std::string_view::npos;
    payload_left_ = ends_message_ ? end : part.size();
    const Opcode opcode = is_in_message_ ? Opcode::continuation : Opcode::text;
    head_ = websocket::frame_head(opcode, ends_message_, payload_left_);
    head_sent_ = 0;
    is_in_data_ = true;
  }

  // How much of the lines was sent, with a line end that no frame has.
  std::size_t account_for(std::size_t sent) {
    if (!is_in_data_) {
      control_sent_ += sent;
      if (is_in_control()) return 0;
      control_ = {};
      control_sent_ = 0;
      return 0;
    }
    const std::size_t of_head = std::min(sent, head_.size - head_sent_);
    head_sent_ += of_head;
    std::size_t taken = sent - of_head;
    payload_left_ -= taken;
    if (head_sent_ < head_.size || payload_left_ > 0) return taken;
    is_in_data_ = false;
    is_in_message_ = !ends_message_;
    if (ends_message_) ++taken;
    return taken;
  }

  Stream& stream_;
  std::string control_;  // the frame that is under way, and how much of it was sent
  std::size_t control_sent_ = 0;
  std::string next_control_;
  websocket::FrameHead head_{};
  std::size_t head_sent_ = 0;
  std::size_t payload_left_ = 0;
  bool is_in_data_ = false;     // a message's frame is under way
  bool is_in_message_ = false;  // the next frame continues a message
  bool ends_message_ = false;
  bool has_ended_ = false;
  Status blocked_by_ = Status::wants_write;
};

// As in LineWire: after each wait the descriptor is asked whether it is still open.
class WebSocketWire final : public Wire {
 public:
  WebSocketWire(http::Upgraded upgraded, Peer peer, std::span<std::uint8_t> scratch)
      : descriptor_(std::move(upgraded.descriptor)),
        stream_(std::move(upgraded.stream)),
        unread_(std::move(upgraded.unread)),
        peer_(peer),
        scratch_(scratch) {}

  asio::awaitable<bool> open() override { co_return true; }
  bool is_authorized() const override { return peer_ == Peer::authorized; }
  bool is_meant() const override { return true; }

  asio::awaitable<Input> read() override {
    Status awaited = Status::wants_read;
    while (!is_over_) {
      // A peer that asks and asks, and takes no answers, is not read from.
      while (writer_.has_control()) {
        if (!writer_.send({})) co_return Input{.kind = Input::Kind::broken};
        if (!writer_.has_control()) break;
        const auto [error] =
            co_await descriptor_.async_wait(event_of(writer_.blocked_by()), awaiting);
        if (error || !descriptor_.is_open()) co_return Input{.kind = Input::Kind::broken};
      }
      std::size_t size = take_unread();
      if (size == 0) {
        if (!stream_.has_pending()) {
          const auto [error] = co_await descriptor_.async_wait(event_of(awaited), awaiting);
          if (error || !descriptor_.is_open()) co_return Input{.kind = Input::Kind::broken};
        }
        const Stream::Outcome got = stream_.read(room());
        awaited = got.status;
        if (got.status == Status::wants_read || got.status == Status::wants_write) continue;
        // A WebSocket has no half, and an end without a close frame is no end.
        if (got.status != Status::moved) co_return Input{.kind = Input::Kind::broken};
        awaited = Status::wants_read;
        acknowledge_at_once(descriptor_.native_handle());
        size = got.bytes;
      }
      const std::string_view lines = lines_of(room().first(size));
      if (!lines.empty()) co_return Input{.kind = Input::Kind::bytes, .bytes = lines};
    }
    take_leave();
    co_return Input{.kind = Input::Kind::broken};
  }

  // Its end is the end of the connection.
  asio::awaitable<void> until_gone() override { co_return; }

  std::optional<std::size_t> try_write(std::string_view lines) override {
    return writer_.send(lines);
  }

  asio::awaitable<std::optional<std::size_t>> write(std::string_view lines) override {
    for (;;) {
      const auto [error] =
          co_await descriptor_.async_wait(event_of(writer_.blocked_by()), awaiting);
      if (error || !descriptor_.is_open()) co_return std::nullopt;
      const std::optional<std::size_t> written = writer_.send(lines);
      if (written != 0) co_return written;
    }
  }

  // The peer's close frame, which answers ours, is then read as anything else.
  asio::awaitable<void> finish() override {
    writer_.end(CloseCode::normal, {});
    while (descriptor_.is_open() && writer_.has_control()) {
      if (!writer_.send({}) || !writer_.has_control()) co_return;
      const auto [error] =
          co_await descriptor_.async_wait(event_of(writer_.blocked_by()), awaiting);
      if (error) co_return;
    }
  }

  void close() override {
    boost::system::error_code ignored;
    (void)descriptor_.close(ignored);
  }

 private:
  static asio::posix::stream_descriptor::wait_type event_of(Status status) {
    return status == Status::wants_write ? asio::posix::stream_descriptor::wait_write
                                         : asio::posix::stream_descriptor::wait_read;
  }

  // A byte is left in front and one behind, for line ends: see lines_of().
  std::span<std::uint8_t> room() const { return scratch_.subspan(1, scratch_.size() - 2); }

  std::size_t take_unread() {
    const std::size_t size = std::min(unread_.size(), room().size());
    std::memcpy(room().data(), unread_.data(), size);
    unread_.erase(0, size);
    if (unread_.empty()) unread_.shrink_to_fit();
    return size;
  }

  // The messages among the frames, each with a line end behind it, written over the frames. They
  // are shorter than the frames: a head has six bytes at least, and stands between any two line
  // ends. Only the head of the first message may have come earlier; its line end then takes the
  // byte in front of the room, or that behind it where nothing follows.
  std::string_view lines_of(std::span<std::uint8_t> input) {
    std::uint8_t* begin = input.data();
    std::uint8_t* end = begin;
    while (!is_over_) {
      FrameReader::Event event = reader_.next(input);
      if (std::holds_alternative<FrameReader::NeedsMore>(event)) break;
      const auto* const data = std::get_if<FrameReader::Data>(&event);
      if (data == nullptr) {
        on_control(event);
        continue;
      }
      if (begin == end) {
        begin = end = data->bytes.data();
      } else {
        std::memmove(end, data->bytes.data(), data->bytes.size());
      }
      // A line end inside of a message is a blank of its JSON.
      std::replace(end, end + data->bytes.size(), std::uint8_t{'\n'}, std::uint8_t{' '});
      end += data->bytes.size();
      if (!data->ends_message) continue;
      if (end == input.data() && !input.empty()) {
        std::memmove(begin - 1, begin, static_cast<std::size_t>(end - begin));
        --begin;
        --end;
      }
      *end++ = '\n';
    }
    return {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin)};
  }

  void on_control(const FrameReader::Event& event) {
    if (const auto* const ping = std::get_if<FrameReader::Ping>(&event)) {
      writer_.pong(ping->payload);
    } else if (const auto* const close = std::get_if<FrameReader::Close>(&event)) {
      is_over_ = true;
      writer_.end(close->code, {});
    } else if (const auto* const fault = std::get_if<FrameReader::Fault>(&event)) {
      is_over_ = true;
      writer_.end(fault->code, fault->why);
    }
  }

  // The last words. Closing a socket while there is something unread in it resets the connection,
  // and the reset may overtake them: so what has come is read.
  void take_leave() {
    if (writer_.has_control()) (void)writer_.send({});
    for (int i = 0; i < max_last_reads; ++i) {
      if (stream_.read(room()).status != Status::moved) break;
    }
    (void)stream_.end_output();
  }

  asio::posix::stream_descriptor descriptor_;
  Stream stream_;
  std::string unread_;
  const Peer peer_;
  const std::span<std::uint8_t> scratch_;
  // Lines are cut, and large ones refused, by who reads them.
  FrameReader reader_;
  FrameWriter writer_{stream_};
  bool is_over_ = false;  // the peer has closed it, or does not keep to the rules
};

}  // namespace

std::unique_ptr<Wire> make_websocket_wire(http::Upgraded upgraded, Peer peer,
                                          std::span<std::uint8_t> scratch) {
  return std::make_unique<WebSocketWire>(std::move(upgraded), peer, scratch);
}

}  // namespace cordon::transport
