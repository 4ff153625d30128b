#pragma once

// One request to an HTTP server, over TCP or TLS, with a deadline and limits.
//
// A certificate must be that of the host, by the system's store. Redirects are not followed, so
// that a token is never sent elsewhere by surprise.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/protocol/http_head.h"
#include "cordon/transport/http/origin.h"

namespace cordon::transport::http {

struct ClientRequest {
  std::string target;  // the path
  std::vector<HttpHeader> headers = {};
  std::string body = {};
};

struct ClientLimits {
  std::uint32_t head_bytes = 64u << 10;
};

enum class ClientFailure : std::uint8_t { unreachable, timeout, broken, refused, stopped };

struct ClientError {
  ClientFailure why = ClientFailure::unreachable;
  std::string message;
};

class Client {
 public:
  // Called with the head, then with each piece of the body; false ends the request as `refused`.
  struct Reader {
    std::function<bool(const HttpResponseHead&)> on_head;
    std::function<bool(std::string_view piece)> on_piece;
  };

  explicit Client(Origin origin, ClientLimits limits = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // POSTs, once, and runs until the answer has been read to its end.
  std::expected<void, ClientError> post(const ClientRequest& request, const Reader& reader,
                                        Instant deadline);
  // Any thread: ends the request.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cordon::transport::http
