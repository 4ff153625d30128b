#include "cordon/protocol/tunnel/body_hash.h"

#include <cstddef>
#include <utility>

#include "cordon/base/base64.h"
#include "cordon/base/bytes.h"
#include "cordon/base/secret.h"

namespace cordon::tunnel {

std::string body_hash(std::string_view body) {
  Sha256 hash;
  hash.add(as_bytes(body));
  return to_base64url(hash.sum());
}

void BodyHash::add(BytesView piece) {
  Bytes kept;             // of the piece, less its blanks
  std::size_t begin = 0;  // of what was not looked at for that
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (!is_blank(piece[i])) continue;
    // Up to the first blank both are the same.
    if (!without_blanks_) without_blanks_ = whole_;
    kept.insert(kept.end(), piece.begin() + static_cast<std::ptrdiff_t>(begin),
                piece.begin() + static_cast<std::ptrdiff_t>(i));
    begin = i + 1;
  }
  whole_.add(piece);
  if (!without_blanks_) return;
  without_blanks_->add(kept);
  without_blanks_->add(piece.subspan(begin));
}

// Between the parts of JSON, not within a string.
bool BodyHash::is_blank(std::uint8_t c) {
  switch (place_) {
    case Place::outside:
      if (c == '"') place_ = Place::in_string;
      return c == ' ' || c == '\t' || c == '\n' || c == '\r';
    case Place::in_string:
      if (c == '\\') place_ = Place::after_backslash;
      if (c == '"') place_ = Place::outside;
      return false;
    case Place::after_backslash:
      place_ = Place::in_string;
      return false;
  }
  std::unreachable();
}

bool BodyHash::is(std::string_view claim) const {
  bool is_same = equals_secret(claim, to_base64url(whole_.sum()));
  if (without_blanks_) is_same |= equals_secret(claim, to_base64url(without_blanks_->sum()));
  return is_same;
}

}  // namespace cordon::tunnel
