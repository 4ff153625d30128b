#pragma once

// JSON Web Tokens in their compact form (RFC 7519, RFC 7515), read as strictly as they can be: what
// a token says is one thing or nothing. Reading believes nothing; LaneKey looks at the signature.

#include <optional>
#include <string>
#include <string_view>

#include "cordon/bytes.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::tunnel {

inline constexpr std::size_t max_token_bytes = 8192;

struct Jwt {
  std::string algorithm = {};              // "alg"
  std::optional<std::string> key_id = {};  // "kid"
  Value claims = {};                       // an object
  std::string_view signed_text = {};       // a part of the token
  Bytes signature = {};
};

// Fails with malformed or too_large if it is no token: three texts of base64url, the first two of
// them JSON objects without a key that is there twice. Also if its head says that it is no JWT
// ("typ"), that there is more to understand ("crit"), or names neither algorithm nor key rightly.
Result<Jwt> read_jwt(std::string_view token);

// The text that is signed: head and claims. The token is this, a dot, and the signature.
std::string jwt_text(std::string_view algorithm, const std::optional<std::string>& key_id,
                     const Value& claims);

}  // namespace cordon::tunnel
