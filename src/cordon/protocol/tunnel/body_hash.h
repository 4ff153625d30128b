#pragma once

// The hash that a lane's token has of a JSON body: base64url of SHA-256.
//
// Clients of Runner 6 hash the text that they send. Their servers hash what they parsed, written
// again without blanks. Either counts here: a body's own bytes, and its bytes less the blanks
// between them, which is the same text for everything that a serializer writes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/base/sha256.h"
#include "cordon/bytes.h"

namespace cordon::tunnel {

std::string body_hash(std::string_view body);

// Hashes a body that comes in pieces, wherever it is cut.
class BodyHash {
 public:
  void add(BytesView piece);
  // Whether a token's claim is about this body.
  bool is(std::string_view claim) const;

 private:
  bool is_blank(std::uint8_t c);

  enum class Place : std::uint8_t { outside, in_string, after_backslash };
  Place place_ = Place::outside;
  Sha256 whole_;
  // From the first blank on.
  std::optional<Sha256> without_blanks_;
};

}  // namespace cordon::tunnel
