#pragma once

// The heads of a tunnel's answers, and the headers of its requests as tasks see them.

#include <string>
#include <string_view>

#include "cordon/protocol/http_head.h"
#include "cordon/protocol/tunnel/policy.h"
#include "cordon/protocol/tunnel/route.h"
#include "cordon/value.h"

namespace cordon::tunnel {

inline constexpr std::string_view json_type = "application/json; charset=utf-8";

// Empty if there is none.
std::string_view header_of(const HttpRequestHead& head, std::string_view name);
// Null too where it is repeated: neither can be told to be the right one.
const std::string* only_header_of(const HttpRequestHead& head, std::string_view name);

HttpResponseHead answer_head(const Policy& policy, const HttpRequestHead& request, unsigned status,
                             std::string_view content_type, const std::string& request_id);
// The same for an envelope, whose status may ask for more: when to try again, what is allowed.
HttpResponseHead envelope_head(const Policy& policy, const HttpRequestHead& request,
                               Route::Kind route, unsigned status, const std::string& request_id);
HttpResponseHead preflight_head(const Policy& policy, const HttpRequestHead& request);

// An object of all headers, repeated ones joined. The request's id is always there: the client's,
// or ours.
Value headers_value(const HttpRequestHead& request, std::string_view request_id);

}  // namespace cordon::tunnel
