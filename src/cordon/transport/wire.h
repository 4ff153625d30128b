#pragma once

// One connection as a stream of lines in both directions, whatever is under it: a Unix or TCP
// socket, TLS, a WebSocket (whose messages are its lines).
//
// All on one thread, that of its event loop. One read and one write at a time, which may overlap.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "cordon/transport/http/upgraded.h"
#include "cordon/transport/stream.h"

namespace cordon::transport {

namespace asio = boost::asio;

class Wire {
 public:
  virtual ~Wire() = default;

  // Handshakes, before anything else. False where the peer was refused or went away.
  virtual asio::awaitable<bool> open() = 0;
  // Whether the handshake has shown who the peer is, so that it need not say so itself.
  virtual bool is_authorized() const { return false; }
  // Whether the handshake has shown that the peer means to talk to us: that of a WebSocket does. A
  // plain socket takes whatever a browser sends to any port, for a page that its user never asked.
  virtual bool is_meant() const { return false; }

  struct Input {
    enum class Kind : std::uint8_t {
      bytes,
      ended,  // no more comes
      broken  // the connection is gone
    };
    Kind kind = Kind::broken;
    std::string_view bytes = {};  // until the next read of any Wire of this thread
  };
  virtual asio::awaitable<Input> read() = 0;
  // After the end of the input: until the peer does not listen any more either.
  virtual asio::awaitable<void> until_gone() = 0;

  // Writes what it can without waiting, and returns how much it was, or nothing if the connection
  // is gone. The lines continue where the last write ended.
  virtual std::optional<std::size_t> try_write(std::string_view lines) = 0;
  // After try_write() has left something: waits until some of it was written, and says how much.
  virtual asio::awaitable<std::optional<std::size_t>> write(std::string_view lines) = 0;
  // Tells the peer that no more comes.
  virtual asio::awaitable<void> finish() = 0;
  // Ends whatever is under way. It may be called at any time.
  virtual void close() = 0;
};

// What is read passes through `scratch`, which belongs to the thread: a connection that waits has
// no buffer of its own.
enum class SocketKind : std::uint8_t { local, tcp };
std::unique_ptr<Wire> make_line_wire(asio::posix::stream_descriptor descriptor, Stream stream,
                                     SocketKind kind, std::span<std::uint8_t> scratch);

// A WebSocket after its handshake, which has shown who the peer is, or not.
enum class Peer : std::uint8_t { unknown, authorized };
std::unique_ptr<Wire> make_websocket_wire(http::Upgraded upgraded, Peer peer,
                                          std::span<std::uint8_t> scratch);

}  // namespace cordon::transport
