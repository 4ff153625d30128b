#pragma once

// Who may call what a tunnel serves, from which pages, and how large requests may be. A part of
// ServerOptions; cordon.json has the same under `server`.

#include "cordon/needs_cxx23.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cordon {

// Who may call.
struct AuthRules {
  std::vector<std::string> tokens = {};   // any of them is accepted
  std::string header = "x-runner-token";  // the header that has the token
  bool allow_anonymous = false;           // used if there are neither tokens nor validators
  std::vector<std::string> validators =
      {};  // ids of tasks that decide if the token was not accepted
};

// How the calls of a lane are signed.
enum class LaneMode : std::uint8_t {
  hmac,        // HS256, with a secret that both sides have
  asymmetric,  // EdDSA, ES256 or RS256, as the key is
};

// A lane, as Runner 6 has them: tasks and events whose calls carry a signed token, beside that of
// the server. docs/serve.md says what the token is about.
struct LaneRules {
  std::vector<std::string> tasks = {};  // ids; each is of one lane at most
  std::vector<std::string> events = {};
  LaneMode mode = LaneMode::hmac;
  std::string secret = {};  // at least 16 bytes; 32 are better
  // The keys of clients in PEM (Ed25519, P-256, or RSA of 2048 bits and more), by their ids, which
  // tokens name as `kid`.
  std::vector<std::pair<std::string, std::string>> public_keys = {};
  std::string header = "authorization";    // which has "Bearer TOKEN"; another has the token alone
  std::chrono::milliseconds skew{30'000};  // how far the clocks of both sides may be apart
};

// The headers that tell a browser whether a page may read the answer. By default any page may.
struct CorsRules {
  // Set `origin` to send one origin with every answer, or `origins` to echo the one that matches.
  // With neither any origin is allowed, or none if credentials are allowed.
  std::optional<std::string> origin = {};
  std::optional<std::vector<std::string>> origins = {};
  bool credentials = false;
  std::vector<std::string> methods = {};          // empty: POST and OPTIONS
  std::vector<std::string> allowed_headers = {};  // empty: those that the request asks for
  std::vector<std::string> exposed_headers = {};
  std::optional<std::uint64_t> max_age = {};  // seconds
};

struct MultipartLimits {
  std::uint64_t file_bytes = 20'971'520;
  std::size_t files = 10;
  std::size_t fields = 100;  // the manifest included
  std::uint64_t field_bytes = 1'048'576;
  std::size_t head_bytes = 16'384;     // the headers of one part
  std::size_t outside_bytes = 65'536;  // before the first part, and after the last one
};

// Size limits of one request and its answer.
struct BodyLimits {
  std::uint64_t json_bytes = 2'097'152;
  std::uint64_t response_bytes = std::uint64_t{64} << 20;  // for an answer that is not streamed
  MultipartLimits multipart = {};
};

}  // namespace cordon
