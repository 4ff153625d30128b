#pragma once

// A key that signs or checks the tokens of lanes. The key alone decides the algorithm: what a token
// names must be the same, so that no public key is ever taken for a secret.

#include <memory>
#include <string_view>

#include "cordon/bytes.h"
#include "cordon/result.h"

namespace cordon::tunnel {

// A shorter secret is refused, as it can be guessed. RFC 7518 wants the second.
inline constexpr std::size_t min_secret_bytes = 16;
inline constexpr std::size_t good_secret_bytes = 32;

// A handle: copies are the same key, and any thread may use it.
class LaneKey {
 public:
  // HS256.
  static Result<LaneKey> of_secret(std::string_view secret);
  // PEM: Ed25519 (EdDSA), P-256 (ES256), or RSA of 2048 to 16384 bits (RS256). The error's text
  // continues "the key …".
  static Result<LaneKey> of_public_pem(std::string_view pem);
  // The same, to sign with.
  static Result<LaneKey> of_private_pem(std::string_view pem);

  // "HS256", "EdDSA", "ES256" or "RS256".
  std::string_view algorithm() const;
  bool verifies(std::string_view text, BytesView signature) const;
  // Fails if it is a public key.
  Result<Bytes> sign(std::string_view text) const;

  class Kind;  // one for secrets, one for pairs of keys

 private:
  explicit LaneKey(std::shared_ptr<const Kind> kind);
  std::shared_ptr<const Kind> kind_;
};

}  // namespace cordon::tunnel
