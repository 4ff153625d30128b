#pragma once

// The head of a client's request as HTTP/1.1 writes it.

#include <cstdint>
#include <optional>
#include <string>

#include "cordon/result.h"
#include "cordon/transport/http/http_request.h"
#include "cordon/transport/http/origin.h"
#include "cordon/transport/http/proxy_settings.h"

namespace cordon::transport::http {

// ErrorCode::invalid_argument for a method, a target or a header that cannot be sent.
Result<> check_request(const HttpRequest& request);

// The request was checked before. A body without a length is sent in chunks. `proxy`, which may be
// null, is one that takes whole URLs.
std::string request_text(const HttpRequest& request, const Origin& origin,
                         std::optional<std::uint64_t> length, const Proxy* proxy);

// What asks a proxy for a tunnel to an origin.
std::string connect_text(const Origin& origin, const Proxy& proxy);

inline constexpr std::string_view user_agent = "cordon";

}  // namespace cordon::transport::http
