#include "cordon/transport/http/head_parser.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "cordon/transport/http/characters.h"

namespace cordon::transport::http {
namespace {

using MaybeRefusal = std::optional<Refusal>;

constexpr std::size_t max_method_bytes = 32;
constexpr std::size_t max_length_digits = 18;  // so that sums of lengths do not overflow

// Absolute forms, as proxies get them, become what an origin server gets.
MaybeRefusal take_target(std::string_view target, RequestHead& head) {
  if (!std::ranges::all_of(target, is_target_character)) return Refusal{400, "bad target"};
  if (target.starts_with('/') || (target == "*" && head.method == "OPTIONS")) {
    head.target = target;
    return {};
  }
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (target.size() < scheme.size() ||
        !equals_in_any_case(target.substr(0, scheme.size()), scheme))
      continue;
    const std::string_view rest = target.substr(scheme.size());
    const std::size_t path = std::min(rest.find_first_of("/?"), rest.size());
    if (path == 0 || !is_host(rest.substr(0, path))) return Refusal{400, "bad target"};
    head.target = rest.substr(path);
    if (!head.target.starts_with('/')) head.target.insert(0, 1, '/');
    return {};
  }
  return Refusal{400, "bad target"};
}

MaybeRefusal parse_version(std::string_view version, RequestHead& head) {
  const bool is_version = version.size() == 8 && version.starts_with("HTTP/") &&
                          is_digit(version[5]) && version[6] == '.' && is_digit(version[7]);
  if (!is_version) return Refusal{400, "bad version"};
  if (version[5] != '1' || version[7] > '1') return Refusal{505, "HTTP/1.1 and 1.0 only"};
  head.minor_version = version[7] == '1' ? 1 : 0;
  return {};
}

MaybeRefusal parse_request_line(std::string_view line, RequestHead& head) {
  const std::size_t first = line.find(' ');
  if (first == line.npos) return Refusal{400, "bad request line"};
  const std::string_view method = line.substr(0, first);
  if (!is_token(method) || method.size() > max_method_bytes) return Refusal{400, "bad method"};
  const std::size_t second = line.find(' ', first + 1);
  if (second == line.npos) return Refusal{400, "request line without a version"};
  if (const MaybeRefusal refused = parse_version(line.substr(second + 1), head)) return refused;
  head.method = method;
  return take_target(line.substr(first + 1, second - first - 1), head);
}

// What the headers say about the connection and the body.
class FramingReader {
 public:
  MaybeRefusal see(std::string_view name, std::string_view value) {
    // Few names matter; their lengths tell most others apart.
    switch (name.size()) {
      case 4:
        if (name == "host") return see_host(value);
        break;
      case 6:
        if (name == "expect") return see_expect(value);
        break;
      case 10:
        if (name == "connection") see_connection(value);
        break;
      case 14:
        if (name == "content-length") return see_length(value);
        break;
      case 17:
        if (name == "transfer-encoding") return see_encoding(value);
        break;
      default:
        break;
    }
    return {};
  }

  MaybeRefusal conclude(RequestHead& head, Framing& framing) const {
    const bool is_old = head.minor_version == 0;
    if (!has_host_ && !is_old) return Refusal{400, "no Host"};
    if (is_chunked_ && is_old) return Refusal{400, "Transfer-Encoding in HTTP/1.0"};
    if (is_chunked_ && length_) return Refusal{400, "both Content-Length and Transfer-Encoding"};
    framing.is_chunked = is_chunked_;
    framing.length = length_.value_or(0);
    framing.keeps_alive = !says_close_ && (!is_old || says_keep_alive_);
    head.content_length = length_;
    head.has_body = is_chunked_ || framing.length > 0;
    // A client of 1.0 does not know the 100 that it would get.
    if (!is_old && expects_other_) return Refusal{417, "unknown expectation"};
    framing.expects_continue = expects_continue_ && !is_old && head.has_body;
    return {};
  }

 private:
  MaybeRefusal see_host(std::string_view value) {
    if (has_host_) return Refusal{400, "more than one Host"};
    if (!is_host(value)) return Refusal{400, "bad Host"};
    has_host_ = true;
    return {};
  }

  MaybeRefusal see_expect(std::string_view value) {
    if (equals_in_any_case(value, "100-continue")) {
      expects_continue_ = true;
    } else {
      expects_other_ = true;
    }
    return {};
  }

  void see_connection(std::string_view value) {
    for_each_piece(value, ',', [this](std::string_view option) {
      if (equals_in_any_case(option, "close")) says_close_ = true;
      if (equals_in_any_case(option, "keep-alive")) says_keep_alive_ = true;
    });
  }

