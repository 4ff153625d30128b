#include "cordon/transport/http/request_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cordon/base/ascii.h"
#include "cordon/transport/http/characters.h"

namespace cordon::transport::http {
namespace {

constexpr std::array<std::string_view, 8> own_headers = {
    "connection", "content-length",    "host",    "keep-alive",
    "te",         "transfer-encoding", "upgrade", "expect"};

bool has_header(const HttpRequest& request, std::string_view name) {
  return std::ranges::any_of(request.headers, [&](const HttpHeader& header) {
    return equals_in_any_case(header.name, name);
  });
}

}  // namespace

Result<> check_request(const HttpRequest& request) {
  if (!is_token(request.method)) return fail(ErrorCode::invalid_argument, "a bad method");
  if (!request.target.starts_with('/') || !std::ranges::all_of(request.target, is_target_character))
    return fail(ErrorCode::invalid_argument, "a bad target");
  for (const HttpHeader& header : request.headers) {
    if (!is_token(header.name)) return fail(ErrorCode::invalid_argument, "a bad name of a header");
    const bool is_own = std::ranges::any_of(
        own_headers, [&](std::string_view own) { return equals_in_any_case(header.name, own); });
    if (is_own)
      return fail(ErrorCode::invalid_argument,
                  "the header " + header.name + " is the connection's own");
    if (!is_value(header.value))
      return fail(ErrorCode::invalid_argument,
                  "the header " + header.name + " has control characters");
  }
  return {};
}

std::string request_text(const HttpRequest& request, const Origin& origin,
                         std::optional<std::uint64_t> length, const Proxy* proxy) {
  std::string text = request.method;
  text += ' ';
  if (proxy != nullptr) text += "http://" + origin.authority();
  text += request.target;
  text += " HTTP/1.1\r\nhost: ";
  text += origin.authority();
  text += "\r\n";
  if (proxy != nullptr && !proxy->authorization.empty())
    text += "proxy-authorization: " + proxy->authorization + "\r\n";
  if (!has_header(request, "user-agent"))
    text.append("user-agent: ").append(user_agent).append("\r\n");
  for (const HttpHeader& header : request.headers)
    text.append(header.name).append(": ").append(header.value).append("\r\n");
  const bool has_no_body = request.method == "GET" || request.method == "HEAD";
  if (!length) {
    text += "transfer-encoding: chunked\r\n";
  } else if (*length > 0 || !has_no_body) {
    text += "content-length: " + std::to_string(*length) + "\r\n";
  }
  return text += "\r\n";
}

std::string connect_text(const Origin& origin, const Proxy& proxy) {
  const std::string host = origin.host.contains(':') ? "[" + origin.host + "]" : origin.host;
  const std::string authority = host + ":" + origin.port;
  std::string text = "CONNECT " + authority + " HTTP/1.1\r\nhost: " + authority + "\r\n";
  if (!proxy.authorization.empty()) text += "proxy-authorization: " + proxy.authorization + "\r\n";
  return text.append("user-agent: ").append(user_agent).append("\r\n\r\n");
}

}  // namespace cordon::transport::http
