#pragma once

// The client's side of a connection of HTTP/1.1: carries one transfer after the other.
//
// It does what can be done at once, and then waits for the socket. Sending and reading go on side
// by side, since an answer may come before the request has left: it is read, and then the
// connection is closed. When the server takes no more, what it said about it is still read.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cordon/base/instant.h"
#include "cordon/transport/http/answer_reader.h"
#include "cordon/transport/http/dial.h"
#include "cordon/transport/http/transfer.h"

namespace cordon::transport::http {

class ClientConnection;

class ConnectionOwner {
 public:
  // It may carry another transfer.
  virtual void on_idle(ClientConnection& connection) = 0;
  virtual void on_closed(ClientConnection& connection) = 0;
  // Its first transfer since it was idle never left it: it may go by another connection.
  virtual void on_unsent(std::shared_ptr<HttpTransfer::State> transfer) = 0;

 protected:
  ~ConnectionOwner() = default;
};

// On the loop's thread. Its owner holds it until on_closed(), and says close() before it goes.
class ClientConnection final : public Carrier,
                               public std::enable_shared_from_this<ClientConnection> {
 public:
  // `site` is the owner's, for it to know the connection by.
  ClientConnection(ConnectionOwner& owner, void* site, Wire wire, const Route& route,
                   const HeadLimits& limits);

  void carry(std::shared_ptr<HttpTransfer::State> transfer);
  // While it is idle: whether the server has neither closed it nor said anything.
  bool is_usable();
  void* site() const { return site_; }
  Instant idle_since() const { return idle_since_; }
  std::optional<std::uint64_t> keep_alive_seconds() const { return keep_alive_seconds_; }
  // Without a word to the owner.
  void close();

  void read_on() override;
  void send_on() override;
  void abandon() override;
  bool has_sent() const override { return sent_ > 0; }

 private:
  using Descriptor = boost::asio::posix::stream_descriptor;
  enum class Side : std::uint8_t { read, write };
  enum class Kept : std::uint8_t { yes, no };

  void pump();
  void pump_later();
  void write_some();
  bool fill_output();
  void count_output(std::size_t bytes);
  void on_write_failed();
  void read_some();
  bool understand();
  void on_input_end(AnswerReader::End end);
  std::span<std::uint8_t> input();
  void release(Kept kept);
  void fail(HttpError error);
  void wait();
  void wait(Side side);

  ConnectionOwner* owner_;  // null once it is closed
  void* const site_;
  Wire wire_;
  const Origin origin_;
  const std::optional<Proxy> forwarder_;  // that takes whole URLs
  const HeadLimits limits_;
  std::shared_ptr<HttpTransfer::State> transfer_ = {};

  // Output: what is sent before the body's next bytes, how many of those belong to this chunk, and
  // what follows the chunk.
  std::string prefix_ = {};
  std::size_t prefix_sent_ = 0;
  std::size_t chunk_left_ = 0;
  std::string_view suffix_ = {};
  std::uint64_t sent_ = 0;  // of this request
  bool is_chunked_ = false;
  bool is_body_over_ = false;
  bool is_output_over_ = false;  // all is sent, or nothing more can be
  bool is_output_broken_ = false;

  std::optional<AnswerReader> reader_ = {};
  std::unique_ptr<std::uint8_t[]> room_ = {};
  std::size_t begin_ = 0;
  std::size_t end_ = 0;

  // What each side waits for in the socket, and what is asked of the loop.
  std::array<std::optional<Side>, 2> blocked_on_ = {};
  std::array<bool, 2> is_waiting_ = {};
  bool is_pumping_ = false;
  bool has_more_to_send_ = false;  // that came while it was pumping
  bool is_posted_ = false;
  bool is_reused_ = false;
  Instant idle_since_ = {};
  std::optional<std::uint64_t> keep_alive_seconds_ = {};
};

}  // namespace cordon::transport::http
