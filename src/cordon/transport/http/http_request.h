#pragma once

// One request as a client sends it, and what may go wrong with it.

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/byte_source.h"
#include "cordon/protocol/http_head.h"

namespace cordon::transport::http {

// Bytes that come in pieces: a file, standard input, what a program makes. They are read on the
// thread of the client, and only as quickly as the server takes them. They may be answered on any
// thread. A request that ends early closes them.
struct SourcePart {
  std::shared_ptr<ByteSource> source = {};
  // If it is known, exactly so many are sent: a source with fewer fails the request, and what a
  // source has more is not read. Otherwise the body is sent in chunks.
  std::optional<std::uint64_t> bytes = {};
};
using HttpBodyPart = std::variant<std::string, SourcePart>;

struct HttpRequest {
  std::string method = "POST";
  std::string target = {};  // the path, with a query if there is one
  // Without those of framing and of the connection: host, content-length, transfer-encoding,
  // connection.
  std::vector<HttpHeader> headers = {};
  std::vector<HttpBodyPart> body = {};
  // For all of it: waiting for a connection, the lookup of the name, the handshakes, and both
  // bodies to their ends. Without a value there is no limit.
  std::optional<Instant> deadline = {};
};

enum class HttpFailure : std::uint8_t {
  unreachable,   // no such name, nobody there, no way through a proxy
  timeout,       // the deadline
  tls,           // no handshake, or a certificate that is not to be trusted
  bad_response,  // what came back is no HTTP, or the server hung up without a word
  truncated,     // the answer began, and ended before its end
  too_large,     // the head of the answer
  bad_request,   // a method, target or header that cannot be sent; nothing was sent
  body_failed,   // the source of the request's body failed, or had fewer bytes than it said
  overloaded,    // too many requests wait for a connection already
  cancelled,
};

struct HttpError {
  HttpFailure why = HttpFailure::unreachable;
  // For people: in lower case, without the target or any header of the request.
  std::string message = {};
  // The server may have seen some of it.
  bool was_sent = false;
};

template <class T>
using HttpResult = std::expected<T, HttpError>;

}  // namespace cordon::transport::http
