#pragma once

// A session of HTTP/2 without a socket, and a client that sends exactly the frames that a test
// writes and takes apart those that come back.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <nghttp2/nghttp2.h>

#include "cordon/transport/http/connection_home.h"
#include "cordon/transport/http/http2_session.h"

namespace cordon::transport::http::testing {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Frame {
  unsigned type = 0;
  unsigned flags = 0;
  std::uint32_t stream = 0;
  std::string payload = {};
};

inline std::string big_endian(std::uint32_t number, std::size_t bytes = 4) {
  std::string text;
  for (std::size_t i = bytes; i-- > 0;) text += static_cast<char>(number >> (8 * i));
  return text;
}
inline std::uint32_t number_of(std::string_view text) {
  std::uint32_t number = 0;
  for (const char c : text) number = number << 8 | static_cast<std::uint8_t>(c);
  return number;
}
inline std::string to_bytes(const Frame& frame) {
  return big_endian(static_cast<std::uint32_t>(frame.payload.size()), 3) +
         static_cast<char>(frame.type) + static_cast<char>(frame.flags) + big_endian(frame.stream) +
         frame.payload;
}

// HPACK's numbers, of seven bits and what does not fit.
inline std::string packed_length(std::size_t size) {
  if (size < 127) return std::string(1, static_cast<char>(size));
  std::string text(1, '\x7f');
  for (size -= 127; size >= 128; size /= 128) text += static_cast<char>(size % 128 + 128);
  return text + static_cast<char>(size);
}
// Each in full, without a table.
inline std::string pack(const Fields& fields) {
  std::string text;
  for (const auto& [name, value] : fields)
    text += '\0' + packed_length(name.size()) + name + packed_length(value.size()) + value;
  return text;
}

class Http2Peer : public Http2Owner {
 public:
  Http2Peer(HttpOptions options, Handler handler)
      : context_(std::make_shared<ConnectionContext>(io_, std::move(options), std::move(handler))),
        session_(std::make_unique<Http2Session>(
            context_, TrustedProxies::Origin{.address = "127.0.0.1", .is_secure = true}, *this)) {
    nghttp2_hd_inflate_new(&inflater_);
  }
  virtual ~Http2Peer() {
    lose();
    // Handlers whose client is gone come to their ends.
    run();
    session_.reset();
    context_->hangups->close();
    run();
    nghttp2_hd_inflate_del(inflater_);
  }

  static std::string preface() {
    return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + to_bytes({.type = NGHTTP2_SETTINGS});
  }
  static Fields get(const std::string& target, const Fields& more = {}) {
    Fields fields = {
        {":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", target}};
    fields.insert(fields.end(), more.begin(), more.end());
    return fields;
  }
  static Fields post(const std::string& target, const Fields& more = {}) {
    Fields fields = get(target, more);
    fields[0].second = "POST";
    return fields;
  }

