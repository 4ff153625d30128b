#include "cordon/protocol/tunnel/answer_head.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "cordon/builder.h"
#include "cordon/protocol/tunnel/text_encoding.h"

namespace cordon::tunnel {
namespace {

// Seconds after which a client may try again when all sandboxes are taken.
constexpr const char* retry_after = "1";

void add_security(HttpResponseHead& head) {
  head.headers.push_back({"X-Content-Type-Options", "nosniff"});
  head.headers.push_back({"X-Frame-Options", "DENY"});
}

auto adder_to(HttpResponseHead& head) {
  return [&head](std::string_view name, std::string_view value) {
    head.headers.push_back({std::string(name), std::string(value)});
  };
}

}  // namespace

std::string_view header_of(const HttpRequestHead& head, std::string_view name) {
  const std::string* const text = head.find(name);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

const std::string* only_header_of(const HttpRequestHead& head, std::string_view name) {
  return head.count(name) == 1 ? head.find(name) : nullptr;
}

HttpResponseHead answer_head(const Policy& policy, const HttpRequestHead& request, unsigned status,
                             std::string_view content_type, const std::string& request_id) {
  HttpResponseHead head;
  head.status = status;
  head.headers.reserve(8);
  head.headers.push_back({"x-runner-request-id", request_id});
  policy.cors().answer(header_of(request, "origin"), adder_to(head));
  head.headers.push_back({"content-type", std::string(content_type)});
  add_security(head);
  return head;
}

HttpResponseHead envelope_head(const Policy& policy, const HttpRequestHead& request,
                               Route::Kind route, unsigned status, const std::string& request_id) {
  HttpResponseHead head = answer_head(policy, request, status, json_type, request_id);
  if (status == 503) head.headers.push_back({"Retry-After", retry_after});
  if (status == 405) {
    const bool is_discovery = route == Route::Kind::discovery;
    head.headers.push_back({"Allow", is_discovery ? "GET, HEAD, POST, OPTIONS" : "POST, OPTIONS"});
  }
  return head;
}

HttpResponseHead preflight_head(const Policy& policy, const HttpRequestHead& request) {
  HttpResponseHead head;
  head.status = 204;
  policy.cors().preflight(header_of(request, "origin"),
                          header_of(request, "access-control-request-headers"), adder_to(head));
  add_security(head);
  return head;
}

Value headers_value(const HttpRequestHead& request, std::string_view request_id) {
  constexpr std::string_view id_header = "x-runner-request-id";
  std::vector<std::pair<std::string_view, std::string>> texts;
  std::unordered_map<std::string_view, std::size_t> places;
  texts.reserve(request.headers.size() + 1);
  for (const HttpHeader& header : request.headers) {
    if (header.name == id_header) continue;
    const auto [place, is_new] = places.try_emplace(header.name, texts.size());
    if (is_new) {
      texts.emplace_back(header.name, header_text(header.value));
    } else {
      std::string& text = texts[place->second].second;
      text += header.name == "cookie" ? "; " : ", ";
      text += header_text(header.value);
    }
  }
  texts.emplace_back(id_header, request_id);
  Builder builder;
  std::vector<Builder::Field> fields;
  fields.reserve(texts.size());
  for (const auto& [name, value] : texts) fields.push_back({name, builder.string(value)});
  return builder.finish(builder.object(fields));
}

}  // namespace cordon::tunnel
