#include "cordon/config/tunnel_form.h"

#include "cordon/base/ascii.h"
#include "cordon/config/addresses.h"
#include "cordon/protocol/tunnel/lane_key.h"
#include "cordon/transport/http/origin.h"

namespace cordon::config {
namespace {

constexpr std::uint64_t max_milliseconds = 2'147'483'647;  // 24 days
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 40;
constexpr std::uint64_t max_count = 1'000'000;
constexpr std::uint64_t max_discovery_milliseconds = 60'000;

std::optional<std::string> complain_about_base(std::string_view text) {
  const auto origin = transport::http::Origin::parse(text);
  if (!origin) return origin.error().message;
  // A socket has no host name to check.
  return origin->is_socket() ? std::nullopt : complain_about_url(text);
}

// A relative path of a socket begins where the file is.
Form<std::string> base_url() {
  const Form<std::string> form = text_that(complain_about_base, "http://127.0.0.1:7070/__runner");
  return {form.schema, [read = form.read](const Node& node, std::string& out, Reader& reader) {
            read(node, out, reader);
            if (out.starts_with("unix:")) out = "unix:" + reader.absolute(out.substr(5));
          }};
}

std::optional<std::string> complain_about_pattern(std::string_view text) {
  // A star stands for text that an id may have.
  std::string id(text);
  std::ranges::replace(id, '*', 'x');
  return complain_about_id(id);
}

Form<std::vector<std::string>> patterns() {
  return list_of(text_that(complain_about_pattern, "app.tasks.*"));
}

// Those that the client itself writes.
std::optional<std::string> complain_about_sent_header(std::string_view text) {
  if (auto complaint = complain_about_token(text)) return complaint;
  for (const std::string_view own : {"host", "content-length", "content-type", "transfer-encoding",
                                     "connection", "upgrade", "te", "trailer", "expect"}) {
    if (ascii_lower_case(std::string(text)) == own) return "this header is written by Cordon";
  }
  return std::nullopt;
}

// A key that can sign. Its text is not shown.
Form<std::string> signing(const Form<std::string>& form,
                          Result<tunnel::LaneKey> (*key_of)(std::string_view), const char* what) {
  return {form.schema,
          [read = form.read, key_of, what](const Node& node, std::string& out, Reader& reader) {
            std::string found;
            read(node, found, reader);
            if (found.empty()) return;  // which is told already
            const Result<tunnel::LaneKey> key = key_of(found);
            if (!key) return reader.wrong(node.offset, what + key.error().message);
            out = std::move(found);
          }};
}

void check_lane(const Node& node, Reader& reader) {
  const Node* const key = node.find("privateKey");
  const bool has_secret = node.find("secret") != nullptr;
  if (has_secret == (key != nullptr)) {
    reader.wrong(
        node.offset,
        has_secret ? "has a secret and a privateKey" : "has no secret and no privateKey",
        has_secret ? "one of them signs: remove the other" : "one of them signs the calls");
  }
}

Form<SignedLane> lane() {
  return Record<SignedLane>()
      .key("tasks", &SignedLane::tasks, patterns(),
           "The tasks of the lane: ids, in which * stands for any text.", Need::required)
      .key("secret", &SignedLane::secret,
           signing(secret(), &tunnel::LaneKey::of_secret, "the secret "),
           "Signs with HS256: what the server has too, of 16 bytes at least.")
      .key("privateKey", &SignedLane::private_key,
           signing(secret_lines(), &tunnel::LaneKey::of_private_pem, "the key "),
           "In the place of a secret: a private key in PEM. Ed25519 signs with EdDSA, P-256 with "
           "ES256, RSA with RS256.")
      .key("keyId", &SignedLane::key_id, text(), "The id by which the server knows the key (kid).")
      .key("header", &SignedLane::header,
           changed(text_that(complain_about_token, "authorization"), ascii_lower_case),
           "The header that has the signed token: authorization with Bearer, any other the token "
           "alone.")
      .and_then([](const Node& node, SignedLane&, Reader& reader) { check_lane(node, reader); })
      .form();
}

// Two that are sent under one name would be one too many.
void check_headers(const Node& node, const TunnelTarget& tunnel, Reader& reader) {
  const Node* const headers = node.find("headers");
  if (headers == nullptr) return;
  for (const KeyedNode& member : headers->members) {
    const std::string name = ascii_lower_case(member.key);
    if (tunnel.token && name == tunnel.header)
      reader.wrong(member.key_offset, "headers: " + member.key + " has the token already");
  }
}

}  // namespace

Form<TunnelTarget> tunnel() {
  return Record<TunnelTarget>()
      .key("url", &TunnelTarget::url, base_url(),
           "The base of a tunnel, with its base path: http://…, https://… or unix:SOCKET:/PATH.",
           Need::required)
      .key("token", &TunnelTarget::token, secret(), "What lets us in.")
      .key("header", &TunnelTarget::header,
           changed(text_that(complain_about_token, "x-runner-token"), ascii_lower_case),
           "The header that has the token: authorization with Bearer, any other the token alone.")
      .key("headers", &TunnelTarget::headers, named(secret(), complain_about_sent_header),
           "More headers of every request.")
      .key("allow", &TunnelTarget::allow, patterns(),
           "The tasks that guests may call: ids, in which * stands for any text. Without it: all "
           "that the tunnel lists.")
      .key("maxCalls", &TunnelTarget::max_calls, number<std::size_t>(0, max_count),
           "Calls that one execution may make; further ones fail with tool_error.")
      .key("maxBytes", &TunnelTarget::max_bytes, number<std::uint64_t>(1, max_bytes),
           "Bytes of requests and answers that one execution may cause; a call past it fails with "
           "tool_error.")
      .key("timeoutMs", &TunnelTarget::timeout, milliseconds(1, max_milliseconds),
           "For one call, its waits included; a later one fails with tool_error.")
      .key("discoveryTimeoutMs", &TunnelTarget::discovery_timeout,
           milliseconds(1, max_discovery_milliseconds),
           "For the tunnel to list its tasks, before a program starts and whenever it is asked "
           "again.")
      .key("lanes", &TunnelTarget::lanes, named(lane(), complain_about_id),
           "Tasks whose calls are signed, by the name of their lane.")
      .and_then([](const Node& node, TunnelTarget& out, Reader& reader) {
        check_headers(node, out, reader);
      })
      .form();
}

}  // namespace cordon::config
