// Any bytes as what a client sends on a connection: the requests and their bodies are the same
// wherever the bytes are cut, and what is let in has one meaning.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "bounded.h"
#include "require.h"

#include "cordon/bytes.h"
#include "cordon/transport/http/body_decoder.h"
#include "cordon/transport/http/head_parser.h"
#include "cordon/transport/http/trusted_proxies.h"

namespace {

using namespace cordon;
using namespace cordon::transport::http;
using cordon::fuzz::bounded;
using cordon::fuzz::require;

constexpr HeadLimits limits{.bytes = 600, .count = 12};

// Requests one after the other, as a connection reads them, and what was seen of them.
class Reader {
 public:
  std::string run(BytesView bytes, std::size_t piece) {
    for (std::size_t at = 0; at < bytes.size() && !is_over_; at += piece) {
      const BytesView part = bytes.subspan(at, std::min(piece, bytes.size() - at));
      buffer_.append(reinterpret_cast<const char*>(part.data()), part.size());
      while (!is_over_ && step()) {
      }
    }
    return seen_;
  }

 private:
  // False where it needs more.
  bool step() {
    if (!decoder_.is_done()) return read_body();
    if (buffer_.empty()) return false;
    const HeadParser::Outcome outcome = parser_.parse(buffer_, head_);
    if (std::holds_alternative<HeadParser::NeedsMore>(outcome)) {
      require(buffer_.size() < limits.bytes + 2, "a head within its limit");
      return false;
    }
    if (const Refusal* const refusal = std::get_if<Refusal>(&outcome)) {
      seen_ += "refused " + std::to_string(refusal->status) + "\n";
      is_over_ = true;
      return false;
    }
    begin(std::get<HeadParser::Whole>(outcome));
    return true;
  }

  void begin(const HeadParser::Whole& whole) {
    check(std::string_view(buffer_).substr(0, whole.size), whole.framing);
    seen_ += head_.method + " " + head_.target + "\n";
    for (const Header& header : head_.headers) seen_ += header.name + ":" + header.value + "\n";
    buffer_.erase(0, whole.size);
    parser_.reset();
    decoder_ = BodyDecoder(whole.framing, limits);
    left_ = whole.framing.length;
    if (!whole.framing.keeps_alive) is_over_ = decoder_.is_done();
  }

  void check(std::string_view text, const Framing& framing) const {
    for (std::size_t i = 0; i < text.size(); ++i) {
      require(text[i] != '\n' || (i > 0 && text[i - 1] == '\r'), "no bare LF");
      require(text[i] != '\r' || (i + 1 < text.size() && text[i + 1] == '\n'), "no bare CR");
      require(text[i] != '\0', "no NUL");
    }
    const std::size_t encodings = head_.count("transfer-encoding");
    const std::size_t lengths = head_.count("content-length");
    require(encodings + lengths <= 1, "one view of where the body ends");
    require(framing.is_chunked == (encodings == 1), "a coding is chunked");
    require(framing.is_chunked || framing.length == head_.content_length.value_or(0), "a length");
    require(head_.count("host") == 1 || head_.minor_version == 0, "a host");
    require(head_.headers.size() <= limits.count && text.size() <= limits.bytes + 2, "limits");
    require(head_.target.starts_with('/') || head_.target == "*", "a path");
    // Written again it is the same.
    std::string again = head_.method + " " + head_.target + " HTTP/1." +
                        std::to_string(head_.minor_version) + "\r\n";
    for (const Header& header : head_.headers) again += header.name + ": " + header.value + "\r\n";
    again += "\r\n";
    RequestHead second;
    HeadParser parser({.bytes = 10'000, .count = limits.count});
    const HeadParser::Outcome outcome = parser.parse(again, second);
    require(std::holds_alternative<HeadParser::Whole>(outcome), "what is read can be read again");
    require(second.method == head_.method && second.target == head_.target, "as the same");
    require(std::get<HeadParser::Whole>(outcome).size == again.size(), "and no more");
  }

  bool read_body() {
    if (buffer_.empty()) return false;
    const bool is_chunked = decoder_.is_chunked();
    const auto step =
        decoder_.decode({reinterpret_cast<std::uint8_t*>(buffer_.data()), buffer_.size()});
    if (!step) {
      seen_ += "\nmalformed\n";
      is_over_ = true;
      return false;
    }
    require(step->offset + step->size <= step->used && step->used <= buffer_.size(), "a piece");
    require(step->used == buffer_.size() || decoder_.is_done(), "all is taken");
    if (!is_chunked) {
      require(step->size == step->used && step->size <= left_, "no more than its length");
      left_ -= step->size;
    }
    // Where a malformed body was cut decides how much of it was handed out before.
    body_.append(buffer_, step->offset, step->size);
    buffer_.erase(0, step->used);
    if (decoder_.is_done()) seen_ += body_ + "\n";
    if (decoder_.is_done()) body_.clear();
    return decoder_.is_done();
  }

  HeadParser parser_{limits};
  RequestHead head_;
  BodyDecoder decoder_;
  std::uint64_t left_ = 0;
  std::string buffer_;
  std::string body_;
  std::string seen_;
  bool is_over_ = false;
};

void check_proxies(std::string_view text) {
  static const TrustedProxies proxies =
      *TrustedProxies::parse(std::vector<std::string>{"10.0.0.0/8", "::1"});
  for (const char* const name : {"forwarded", "x-forwarded-for"}) {
    const std::vector<Header> headers{{name, std::string(text)}};
    const TrustedProxies::Origin origin = proxies.origin_of({.address = "10.0.0.1"}, headers);
    require(parse_address(origin.address).has_value(), "an address comes of it");
    const TrustedProxies::Origin other = proxies.origin_of({.address = "1.2.3.4"}, headers);
    require(other.address == "1.2.3.4", "and is believed of proxies alone");
  }
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const BytesView bytes(data, size);
  const std::string whole =
      bounded(size, [&] { return Reader().run(bytes, std::max<std::size_t>(size, 1)); });
  require(Reader().run(bytes, 1) == whole, "the same requests byte by byte");
  if (size > 0) require(Reader().run(bytes, 1 + data[size - 1]) == whole, "and in pieces");
  check_proxies({reinterpret_cast<const char*>(data), size});
  return 0;
}
