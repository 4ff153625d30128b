#include "cordon/protocol/tunnel/lane.h"

#include <map>

#include "cordon/base/ascii.h"
#include "cordon/base/base64.h"
#include "cordon/protocol/tunnel/jwt.h"

namespace cordon::tunnel {
namespace {

constexpr std::string_view bearer = "Bearer ";
constexpr std::string_view usual_header = "authorization";

std::string_view name_of(LaneKind kind) {
  return kind == LaneKind::task ? "rpc-task" : "rpc-event";
}

std::unexpected<Error> refused(std::string why) {
  return fail(ErrorCode::permission_denied, std::move(why));
}

Result<std::string_view> token_in(const HttpRequestHead& head, const std::string& header) {
  const std::string* const said = head.find(header);
  if (said == nullptr) return refused("there is no header " + header);
  // Which of two counts would be a guess, and a proxy's may be another.
  if (head.count(header) > 1) return refused("there are two headers " + header);
  std::string_view token = *said;
  if (header != usual_header) return token;
  if (!equals_in_any_case(token.substr(0, bearer.size()), bearer))
    return refused("the header authorization does not begin with Bearer");
  token.remove_prefix(bearer.size());
  return token;
}

bool is_text(const Value& claims, std::string_view name, std::string_view wanted) {
  const ValueView claim = claims.find(name);
  return claim.is_string() && claim.as_string() == wanted;
}

// Seconds; what is no time at all is no number here.
std::optional<double> time_of(const ValueView& claim) {
  constexpr double max_seconds = 9'007'199'254'740'991;
  if (!claim.is_number()) return std::nullopt;
  const double seconds = claim.as_number();
  if (!(seconds >= 0 && seconds <= max_seconds)) return std::nullopt;
  return seconds;
}

double seconds_of(LaneTime time) { return static_cast<double>(time.time_since_epoch().count()); }

}  // namespace

LaneSigner::LaneSigner(LaneKey key, Options options)
    : key_(std::move(key)), options_(std::move(options)) {
  options_.header = ascii_lower_case(std::move(options_.header));
}

Result<HttpHeader> LaneSigner::sign(const LaneCall& call, LaneTime now) const {
  std::vector<Value::Field> claims = {{"lane", call.lane},
                                      {"cap", "produce"},
                                      {"kind", name_of(call.kind)},
                                      {"target", call.target}};
  if (call.body_hash) claims.push_back({"hash", *call.body_hash});
  claims.push_back({"iat", seconds_of(now)});
  claims.push_back({"exp", seconds_of(now + options_.lifetime)});
  std::string token = jwt_text(key_.algorithm(), options_.key_id, Value::object_from(claims));
  const Bytes signature = CORDON_TRY(key_.sign(token));
  token += "." + to_base64url(signature);
  return HttpHeader{options_.header,
                    options_.header == usual_header ? std::string(bearer) + token : token};
}

Result<std::shared_ptr<const Lane>> Lane::create(std::string name, const LaneRules& rules) {
  const std::string place = "lanes." + name + ": ";
  const auto wrong = [&](std::string_view what) {
    return fail(ErrorCode::invalid_argument, place + std::string(what));
  };
  std::shared_ptr<Lane> lane(new Lane(std::move(name)));
  lane->tasks_ = rules.tasks;
  lane->events_ = rules.events;
  lane->header_ = ascii_lower_case(rules.header);
  lane->skew_ = std::chrono::ceil<std::chrono::seconds>(rules.skew);
  if (lane->header_.empty()) return wrong("header: a name is needed");
  if (lane->skew_.count() < 0) return wrong("skew: it is not negative");
  if (rules.mode == LaneMode::hmac) {
    if (!rules.public_keys.empty()) return wrong("public_keys go with the mode asymmetric");
    Result<LaneKey> key = LaneKey::of_secret(rules.secret);
    if (!key) return wrong("the secret " + key.error().message);
    lane->keys_.emplace_back(std::string(), *std::move(key));
    lane->has_secret_ = true;
    return lane;
  }
  if (!rules.secret.empty()) return wrong("a secret goes with the mode hmac");
  if (rules.public_keys.empty()) return wrong("public_keys: at least one is needed");
  for (const auto& [key_id, pem] : rules.public_keys) {
    Result<LaneKey> key = LaneKey::of_public_pem(pem);
    if (!key) return wrong("the key \"" + key_id + "\" " + key.error().message);
    for (const auto& [known, other] : lane->keys_)
      if (known == key_id) return wrong("the key \"" + key_id + "\" is there twice");
    lane->keys_.emplace_back(key_id, *std::move(key));
  }
  return lane;
}

Result<std::vector<std::shared_ptr<const Lane>>> lanes_of(
    const std::vector<std::pair<std::string, LaneRules>>& rules) {
  std::vector<std::shared_ptr<const Lane>> lanes;
  std::map<std::pair<LaneKind, std::string_view>, std::string_view> taken;
  for (const auto& [name, one] : rules) {
    lanes.push_back(CORDON_TRY(Lane::create(name, one)));
    for (const LaneKind kind : {LaneKind::task, LaneKind::event}) {
      const bool is_task = kind == LaneKind::task;
      for (const std::string& id : is_task ? one.tasks : one.events) {
        const auto [first, is_new] = taken.try_emplace({kind, id}, name);
        if (is_new) continue;
        return fail(ErrorCode::already_exists,
                    "lanes." + name + ": the " + (is_task ? "task " : "event ") + id +
                        " is of the lane " + std::string(first->second) + " already");
      }
    }
  }
  return lanes;
}

// The order matters to nobody: a client learns that it was refused, and not why. What costs most
// comes last.
Result<std::optional<std::string>> Lane::check(const HttpRequestHead& head, LaneKind kind,
                                               std::string_view target, LaneTime now) const {
  const std::string_view token = CORDON_TRY(token_in(head, header_));
  const Jwt jwt = CORDON_TRY(read_jwt(token));
  const LaneKey* const key = CORDON_TRY(key_of(jwt.key_id));
  if (jwt.algorithm != key->algorithm())
    return refused("the token's algorithm is not " + std::string(key->algorithm()));
  CORDON_TRY(check_claims(jwt.claims, kind, target, now));
  const ValueView hash = jwt.claims.find("hash");
  if (!hash.is_undefined() && !hash.is_string()) return refused("the token's hash is not a string");
  if (!key->verifies(jwt.signed_text, jwt.signature))
    return refused("the token's signature is not of this key");
  if (!hash.is_string()) return std::nullopt;
  return std::string(hash.as_string());
}

Result<const LaneKey*> Lane::key_of(const std::optional<std::string>& key_id) const {
  // A secret has no name, whatever its clients call it.
  if (has_secret_) return &keys_.front().second;
  if (!key_id && keys_.size() == 1) return &keys_.front().second;
  if (!key_id) return refused("the token names none of the lane's keys");
  for (const auto& [name, key] : keys_)
    if (name == *key_id) return &key;
  return refused("the token is of a key that the lane does not have");
}

Result<> Lane::check_claims(const Value& claims, LaneKind kind, std::string_view target,
                            LaneTime now) const {
  if (!is_text(claims, "lane", name_)) return refused("the token is of another lane");
  if (!is_text(claims, "cap", "produce")) return refused("the token is not for calls");
  if (!is_text(claims, "kind", name_of(kind)))
    return refused("the token is not of the kind " + std::string(name_of(kind)));
  if (!is_text(claims, "target", target)) return refused("the token is of another target");
  const std::optional<double> issued = time_of(claims.find("iat"));
  const std::optional<double> expires = time_of(claims.find("exp"));
  if (!issued || !expires) return refused("the token has no iat and exp that are times");
  const double skew = static_cast<double>(skew_.count());
  const double at = seconds_of(now);
  if (*expires < *issued) return refused("the token expires before it is issued");
  if (*issued > at + skew) return refused("the token is issued in the future");
  if (*expires <= at - skew) return refused("the token has expired");
  const ValueView not_before = claims.find("nbf");
  if (not_before.is_undefined()) return {};
  const std::optional<double> begins = time_of(not_before);
  if (!begins || *begins > at + skew) return refused("the token is not valid yet");
  return {};
}

}  // namespace cordon::tunnel