  void send(std::string_view bytes) {
    session_->receive({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    flush();
    run();
  }
  void send(const Frame& frame) { send(to_bytes(frame)); }
  void send_head(std::uint32_t stream, const Fields& fields, bool ends) {
    const unsigned end = ends ? NGHTTP2_FLAG_END_STREAM : NGHTTP2_FLAG_NONE;
    send(Frame{.type = NGHTTP2_HEADERS,
               .flags = NGHTTP2_FLAG_END_HEADERS | end,
               .stream = stream,
               .payload = pack(fields)});
  }
  void send_data(std::uint32_t stream, std::string payload, bool ends = false) {
    const unsigned end = ends ? NGHTTP2_FLAG_END_STREAM : NGHTTP2_FLAG_NONE;
    send(
        Frame{.type = NGHTTP2_DATA, .flags = end, .stream = stream, .payload = std::move(payload)});
  }
  void send_reset(std::uint32_t stream) {
    send(
        Frame{.type = NGHTTP2_RST_STREAM, .stream = stream, .payload = big_endian(NGHTTP2_CANCEL)});
  }
  void open_window(std::uint32_t stream, std::uint32_t bytes) {
    send(Frame{.type = NGHTTP2_WINDOW_UPDATE, .stream = stream, .payload = big_endian(bytes)});
  }

  // Until nothing is left to do at once.
  void run() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void pass(std::chrono::milliseconds time) {
    context_->now += time;
    session_->check_deadlines(context_->now);
    run();
  }
  void lose() {
    session_->lose();
    flush();
  }

  // What has come back since it was last asked.
  std::vector<Frame> frames() {
    std::vector<Frame> all;
    while (output_.size() >= 9) {
      const std::size_t size = number_of(output_.substr(0, 3));
      if (output_.size() < 9 + size) break;
      all.push_back({.type = static_cast<std::uint8_t>(output_[3]),
                     .flags = static_cast<std::uint8_t>(output_[4]),
                     .stream = number_of(output_.substr(5, 4)),
                     .payload = output_.substr(9, size)});
      output_.erase(0, 9 + size);
    }
    return all;
  }
  // The same in words, a line each: those of one stream, or all.
  std::string news(std::int64_t stream = -1) {
    std::string text;
    for (const Frame& frame : frames()) {
      const std::string line = describe(frame);
      if (!line.empty() && (stream < 0 || frame.stream == stream))
        text += std::to_string(frame.stream) + " " + line + "\n";
    }
    return text;
  }

  ConnectionContext& context() { return *context_; }
  Http2Session& session() { return *session_; }
  asio::io_context& io() { return io_; }
  bool is_reading = true;

  // Http2Owner.
  void flush() override {
    if (std::exchange(is_flushing_, true)) {
      flushes_again_ = true;
      return;
    }
    do {
      flushes_again_ = false;
      std::vector<std::uint8_t> room(65'536);
      while (is_reading) {
        const std::size_t size = session_->fetch(room);
        if (size == 0) break;
        output_.append(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(size));
      }
      session_->settle();
    } while (flushes_again_);
    is_flushing_ = false;
  }
  // It outlives its handlers by what its destructor does.
  std::shared_ptr<void> hold() override { return {std::shared_ptr<void>(), this}; }

 private:
  std::string describe(const Frame& frame) {
    const std::string end = (frame.flags & NGHTTP2_FLAG_END_STREAM) != 0 ? " end" : "";
    switch (frame.type) {
      case NGHTTP2_HEADERS:
        return "status " + status_of(frame.payload) + end;
      case NGHTTP2_DATA:
        return (frame.payload.size() > 100 ? std::to_string(frame.payload.size()) + " bytes"
                                           : "data " + frame.payload) +
               end;
      case NGHTTP2_RST_STREAM:
        return "reset " + std::to_string(number_of(frame.payload));
      case NGHTTP2_GOAWAY:
        return "goaway " + std::to_string(number_of(frame.payload.substr(0, 4))) + " " +
               std::to_string(number_of(frame.payload.substr(4, 4)));
      case NGHTTP2_WINDOW_UPDATE:
        return "window " + std::to_string(number_of(frame.payload));
      default:
        return "";
    }
  }

  std::string status_of(const std::string& block) {
    std::string status;
    const auto* next = reinterpret_cast<const std::uint8_t*>(block.data());
    std::size_t left = block.size();
    for (;;) {
      nghttp2_nv field{};
      int flags = 0;
      const ssize_t used = nghttp2_hd_inflate_hd2(inflater_, &field, &flags, next, left, 1);
      if (used < 0) return "unreadable";
      next += used;
      left -= static_cast<std::size_t>(used);
      const std::string_view name(reinterpret_cast<const char*>(field.name), field.namelen);
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0 && name == ":status")
        status.assign(reinterpret_cast<const char*>(field.value), field.valuelen);
      if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
    }
    nghttp2_hd_inflate_end_headers(inflater_);
    return status;
  }

  asio::io_context io_{1};
  std::shared_ptr<ConnectionContext> context_;
  std::unique_ptr<Http2Session> session_;
  nghttp2_hd_inflater* inflater_ = nullptr;
  std::string output_;
  bool is_flushing_ = false;
  bool flushes_again_ = false;
};

}  // namespace cordon::transport::http::testing
