#include "cordon/config/lane_form.h"

#include "cordon/base/ascii.h"
#include "cordon/config/addresses.h"
#include "cordon/protocol/tunnel/lane_key.h"

namespace cordon::config {
namespace {

constexpr std::uint64_t max_skew = 3'600'000;

// A secret or a key, wherever it is, that does what it is for. Its text is not shown.
Form<std::string> checked(const Form<std::string>& form,
                          std::function<void(const Node&, const std::string&, Reader&)> check) {
  return {form.schema, [read = form.read, check = std::move(check)](
                           const Node& node, std::string& out, Reader& reader) {
            std::string found;
            read(node, found, reader);
            if (found.empty()) return;  // which is told already
            check(node, found, reader);
            out = std::move(found);
          }};
}

Form<std::string> signing_secret() {
  return checked(secret(), [](const Node& node, const std::string& found, Reader& reader) {
    const Result<tunnel::LaneKey> key = tunnel::LaneKey::of_secret(found);
    if (!key) {
      reader.wrong(node.offset, "the secret " + key.error().message,
                   "make one with `openssl rand -base64 32`");
    } else if (found.size() < tunnel::good_secret_bytes) {
      reader.warning(node.offset,
                     reader.path() + ": the secret has " + std::to_string(found.size()) +
                         " bytes, and HS256 wants 32",
                     "make one with `openssl rand -base64 32`");
    }
  });
}

Form<std::string> public_key() {
  return checked(secret_lines(), [](const Node& node, const std::string& found, Reader& reader) {
    const Result<tunnel::LaneKey> key = tunnel::LaneKey::of_public_pem(found);
    if (!key) reader.wrong(node.offset, "the key " + key.error().message);
  });
}

std::optional<std::string> complain_about_key_id(std::string_view text) {
  if (text.empty()) return "the id of a key is not empty";
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    return "the id of a key has no control characters";
  return std::nullopt;
}

Form<LaneRules> mode() {
  const Form<std::string> words = choice({"hmac", "asymmetric"});
  return {words.schema.with("default", "hmac"),
          [read = words.read](const Node& node, LaneRules& out, Reader& reader) {
            std::string word = "hmac";
            read(node, word, reader);
            out.mode = word == "asymmetric" ? LaneMode::asymmetric : LaneMode::hmac;
          }};
}

void check_lane(const Node& node, const LaneRules& lane, Reader& reader) {
  const bool is_hmac = lane.mode == LaneMode::hmac;
  const char* const needed = is_hmac ? "secret" : "publicKeys";
  const char* const needless = is_hmac ? "publicKeys" : "secret";
  if (const Node* const extra = node.find(needless)) {
    reader.wrong(
        extra->offset,
        std::string(needless) + " goes with the mode \"" + (is_hmac ? "asymmetric" : "hmac") + "\"",
        is_hmac ? "write \"mode\": \"asymmetric\"" : "remove one of them");
  } else if (node.find(needed) == nullptr) {
    reader.wrong(
        node.offset, "the key \"" + std::string(needed) + "\" is missing",
        is_hmac ? "with it calls are signed (HS256)" : "it has a public key in PEM for each kid");
  } else if (!is_hmac && node.find(needed)->members.empty()) {
    reader.wrong(node.find(needed)->offset, "publicKeys has no key");
  }
  if (lane.tasks.empty() && lane.events.empty())
    reader.warning(node.offset, reader.path() + ": has no task and no event, so it does nothing",
                   "list ids in its tasks or events");
}

}  // namespace

Form<LaneRules> lane() {
  const Form<std::string> id = text_that(complain_about_id, "app.tasks.add");
  const Form<std::string> header = text_that(complain_about_token, "authorization");
  return Record<LaneRules>()
      .key("tasks", &LaneRules::tasks, list_of(id), "Ids of the tasks whose calls are signed.")
      .key("events", &LaneRules::events, list_of(id), "Ids of the events whose calls are signed.")
      .group("mode", mode(), "Whether both sides have one secret, or clients private keys.")
      .key("secret", &LaneRules::secret, signing_secret(),
           "For the mode hmac (HS256): at least 16 bytes; 32 are better.")
      .key("publicKeys", &LaneRules::public_keys, named(public_key(), complain_about_key_id),
           "For the mode asymmetric: PEM by kid. Ed25519 is EdDSA, P-256 ES256, and RSA of 2048 "
           "bits or more RS256.")
      .key("header", &LaneRules::header, changed(header, ascii_lower_case),
           "The header that has the token: authorization with Bearer, any other the token alone.")
      .key("skewMs", &LaneRules::skew, milliseconds(0, max_skew),
           "How far the clocks of both sides may be apart.")
      .and_then(
          [](const Node& node, LaneRules& out, Reader& reader) { check_lane(node, out, reader); })
      .form();
}

}  // namespace cordon::config
