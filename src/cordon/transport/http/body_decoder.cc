#include "cordon/transport/http/body_decoder.h"

#include <algorithm>
#include <cstring>

#include "cordon/transport/http/characters.h"

namespace cordon::transport::http {
namespace {

// 2^60 bytes in one chunk; leading zeros count, so that a size is no way to send megabytes of them.
constexpr unsigned max_digits = 15;
// For all chunks of a body together. Only attackers use extensions, to hide something in them.
constexpr std::size_t max_extension_bytes = 16'384;

std::unexpected<Error> bad(const char* why) { return fail(ErrorCode::malformed, why); }

int hex_value(std::uint8_t byte) {
  const char c = ascii_lower(static_cast<char>(byte));
  if (is_digit(c)) return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

BodyDecoder::BodyDecoder(const Framing& framing, const HeadLimits& trailers)
    : is_chunked_(framing.is_chunked), trailers_(trailers) {
  if (is_chunked_) {
    state_ = State::size;
  } else if (framing.length > 0) {
    state_ = State::data;
    left_ = framing.length;
  }
}

Result<BodyDecoder::Step> BodyDecoder::decode(std::span<std::uint8_t> bytes) {
  Step result;
  while (result.used < bytes.size() && state_ != State::done) {
    if (state_ != State::data) {
      CORDON_TRY(step(bytes[result.used]));
      ++result.used;
      continue;
    }
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - result.used));
    if (result.size == 0) {
      result.offset = result.used;
    } else {
      std::memmove(&bytes[result.offset + result.size], &bytes[result.used], size);
    }
    result.size += size;
    result.used += size;
    skip_plain(size);
  }
  return result;
}

void BodyDecoder::skip_plain(std::uint64_t bytes) {
  left_ -= bytes;
  if (left_ > 0) return;
  state_ = is_chunked_ ? State::data_cr : State::done;
}

Result<> BodyDecoder::step(std::uint8_t byte) {
  switch (state_) {
    case State::size:
      if (const int digit = hex_value(byte); digit >= 0) {
        if (++digits_ > max_digits) return bad("chunk too large");
        left_ = left_ * 16 + static_cast<unsigned>(digit);
        return {};
      }
      if (digits_ == 0) return bad("chunk without a size");
      if (byte == '\r') {
        state_ = State::size_end;
        return {};
      }
      if (byte != ';') return bad("bad size of a chunk");
      state_ = State::extension;
      return {};
    case State::extension:
      if (byte == '\r') {
        state_ = State::size_end;
        return {};
      }
      if (!is_value_character(static_cast<char>(byte))) return bad("bad extension of a chunk");
      if (++extension_bytes_ > max_extension_bytes) return bad("extensions too large");
      return {};
    case State::size_end:
      if (byte != '\n') return bad("bad line end");
      digits_ = 0;
      state_ = left_ > 0 ? State::data : State::trailer;
      return {};
    case State::data_cr:
      if (byte != '\r') return bad("chunk longer than its size");
      state_ = State::data_lf;
      return {};
    case State::data_lf:
      if (byte != '\n') return bad("bad line end");
      state_ = State::size;
      return {};
    case State::trailer:
      if (byte == '\r') {
        state_ = State::end_lf;
        return {};
      }
      if (!is_token_character(static_cast<char>(byte))) return bad("bad trailer");
      if (trailers_.count == 0) return bad("too many trailers");
      --trailers_.count;
      state_ = State::trailer_name;
      return count_trailer();
    case State::trailer_name:
      if (byte == ':') {
        state_ = State::trailer_value;
      } else if (!is_token_character(static_cast<char>(byte))) {
        return bad("bad trailer");
      }
      return count_trailer();
    case State::trailer_value:
      if (byte == '\r') {
        state_ = State::trailer_lf;
      } else if (!is_value_character(static_cast<char>(byte))) {
        return bad("bad trailer");
      }
      return count_trailer();
    case State::trailer_lf:
      if (byte != '\n') return bad("bad line end");
      state_ = State::trailer;
      return {};
    case State::end_lf:
      if (byte != '\n') return bad("bad line end");
      state_ = State::done;
      return {};
    case State::data:
    case State::done:
      break;
  }
  return fail(ErrorCode::internal_error, "no such state");
}

Result<> BodyDecoder::count_trailer() {
  if (trailers_.bytes == 0) return bad("trailers too large");
  --trailers_.bytes;
  return {};
}

}  // namespace cordon::transport::http
