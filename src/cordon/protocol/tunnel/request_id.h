#pragma once

// Ids of requests and of traces, as they travel in headers.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cordon::tunnel {

// Whether a client's `x-runner-request-id` may be used: [A-Za-z0-9._:-]{1,128}.
bool is_request_id(std::string_view text);

// A UUID of version 4 out of random bytes.
std::string uuid_text(std::span<const std::uint8_t, 16> random);

// `traceparent` of W3C Trace Context.
struct TraceParent {
  std::string trace_id;   // 32 hexadecimal digits
  std::string parent_id;  // 16
  std::string flags;      // 2
};
// Nothing where it is not valid, which is then ignored.
std::optional<TraceParent> parse_traceparent(std::string_view text);
// What is passed on: the same trace, with a span of our own.
std::string child_traceparent(const TraceParent& parent, std::uint64_t span);

}  // namespace cordon::tunnel
