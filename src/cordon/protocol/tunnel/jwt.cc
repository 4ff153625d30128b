#include "cordon/protocol/tunnel/jwt.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "cordon/base/ascii.h"
#include "cordon/base/base64.h"
#include "cordon/base/bytes.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"

namespace cordon::tunnel {
namespace {

constexpr std::size_t max_depth = 8;

std::unexpected<Error> no_token(std::string_view why) {
  return fail(ErrorCode::malformed, std::string(why));
}

// How many keys the outermost object has, each time that it has them. The text is JSON already.
std::size_t count_keys(std::string_view text) {
  std::size_t keys = 0;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ':' && depth == 1) {
      ++keys;
    }
  }
  return keys;
}

// If a key is there twice, one reader takes the first and another one the last.
Result<Value> read_object(std::string_view part, std::string_view what) {
  const std::optional<Bytes> bytes = from_base64url(part);
  if (!bytes) return no_token(std::string(what) + " is not base64url");
  const std::string_view text = as_text(*bytes);
  json::DecodeOptions options;
  options.max_bytes = max_token_bytes;
  options.max_depth = max_depth;
  Result<Value> value = json::decode(text, options);
  if (!value) return no_token(std::string(what) + " is not JSON");
  if (!value->is_object()) return no_token(std::string(what) + " is not a JSON object");
  if (count_keys(text) != value->size()) return no_token(std::string(what) + " has a key twice");
  return value;
}

}  // namespace

Result<Jwt> read_jwt(std::string_view token) {
  if (token.size() > max_token_bytes) return fail(ErrorCode::too_large, "the token is too long");
  const std::size_t first = token.find('.');
  const std::size_t second = first == token.npos ? token.npos : token.find('.', first + 1);
  if (second == token.npos || token.find('.', second + 1) != token.npos)
    return no_token("the token has not three parts");

  const Value head = CORDON_TRY(read_object(token.substr(0, first), "the token's head"));
  const ValueView type = head.find("typ");
  if (!type.is_undefined() && !(type.is_string() && equals_in_any_case(type.as_string(), "jwt")))
    return no_token("the token is not of the type JWT");
  // A reader that does not know what is critical must refuse (RFC 7515, 4.1.11). We know nothing.
  if (!head.find("crit").is_undefined()) return no_token("the token has extensions");
  const ValueView algorithm = head.find("alg");
  if (!algorithm.is_string()) return no_token("the token names no algorithm");
  const ValueView key_id = head.find("kid");
  if (!key_id.is_undefined() && !key_id.is_string())
    return no_token("the token's kid is not a string");

  Jwt jwt;
  jwt.algorithm = algorithm.as_string();
  if (key_id.is_string()) jwt.key_id = key_id.as_string();
  jwt.signed_text = token.substr(0, second);
  const std::string_view claims = token.substr(first + 1, second - first - 1);
  jwt.claims = CORDON_TRY(read_object(claims, "what the token claims"));
  std::optional<Bytes> signature = from_base64url(token.substr(second + 1));
  if (!signature) return no_token("the token's signature is not base64url");
  jwt.signature = *std::move(signature);
  return jwt;
}

std::string jwt_text(std::string_view algorithm, const std::optional<std::string>& key_id,
                     const Value& claims) {
  std::vector<Value::Field> head = {{"alg", algorithm}, {"typ", "JWT"}};
  if (key_id) head.push_back({"kid", *key_id});
  const auto part = [](const Value& value) {
    return to_base64url(as_bytes(json::encode(value).value_or("{}")));
  };
  return part(Value::object_from(head)) + "." + part(claims);
}

}  // namespace cordon::tunnel