  MaybeRefusal see_length(std::string_view value) {
    // Equal ones too: a proxy that joins or drops one of them would see something else in what
    // follows.
    if (length_) return Refusal{400, "more than one Content-Length"};
    std::uint64_t length = 0;
    if (value.empty() || value.size() > max_length_digits ||
        !std::ranges::all_of(value, is_digit)) {
      return Refusal{400, "bad Content-Length"};
    }
    std::from_chars(value.data(), value.data() + value.size(), length);
    length_ = length;
    return {};
  }

  MaybeRefusal see_encoding(std::string_view value) {
    if (is_chunked_ || !equals_in_any_case(value, "chunked"))
      return Refusal{400, "a Transfer-Encoding other than chunked"};
    is_chunked_ = true;
    return {};
  }

  bool has_host_ = false;
  bool is_chunked_ = false;
  bool says_close_ = false;
  bool says_keep_alive_ = false;
  bool expects_continue_ = false;
  bool expects_other_ = false;
  std::optional<std::uint64_t> length_;
};

// `lines` are whole, each with its CRLF, the request's first and the empty one left out.
std::variant<Framing, Refusal> parse_headers(std::string_view lines, std::size_t most,
                                             RequestHead& head) {
  FramingReader reader;
  std::size_t count = 0;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\r');
    if (end == lines.npos || end + 1 >= lines.size() || lines[end + 1] != '\n')
      return Refusal{400, "bad line end"};
    const std::optional<HeaderLine> line = parse_header_line(lines.substr(0, end));
    if (!line) return Refusal{400, "bad header"};
    lines.remove_prefix(end + 2);
    if (count == most) return Refusal{431, "too many headers"};
    // The strings of the last request have room already.
    if (count == head.headers.size()) head.headers.emplace_back();
    Header& header = head.headers[count++];
    header.name.resize(line->name.size());
    std::ranges::transform(line->name, header.name.begin(), ascii_lower);
    header.value = line->value;
    if (const MaybeRefusal refused = reader.see(header.name, header.value)) return *refused;
  }
  head.headers.resize(count);
  Framing framing;
  if (const MaybeRefusal refused = reader.conclude(head, framing)) return *refused;
  return framing;
}

}  // namespace

std::optional<HeaderLine> parse_header_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return std::nullopt;
  // A name is a token, so neither a blank before the colon nor a folded line passes.
  const HeaderLine header{.name = line.substr(0, colon), .value = trim(line.substr(colon + 1))};
  if (!is_token(header.name) || !is_value(header.value)) return std::nullopt;
  return header;
}

HeadParser::Outcome HeadParser::parse(std::string_view input, RequestHead& head) {
  // One empty line before a request is an old habit of clients after a body.
  if (begin_ == 0 && input.starts_with("\r\n")) begin_ = scanned_ = searched_ = 2;
  if (begin_ == 0 && input == "\r") return NeedsMore{};
  // Bytes that no request begins with (TLS, for one) need not be waited for.
  if (begin_ < input.size() && !is_token_character(input[begin_]))
    return Refusal{400, "bad method"};

  for (;;) {
    const std::size_t bound = std::min(input.size(), begin_ + limits_.bytes);
    const char* const from = input.data() + searched_;
    const void* const found =
        searched_ < bound ? std::memchr(from, '\n', bound - searched_) : nullptr;
    if (found == nullptr) {
      searched_ = std::max(searched_, bound);
      if (input.size() - begin_ < limits_.bytes) return NeedsMore{};
      return scanned_ == begin_ ? Refusal{414, "target too long"} : Refusal{431, "head too large"};
    }
    const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - input.data());
    if (end == scanned_ || input[end - 1] != '\r') return Refusal{400, "bad line end"};
    const std::size_t line = std::exchange(scanned_, end + 1);
    searched_ = scanned_;
    if (line == begin_) {
      // At once, so that no time is spent waiting for the rest of an invalid line.
      const std::string_view text = input.substr(line, end - 1 - line);
      if (const MaybeRefusal refused = parse_request_line(text, head)) return *refused;
      first_line_end_ = scanned_;
    }
    if (end - 1 == line) break;
  }
  const std::string_view lines = input.substr(first_line_end_, scanned_ - 2 - first_line_end_);
  std::variant<Framing, Refusal> framing = parse_headers(lines, limits_.count, head);
  if (const Refusal* const refused = std::get_if<Refusal>(&framing)) return *refused;
  return Whole{.size = scanned_, .framing = std::get<Framing>(framing)};
}

}  // namespace cordon::transport::http
