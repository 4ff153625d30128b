#include "cordon/transport/http/http2_head.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "cordon/transport/http/characters.h"

namespace cordon::transport::http {
namespace {

constexpr std::size_t max_method_bytes = 32;
constexpr std::size_t max_length_digits = 18;  // so that sums of lengths do not overflow
// What a line of HTTP/1.1 has beside the name and the value.
constexpr std::size_t line_bytes = 4;

}  // namespace

void Http2Head::refuse(Refusal refusal) {
  if (!refusal_) refusal_ = refusal;
}

void Http2Head::add(std::string_view name, std::string_view value) {
  // A table of HPACK lets one byte stand for thousands: they are counted before they are kept.
  bytes_ += name.size() + value.size() + line_bytes;
  if (bytes_ > limits_.bytes) {
    const bool is_target = name == ":path" && value.size() > limits_.bytes;
    return refuse(is_target ? Refusal{414, "target too long"} : Refusal{431, "head too large"});
  }
  if (refusal_) return;
  if (name.starts_with(':')) return add_pseudo(name, value);
  if (name == "cookie") return add_cookie(value);
  if (count_ == limits_.count) return refuse({431, "too many headers"});
  if (!is_token(name) || !is_value(value)) return add_malformed();
  ++count_;
  head_.headers.push_back({std::string(name), std::string(trim(value))});
}

void Http2Head::add_pseudo(std::string_view name, std::string_view value) {
  if (name == ":method") {
    head_.method = value;
  } else if (name == ":path") {
    head_.target = value;
  } else if (name == ":authority") {
    authority_ = value;
  } else if (name == ":scheme") {
    scheme_ = value;
  }
}

// HTTP/2 lets a client cut it into pieces, so that HPACK has less to say. To everybody else it is
// one (RFC 9113, 8.2.3).
void Http2Head::add_cookie(std::string_view value) {
  if (!is_value(value)) return add_malformed();
  if (cookie_) {
    std::string& whole = head_.headers[*cookie_].value;
    whole += "; ";
    whole += trim(value);
    return;
  }
  if (count_++ == limits_.count) return refuse({431, "too many headers"});
  cookie_ = head_.headers.size();
  head_.headers.push_back({"cookie", std::string(trim(value))});
}

Http2Head::Outcome Http2Head::conclude(bool ends) {
  check_target();
  check_host();
  check_length();
  head_.minor_version = 1;
  head_.has_body = !ends && head_.content_length.value_or(1) > 0;
  Outcome outcome;
  for (const Header& header : head_.headers) {
    if (header.name != "expect") continue;
    if (!equals_in_any_case(header.value, "100-continue")) refuse({417, "unknown expectation"});
    outcome.expects_continue = head_.has_body;
  }
  outcome.refusal = refusal_;
  return outcome;
}

void Http2Head::check_target() {
  if (!is_token(head_.method) || head_.method.size() > max_method_bytes)
    return refuse({400, "bad method"});
  // CONNECT has none, and this is no proxy.
  const bool is_path =
      head_.target.starts_with('/') && std::ranges::all_of(head_.target, is_target_character);
  if (!is_path && !(head_.target == "*" && head_.method == "OPTIONS"))
    return refuse({400, "bad target"});
  if (scheme_ != "https" && scheme_ != "http") refuse({400, "bad scheme"});
}

// Readers of either of the two must come to the same result.
void Http2Head::check_host() {
  const std::size_t hosts = head_.count("host");
  if (hosts > 1) return refuse({400, "more than one Host"});
  const std::string* const host = head_.find("host");
  if (host == nullptr && !authority_) return refuse({400, "no Host"});
  if (host != nullptr && !is_host(*host)) return refuse({400, "bad Host"});
  if (!authority_) return;
  if (!is_host(*authority_)) return refuse({400, "bad Host"});
  if (host == nullptr) {
    head_.headers.insert(head_.headers.begin(), {"host", *std::exchange(authority_, {})});
  } else if (!equals_in_any_case(*host, *authority_)) {
    refuse({400, "Host differs from :authority"});
  }
}

void Http2Head::check_length() {
  if (head_.count("content-length") > 1) return refuse({400, "more than one Content-Length"});
  const std::string* const text = head_.find("content-length");
  if (text == nullptr) return;
  if (text->empty() || text->size() > max_length_digits || !std::ranges::all_of(*text, is_digit))
    return refuse({400, "bad Content-Length"});
  std::uint64_t length = 0;
  std::from_chars(text->data(), text->data() + text->size(), length);
  head_.content_length = length;
}

}  // namespace cordon::transport::http
