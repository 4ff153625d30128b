#include "cordon/transport/websocket/handshake.h"

#include <algorithm>
#include <array>
#include <optional>

#include <openssl/evp.h>

#include "cordon/base/ascii.h"
#include "cordon/base/base64.h"
#include "cordon/base/secret.h"
#include "cordon/transport/http/characters.h"

namespace cordon::transport::websocket {
namespace {

using http::RequestHead;

constexpr std::size_t key_bytes = 16;

std::string_view value_of(const RequestHead& request, std::string_view name) {
  const std::string* const found = request.find(name);
  return found != nullptr ? std::string_view(*found) : std::string_view();
}

// Whether a list, which may stand in several headers of that name, has such an element.
bool lists(const RequestHead& request, std::string_view name, std::string_view element) {
  bool is_there = false;
  for (const http::Header& header : request.headers) {
    if (header.name != name) continue;
    http::for_each_piece(header.value, ',', [&](std::string_view piece) {
      if (equals_in_any_case(piece, element)) is_there = true;
    });
  }
  return is_there;
}

bool has_token(const RequestHead& request, const std::string& token) {
  constexpr std::string_view scheme = "Bearer ";
  const std::string_view said = value_of(request, "authorization");
  return equals_in_any_case(said.substr(0, scheme.size()), scheme) &&
         equals_secret(said.substr(scheme.size()), token);
}

// Whether two readers could take the request for two different ones: a proxy that looks at the
// first of two tokens, or origins, and this server at the second.
bool is_ambiguous(const RequestHead& request) {
  for (const std::string_view once :
       {"authorization", "origin", "upgrade", "sec-websocket-key", "sec-websocket-version"}) {
    if (request.count(once) > 1) return true;
  }
  // An upgrade has no body: what follows its head are frames, and nothing else.
  return request.has_body;
}

bool is_upgrade(const RequestHead& request) {
  return request.method == "GET" && request.minor_version == 1 &&
         lists(request, "connection", "upgrade") && lists(request, "upgrade", "websocket");
}

bool has_key(const RequestHead& request) {
  const std::optional<Bytes> key = from_base64(value_of(request, "sec-websocket-key"));
  return key && key->size() == key_bytes;
}

unsigned status_of(const RequestHead& request, const Rules& rules) {
  if (is_ambiguous(request)) return 400;
  const std::string_view target = request.target;
  if (target.substr(0, target.find('?')) != rules.path) return 404;
  if (!is_upgrade(request)) return 426;
  // A page in a browser cannot leave its Origin out, and its user was not asked.
  const std::string* const origin = request.find("origin");
  if (origin != nullptr && std::ranges::find(rules.origins, *origin) == rules.origins.end())
    return 403;
  if (!rules.token.empty() && !has_token(request, rules.token)) return 401;
  if (value_of(request, "sec-websocket-version") != "13") return 426;
  return has_key(request) ? 101 : 400;
}

}  // namespace

http::ResponseHead answer_to(const RequestHead& request, const Rules& rules) {
  http::ResponseHead answer{.status = status_of(request, rules), .headers = {}};
  answer.headers.push_back({"server", "cordon"});
  switch (answer.status) {
    case 101:
      answer.headers.push_back({"upgrade", "websocket"});
      answer.headers.push_back(
          {"sec-websocket-accept", accept_value(value_of(request, "sec-websocket-key"))});
      break;
    case 401:
      answer.headers.push_back({"www-authenticate", "Bearer"});
      break;
    case 426:
      answer.headers.push_back({"upgrade", "websocket"});
      answer.headers.push_back({"sec-websocket-version", "13"});
      break;
    default:
      break;
  }
  return answer;
}

std::string accept_value(std::string_view key) {
  std::string text(key);
  text += "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  return to_base64({digest.data(), size});
}

}  // namespace cordon::transport::websocket
