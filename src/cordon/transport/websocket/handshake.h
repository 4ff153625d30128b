#pragma once

// The request that makes a WebSocket of an HTTP/1.1 connection: who is let in, and the answer.
// RFC 6455, 4.2.

#include <string>
#include <string_view>
#include <vector>

#include "cordon/transport/http/exchange.h"

namespace cordon::transport::websocket {

struct Rules {
  std::string path;
  std::string token = {};  // empty: none is asked for
  // Those that pages may have. A client that is no page sends no Origin.
  std::vector<std::string> origins = {};
};

// The answer to the request: its status is 101 where the client is let in.
http::ResponseHead answer_to(const http::RequestHead& request, const Rules& rules);

// What a server says to a client's Sec-WebSocket-Key, to show that it knows what it is asked.
std::string accept_value(std::string_view key);

}  // namespace cordon::transport::websocket
