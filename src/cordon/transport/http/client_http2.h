#pragma once

// The client's side of a connection of HTTP/2: carries many transfers at once. nghttp2 knows the
// frames; this moves the bytes and decides what an answer is worth.

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/transport/http/dial.h"
#include "cordon/transport/http/head_parser.h"
#include "cordon/transport/http/transfer.h"

struct nghttp2_session;

namespace cordon::transport::http {

class ClientHttp2;

class Http2ClientOwner {
 public:
  // A transfer has ended: there is room for another one, or none are left.
  virtual void on_room(ClientHttp2& connection) = 0;
  // It takes no more transfers. Those that it has may go on.
  virtual void on_draining(ClientHttp2& connection) = 0;
  virtual void on_closed(ClientHttp2& connection) = 0;
  // Nothing of it has left: it may go by another connection.
  virtual void on_unsent(std::shared_ptr<HttpTransfer::State> transfer) = 0;

 protected:
  ~Http2ClientOwner() = default;
};

// On the loop's thread. Its owner holds it until on_closed(), and says close() before it goes.
class ClientHttp2 final : public std::enable_shared_from_this<ClientHttp2> {
 public:
  // What may come of one answer before its reader asks for it.
  static constexpr std::int32_t stream_window_bytes = 256 << 10;
  static constexpr std::size_t max_streams = 100;

  ClientHttp2(Http2ClientOwner& owner, void* site, Wire wire, const Origin& origin,
              const HeadLimits& limits);
  ~ClientHttp2();

  // Says hello. Once, before all else.
  void begin();
  void carry(std::shared_ptr<HttpTransfer::State> transfer);
  bool has_room() const;
  // The same, after a look at what the server has said meanwhile.
  bool is_usable();
  bool is_idle() const { return streams_.empty(); }
  Instant idle_since() const { return idle_since_; }
  void* site() const { return site_; }
  // Without a word to the owner, or to those whom it carries.
  void close();

 private:
  class Carried;
  struct Callbacks;  // of nghttp2
  using Descriptor = boost::asio::posix::stream_descriptor;

  void pump();
  void pump_later();
  bool read_some();
  void understand();
  void flush();
  bool fill_output();
  void wait(Descriptor::wait_type what, bool& is_waiting);
  void leave(Carried& stream);
  void drain();
  void lose(HttpError error);

  Http2ClientOwner* owner_;  // null once it is closed
  void* const site_;
  Wire wire_;
  const Origin origin_;
  const HeadLimits limits_;
  struct Free {
    void operator()(nghttp2_session* session) const;
  };
  std::unique_ptr<nghttp2_session, Free> session_;
  std::unordered_map<std::int32_t, std::shared_ptr<Carried>> streams_ = {};
  std::vector<std::shared_ptr<Carried>> changed_ = {};  // in a callback of nghttp2
  std::vector<std::shared_ptr<Carried>> starved_ = {};  // whose bodies are wanted
  Bytes output_ = {};
  std::size_t sent_ = 0;  // of the output
  Instant idle_since_ = {};
  bool is_pumping_ = false;
  bool is_posted_ = false;
  bool is_read_awaited_ = false;
  bool is_write_awaited_ = false;
  bool is_draining_ = false;
};

}  // namespace cordon::transport::http
