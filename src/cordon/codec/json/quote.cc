#include "cordon/codec/json/quote.h"

#include "cordon/codec/json/scan.h"

namespace cordon::json {
namespace {

constexpr std::size_t max_escape = 6;  // \u001f
constexpr char hex_digits[] = "0123456789abcdef";

char* write_unicode_escape(unsigned unit, char* out) {
  *out++ = '\\';
  *out++ = 'u';
  for (int shift = 12; shift >= 0; shift -= 4) *out++ = hex_digits[(unit >> shift) & 15];
  return out;
}

char* write_escape(char byte, char* out) {
  char letter = 0;
  switch (byte) {
    case '"':
    case '\\':
      letter = byte;
      break;
    case '\b':
      letter = 'b';
      break;
    case '\f':
      letter = 'f';
      break;
    case '\n':
      letter = 'n';
      break;
    case '\r':
      letter = 'r';
      break;
    case '\t':
      letter = 't';
      break;
    default:
      return write_unicode_escape(static_cast<unsigned char>(byte), out);
  }
  *out++ = '\\';
  *out++ = letter;
  return out;
}

// Surrogates begin with ED, and so do the Hangul syllables before them.
constexpr char surrogate_lead = '\xed';

// Writes the byte at `at`, or the surrogate that begins there, and returns what follows it.
const char* write_one(const char* at, char*& out) {
  if (is_special(*at)) {
    out = write_escape(*at, out);
    return at + 1;
  }
  if (*at == surrogate_lead && static_cast<unsigned char>(at[1]) >= 0xa0) {
    const unsigned middle = static_cast<unsigned char>(at[1]) & 0x3fu;
    const unsigned last = static_cast<unsigned char>(at[2]) & 0x3fu;
    out = write_unicode_escape(0xd000 | (middle << 6) | last, out);
    return at + 3;
  }
  *out++ = *at;
  return at + 1;
}

}  // namespace

bool write_quoted(TextBuffer& out, std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  if (!out.reserve(text.size() + 2 + block_bytes)) return false;
  out.put('"');
  while (end - at >= block_bytes) {
    if (!out.reserve(block_bytes + max_escape)) return false;
    char* to = out.cursor();
    const Block block(at);
    block.store(to);
    const Marks marks = block.special() | block.equal(surrogate_lead);
    if (marks == 0) {
      at += block_bytes;
      out.advance_to(to + block_bytes);
      continue;
    }
    // What was stored past the mark is written over.
    const std::ptrdiff_t plain = first_mark(marks);
    to += plain;
    at = write_one(at + plain, to);
    out.advance_to(to);
  }
  if (!out.reserve(block_bytes * max_escape + 1)) return false;
  char* to = out.cursor();
  while (at != end) at = write_one(at, to);
  *to++ = '"';
  out.advance_to(to);
  return true;
}

}  // namespace cordon::json
