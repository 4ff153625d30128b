#include "cordon/base/utf8.h"

#include <cstdint>
#include <cstring>

namespace cordon {
namespace {

enum class Surrogates : std::uint8_t { refused, allowed };

constexpr std::uint64_t high_bits = 0x8080808080808080;
constexpr std::string_view replacement = "\xef\xbf\xbd";

std::uint64_t load8(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

unsigned byte_at(const char* at) { return static_cast<unsigned char>(*at); }

bool continues(const char* at, const char* end) { return at < end && (byte_at(at) & 0xc0) == 0x80; }

// ED A0..AF is a high surrogate and ED B0..BF a low one.
bool is_surrogate(const char* at, const char* end, unsigned lowest) {
  return end - at >= 3 && byte_at(at) == 0xed && (byte_at(at + 1) & 0xf0) == lowest;
}

// The end of the sequence at `at` if it is well formed, else nullptr. `bad_end` then tells how much
// of it could have begun one: a decoder replaces that much with one U+FFFD.
template <Surrogates surrogates>
const char* sequence_end(const char* at, const char* end, const char*& bad_end) {
  const unsigned lead = byte_at(at);
  bad_end = at + 1;
  if (lead < 0x80) return at + 1;
  if (lead < 0xc2 || lead > 0xf4) return nullptr;

  // The second byte's range rules out overlong forms, surrogates and what lies past U+10FFFF.
  unsigned least = 0x80;
  unsigned most = 0xbf;
  if (lead == 0xe0) least = 0xa0;
  if (lead == 0xf0) least = 0x90;
  if (lead == 0xf4) most = 0x8f;
  if (lead == 0xed && surrogates == Surrogates::refused) most = 0x9f;
  if (end - at < 2 || byte_at(at + 1) < least || byte_at(at + 1) > most) return nullptr;
  bad_end = at + 2;
  if (lead < 0xe0) return at + 2;

  if (!continues(at + 2, end)) return nullptr;
  bad_end = at + 3;
  if (lead < 0xf0) {
    if (surrogates == Surrogates::allowed && is_surrogate(at, end, 0xa0) &&
        is_surrogate(at + 3, end, 0xb0) && continues(at + 5, end)) {
      return nullptr;  // a pair must be the four bytes of its code point
    }
    return at + 3;
  }

  if (!continues(at + 3, end)) return nullptr;
  return at + 4;
}

template <Surrogates surrogates>
std::size_t valid_prefix(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const char* bad_end = nullptr;
  while (at != end) {
    while (end - at >= 16 && ((load8(at) | load8(at + 8)) & high_bits) == 0) at += 16;
    // A short run of ASCII, then one sequence or more, without going back to wide steps for each.
    for (int step = 0; step < 16 && at != end; ++step) {
      const char* const next = sequence_end<surrogates>(at, end, bad_end);
      if (next == nullptr) return static_cast<std::size_t>(at - text.data());
      at = next;
    }
  }
  return text.size();
}

template <Surrogates surrogates>
std::string to_lossy(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const std::size_t valid = valid_prefix<surrogates>(text);
    out.append(text.substr(0, valid));
    text.remove_prefix(valid);
    if (text.empty()) return out;
    const char* bad_end = nullptr;
    sequence_end<surrogates>(text.data(), text.data() + text.size(), bad_end);
    out.append(replacement);
    text.remove_prefix(static_cast<std::size_t>(bad_end - text.data()));
  }
}

unsigned surrogate_at(const char* at) {
  return 0xd000u | ((byte_at(at + 1) & 0x3fu) << 6) | (byte_at(at + 2) & 0x3fu);
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) {
  return valid_prefix<Surrogates::refused>(text);
}

std::size_t valid_wtf8_prefix(std::string_view text) {
  return valid_prefix<Surrogates::allowed>(text);
}

std::string_view cut_before(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  const auto continues = [text](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  while (max_bytes > 0 && continues(max_bytes)) --max_bytes;
  return text.substr(0, max_bytes);
}

std::string to_utf8_lossy(std::string_view text) { return to_lossy<Surrogates::refused>(text); }

std::string to_wtf8_lossy(std::string_view text) { return to_lossy<Surrogates::allowed>(text); }

char* write_code_point(char* out, char32_t code_point) {
  const auto put = [&out](char32_t byte) { *out++ = static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    put(0xe0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3f));
    put(0x80 | (code_point & 0x3f));
  } else {
    put(0xf0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3f));
    put(0x80 | ((code_point >> 6) & 0x3f));
    put(0x80 | (code_point & 0x3f));
  }
  return out;
}

void append_wtf8(std::string& text, std::string_view more) {
  if (text.size() >= 3) {
    const char* const last = text.data() + text.size() - 3;
    if (is_surrogate(last, last + 3, 0xa0) &&
        is_surrogate(more.data(), more.data() + more.size(), 0xb0)) {
      char pair[4];
      const char32_t high = surrogate_at(last) - 0xd800;
      const char32_t low = surrogate_at(more.data()) - 0xdc00;
      write_code_point(pair, 0x10000 + (high << 10) + low);
      text.resize(text.size() - 3);
      text.append(pair, sizeof pair);
      more.remove_prefix(3);
    }
  }
  text.append(more);
}

std::size_t utf16_length(std::string_view wtf8) {
  // Each lead byte is one unit, and one that begins four bytes is a second one.
  std::size_t units = 0;
  for (const char character : wtf8) {
    const auto byte = static_cast<unsigned char>(character);
    units +=
        static_cast<std::size_t>((byte & 0xc0) != 0x80) + static_cast<std::size_t>(byte >= 0xf0);
  }
  return units;
}

std::string first_utf16_units(std::string_view wtf8, std::size_t units) {
  // A unit takes a byte at least, so a short text is whole without counting.
  if (wtf8.size() <= units) return std::string(wtf8);
  std::size_t at = 0;
  for (; at < wtf8.size() && units > 0; --units) {
    const unsigned lead = byte_at(wtf8.data() + at);
    if (lead >= 0xf0) {
      if (units == 1) {
        // The cut goes through a pair: JavaScript keeps its high half.
        const char* const four = wtf8.data() + at;
        const char32_t code_point = ((byte_at(four) & 0x07u) << 18) |
                                    ((byte_at(four + 1) & 0x3fu) << 12) |
                                    ((byte_at(four + 2) & 0x3fu) << 6);
        char high[4];
        char* const end = write_code_point(high, 0xd800 + ((code_point - 0x10000) >> 10));
        return std::string(wtf8.substr(0, at)).append(high, end);
      }
      --units;
      at += 4;
    } else {
      at += lead < 0x80 ? 1 : lead < 0xe0 ? 2 : 3;
    }
  }
  return std::string(wtf8.substr(0, at));
}

}  // namespace cordon
