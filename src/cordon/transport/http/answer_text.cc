#include "cordon/transport/http/answer_text.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace cordon::transport::http {
namespace {

void append_number(std::uint64_t number, std::string& out) {
  char digits[20];
  const auto written = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, written.ptr);
}

void append_clean(std::string_view text, std::string& out) {
  const std::size_t begin = out.size();
  out += text;
  if (text.find_first_of(std::string_view("\r\n\0", 3)) == text.npos) return;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
      [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
}

}  // namespace

std::string_view reason_of(unsigned status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 402:
      return "Payment Required";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Payload Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 418:
      return "I'm a Teapot";
    case 422:
      return "Unprocessable Entity";
    case 425:
      return "Too Early";
    case 426:
      return "Upgrade Required";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 499:
      return "Client Closed Request";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      break;
  }
  if (status < 200) return "Informational";
  if (status < 300) return "Success";
  if (status < 400) return "Redirection";
  return status < 500 ? "Client Error" : "Server Error";
}

bool has_body(unsigned status) { return status >= 200 && status != 204 && status != 304; }

ResponseHead refusal_head(unsigned status, std::vector<Header> headers) {
  headers.push_back({"content-type", "text/plain; charset=utf-8"});
  return {.status = status, .headers = std::move(headers)};
}

std::string refusal_text(const Refusal& refusal) {
  std::string text = std::to_string(refusal.status);
  text += ' ';
  text += reason_of(refusal.status);
  if (!refusal.why.empty()) {
    text += ": ";
    text += refusal.why;
  }
  text += '\n';
  return text;
}

std::string_view DateText::now() {
  timespec time{};
  // A tick of the kernel's is precise enough, and it is read without a call of the system.
  clock_gettime(CLOCK_REALTIME_COARSE, &time);
  if (time.tv_sec != second_ || size_ == 0) {
    second_ = time.tv_sec;
    std::tm parts{};
    gmtime_r(&second_, &parts);
    // The program sets no locale, so these are the English names that HTTP wants.
    size_ = std::strftime(text_, sizeof text_, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  }
  return {text_, size_};
}

void append_head(const ResponseHead& head, const AnswerFraming& framing, std::string_view date,
                 std::string& out) {
  out += "HTTP/1.1 ";
  append_number(head.status, out);
  out += ' ';
  out += reason_of(head.status);
  out += "\r\n";
  for (const Header& header : head.headers) {
    append_clean(header.name, out);
    out += ": ";
    append_clean(header.value, out);
    out += "\r\n";
  }
  out += "date: ";
  out += date;
  if (framing.length) {
    out += "\r\ncontent-length: ";
    append_number(*framing.length, out);
  }
  if (framing.is_chunked) out += "\r\ntransfer-encoding: chunked";
  if (!framing.connection.empty()) {
    out += "\r\nconnection: ";
    out += framing.connection;
  }
  out += "\r\n\r\n";
}

}  // namespace cordon::transport::http
