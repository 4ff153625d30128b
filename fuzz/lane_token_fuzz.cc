// Any text as the token of a lane, and as the claims of one that is rightly signed: what is read is
// one thing alone, and what is let in is what the lane asks for.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bounded.h"
#include "require.h"

#include "cordon/base/base64.h"
#include "cordon/base/bytes.h"
#include "cordon/protocol/tunnel/body_hash.h"
#include "cordon/protocol/tunnel/jwt.h"
#include "cordon/protocol/tunnel/lane.h"

namespace {

using namespace cordon;
using namespace cordon::tunnel;

using cordon::fuzz::bounded;
using cordon::fuzz::require;

constexpr const char* secret = "a secret of thirty-two bytes, ok";
constexpr LaneTime now{std::chrono::seconds(1'800'000'000)};

const Lane& lane() {
  static const std::shared_ptr<const Lane> made =
      Lane::create("sums", {.tasks = {"add"}, .secret = secret}).value();
  return *made;
}

bool is_let_in(const std::string& token) {
  HttpRequestHead head;
  head.headers.push_back({"authorization", "Bearer " + token});
  return lane().check(head, LaneKind::task, "add", now).has_value();
}

void check_token(std::string_view token) {
  const Result<Jwt> jwt = bounded(token.size(), [&] { return read_jwt(token); });
  require(!is_let_in(std::string(token)), "nobody guesses a signature");
  if (!jwt) return;
  require(jwt->claims.is_object(), "claims are an object");
  require(token == std::string(jwt->signed_text) + "." + to_base64url(jwt->signature),
          "a token has one text");
}

// What is let in says what it is about, whatever else it says.
void check_claims(std::string_view claims) {
  static const LaneKey key = LaneKey::of_secret(secret).value();
  const std::string text = to_base64url(as_bytes(R"({"alg":"HS256","typ":"JWT"})")) + "." +
                           to_base64url(as_bytes(claims));
  const std::string token = text + "." + to_base64url(key.sign(text).value());
  if (!is_let_in(token)) return;
  const Jwt jwt = read_jwt(token).value();
  require(jwt.claims["lane"] == "sums" && jwt.claims["target"] == "add" &&
              jwt.claims["kind"] == "rpc-task" && jwt.claims["cap"] == "produce",
          "it is of this call");
  require(jwt.claims["exp"].as_number() > 1'799'999'970, "it has not expired");
}

void check_body(BytesView body) {
  BodyHash whole;
  whole.add(body);
  BodyHash cut;
  for (const std::uint8_t& byte : body) cut.add(BytesView(&byte, 1));
  require(whole.is(body_hash(as_text(body))) && cut.is(body_hash(as_text(body))),
          "a body is the one whose hash it has, wherever it is cut");
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const BytesView bytes(data, size);
  check_token(as_text(bytes));
  check_claims(as_text(bytes));
  check_body(bytes);
  return 0;
}
