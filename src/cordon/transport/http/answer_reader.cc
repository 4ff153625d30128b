#include "cordon/transport/http/answer_reader.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "cordon/base/bytes.h"
#include "cordon/transport/http/characters.h"

namespace cordon::transport::http {
namespace {

constexpr std::size_t max_length_digits = 18;
constexpr std::size_t max_interim = 32;
constexpr std::size_t max_status_line = 8'192;

std::unexpected<HttpError> bad(std::string message) {
  return std::unexpected(HttpError{HttpFailure::bad_response, std::move(message), true});
}

struct StatusLine {
  unsigned status = 0;
  unsigned minor_version = 0;
};

std::optional<StatusLine> parse_status_line(std::string_view line) {
  // "HTTP/1.1 200 OK"; some leave out the blank before an empty reason.
  const bool has_form = line.size() >= 12 && line.starts_with("HTTP/1.") && is_digit(line[7]) &&
                        line[8] == ' ' && std::ranges::all_of(line.substr(9, 3), is_digit) &&
                        (line.size() == 12 || line[12] == ' ') && is_value(line);
  if (!has_form || line[7] > '1') return std::nullopt;
  StatusLine parsed{.minor_version = line[7] == '1' ? 1u : 0u};
  for (const char digit : line.substr(9, 3))
    parsed.status = parsed.status * 10 + static_cast<unsigned>(digit - '0');
  if (parsed.status < 100 || parsed.status > 599) return std::nullopt;
  return parsed;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  if (text.empty() || text.size() > max_length_digits || !std::ranges::all_of(text, is_digit))
    return std::nullopt;
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);  // NOLINT: its end is given
  return number;
}

}  // namespace

HttpResult<AnswerReader::Step> AnswerReader::read(std::span<std::uint8_t> bytes) {
  if (!bytes.empty()) has_begun_ = true;
  switch (phase_) {
    case Phase::head:
      return read_head(as_text(bytes));
    case Phase::body: {
      const Result<BodyDecoder::Step> step = body_.decode(bytes);
      if (!step) return bad(step.error().message);
      if (body_.is_done()) phase_ = Phase::done;
      return Step{.used = step->used, .piece = bytes.subspan(step->offset, step->size)};
    }
    case Phase::until_closed:
      return Step{.used = bytes.size(), .piece = bytes};
    case Phase::done:
      break;
  }
  return Step{};
}

HttpResult<AnswerReader::Step> AnswerReader::read_head(std::string_view text) {
  constexpr std::string_view prefix = "HTTP/1.";
  const std::size_t known = std::min(text.size(), prefix.size());
  // Bytes that no answer begins with need not be waited for.
  if (text.substr(0, known) != prefix.substr(0, known))
    return bad("what came back is no answer of HTTP/1.1");
  const std::size_t end = text.find("\r\n\r\n", searched_);
  if (end == text.npos || end + 4 > limits_.bytes) {
    if (text.size() >= limits_.bytes)
      return std::unexpected(HttpError{
          HttpFailure::too_large,
          "the answer's head has more than " + std::to_string(limits_.bytes) + " bytes", true});
    if (text.size() > max_status_line && !text.contains("\r\n")) return bad("bad status line");
    searched_ = text.size() < 3 ? 0 : text.size() - 3;
    return Step{};
  }
  searched_ = 0;
  std::string_view lines = text.substr(0, end + 2);
  const std::size_t first = lines.find("\r\n");
  const std::optional<StatusLine> status = parse_status_line(lines.substr(0, first));
  if (!status) return bad("bad status line");
  lines.remove_prefix(first + 2);

  HttpResponseHead head{.status = status->status, .headers = {}};
  while (!lines.empty()) {
    const std::size_t line_end = lines.find("\r\n");
    const std::optional<HeaderLine> line = parse_header_line(lines.substr(0, line_end));
    if (!line) return bad("bad header");
    lines.remove_prefix(line_end + 2);
    if (head.headers.size() == limits_.count)
      return std::unexpected(HttpError{
          HttpFailure::too_large,
          "the answer's head has more than " + std::to_string(limits_.count) + " headers", true});
    HttpHeader& header = head.headers.emplace_back();
    header.name.resize(line->name.size());
    std::ranges::transform(line->name, header.name.begin(), ascii_lower);
    header.value = line->value;
  }
  if (head.status < 200) {
    // Nothing was asked for that would change the protocol.
    if (head.status == 101) return bad("the server changes the protocol unasked");
    if (++interim_ > max_interim) return bad("too many interim answers");
    return Step{.used = end + 4};
  }
  if (HttpResult<void> framed = frame(head, status->minor_version); !framed)
    return std::unexpected(std::move(framed).error());
  return Step{.used = end + 4, .head = std::move(head)};
}

HttpResult<void> AnswerReader::frame(const HttpResponseHead& head, unsigned minor_version) {
  std::optional<std::uint64_t> length;
  bool is_chunked = false;
  bool says_close = false;
  bool says_keep_alive = false;
  for (const HttpHeader& header : head.headers) {
    if (header.name == "content-length") {
      if (length) return bad("more than one Content-Length");
      length = number_of(header.value);
      if (!length) return bad("bad Content-Length");
    } else if (header.name == "transfer-encoding") {
      if (is_chunked || !equals_in_any_case(header.value, "chunked"))
        return bad("a Transfer-Encoding other than chunked");
      is_chunked = true;
    } else if (header.name == "connection") {
      for_each_piece(header.value, ',', [&](std::string_view option) {
        if (equals_in_any_case(option, "close")) says_close = true;
        if (equals_in_any_case(option, "keep-alive")) says_keep_alive = true;
      });
    } else if (header.name == "keep-alive") {
      for_each_piece(header.value, ',', [&](std::string_view option) {
        if (option.starts_with("timeout=")) keep_alive_seconds_ = number_of(option.substr(8));
      });
    }
  }
  const bool is_old = minor_version == 0;
  if (is_chunked && length) return bad("both Content-Length and Transfer-Encoding");
  if (is_chunked && is_old) return bad("Transfer-Encoding in HTTP/1.0");
  keeps_alive_ = !says_close && (!is_old || says_keep_alive);

  if (request_ == To::head || head.status == 204 || head.status == 304) {
    // Some send a body all the same, which must not be taken for the next answer.
    if (head.status == 204 && (is_chunked || length.value_or(0) > 0)) keeps_alive_ = false;
    phase_ = Phase::done;
  } else if (is_chunked || length) {
    body_ = BodyDecoder(Framing{.is_chunked = is_chunked, .length = length.value_or(0)}, limits_);
    phase_ = body_.is_done() ? Phase::done : Phase::body;
  } else {
    keeps_alive_ = false;
    phase_ = Phase::until_closed;
  }
  return {};
}

HttpResult<void> AnswerReader::on_end(End end) {
  const auto truncated = [](const char* message) {
    return std::unexpected(HttpError{HttpFailure::truncated, message, true});
  };
  switch (phase_) {
    case Phase::head:
      if (!has_begun_) return bad("the server hung up without an answer");
      return truncated("the answer broke off in its head");
    case Phase::body:
      return truncated("the answer broke off before its end");
    case Phase::until_closed:
      if (end == End::broken) return truncated("the answer broke off before its end");
      phase_ = Phase::done;
      return {};
    case Phase::done:
      return {};
  }
  std::unreachable();
}

}  // namespace cordon::transport::http
