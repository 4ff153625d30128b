#pragma once

// A connected socket, plain or with TLS, that never waits: it says what it cannot do at once.
//
// Waiting is the business of its owner, on whose thread it is used. So an idle connection needs no
// buffer, and most messages are read and answered without asking the event loop in between.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cordon/bytes.h"

struct ssl_st;
struct ssl_ctx_st;

namespace cordon::transport {

class Stream {
 public:
  // `context` may be null. The descriptor stays its owner's.
  Stream(int descriptor, ssl_ctx_st* context);
  // The client's side, with TLS, of a connection to `host`: its certificate must be that of the
  // host, a name or an address, if the context verifies at all.
  static Stream to_host(int descriptor, ssl_ctx_st& context, const std::string& host);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) = delete;

  enum class Status : std::uint8_t {
    moved,
    wants_read,   // once more when there is something to read
    wants_write,  // once more when there is room to write
    ended,        // the peer sends no more
    broken
  };
  struct Outcome {
    Status status = Status::broken;
    std::size_t bytes = 0;
  };

  bool is_secure() const { return ssl_ != nullptr; }
  // Bytes that have come and were decrypted: no event tells of them.
  bool has_pending() const;
  // Before all else where it is secure.
  Status shake_hands();
  // Why shake_hands() broke off, for people.
  const char* handshake_failure() const { return handshake_failure_; }
  // What both agreed upon in it (ALPN), or nothing.
  std::string_view protocol() const;
  Outcome read(std::span<std::uint8_t> room);
  // The second room is used once the first is full, if at all.
  Outcome read(std::span<std::uint8_t> room, std::span<std::uint8_t> more_room);
  // Some of `pieces`, of which there are four at most.
  Outcome write(std::span<const BytesView> pieces);
  // Says that no more is sent. With TLS that takes some bytes: wants_write where there is no room
  // for them yet.
  Status end_output();

 private:
  Outcome write_secure(std::span<const BytesView> pieces);
  Status status_of(int result);

  int descriptor_;
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  std::unique_ptr<ssl_st, Free> ssl_;
  const char* handshake_failure_ = "the connection broke off";
};

}  // namespace cordon::transport
