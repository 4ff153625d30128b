// What a signed call costs its server: looking at the token of a lane, and hashing the body. And
// what it costs the client to sign it. docs/benchmarks.md explains the rows.

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cordon/base/bytes.h"
#include "cordon/protocol/tunnel/body_hash.h"
#include "cordon/protocol/tunnel/lane.h"
#include "cordon/protocol/tunnel/testing/lane_keys.h"

namespace {

using namespace cordon;
using namespace cordon::tunnel;

constexpr LaneTime now{std::chrono::seconds(1'800'000'000)};
constexpr std::chrono::milliseconds round{200};
constexpr int rounds = 5;

// Microseconds of one, in the best of some rounds.
template <class Act>
double microseconds_of(Act act) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int i = 0; i < rounds; ++i) {
    const Clock::time_point begin = Clock::now();
    double count = 0;
    for (; Clock::now() - begin < round; ++count) act();
    const double took =
        std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / count;
    best = i == 0 ? took : std::min(best, took);
  }
  return best;
}

void row(const LaneRules& rules, const LaneKey& key) {
  const std::shared_ptr<const Lane> lane = Lane::create("app.lanes.sums", rules).value();
  const LaneSigner signer(key, {.key_id = "2026"});
  const LaneCall call{"app.lanes.sums", LaneKind::task, "app.tasks.add",
                      body_hash(R"({"input":{"a":1,"b":2}})")};
  HttpRequestHead head;
  head.headers.push_back(signer.sign(call, now).value());
  bool is_right = true;
  const double checking = microseconds_of(
      [&] { is_right &= lane->check(head, LaneKind::task, "app.tasks.add", now).has_value(); });
  const double signing = microseconds_of([&] { is_right &= signer.sign(call, now).has_value(); });
  fmt::print("| {} | {:.1f} | {:.1f} |{}\n", key.algorithm(), checking, signing,
             is_right ? "" : " WRONG");
}

void row_of_pair(const testing::KeyPair& pair) {
  row({.mode = LaneMode::asymmetric, .public_keys = {{"2026", pair.public_pem}}},
      LaneKey::of_private_pem(pair.private_pem).value());
}

void row_of_body(std::string_view what, const std::string& body) {
  bool is_right = true;
  const std::string claim = body_hash(body);
  const double hashing = microseconds_of([&] {
    BodyHash hash;
    hash.add(as_bytes(body));
    is_right &= hash.is(claim);
  });
  fmt::print("| hash of {} | {:.1f} | — |{}\n", what, hashing, is_right ? "" : " WRONG");
}

}  // namespace

int main() {
  fmt::print("| signed call | checking, µs | signing, µs |\n| --- | --- | --- |\n");
  const std::string secret(32, 's');
  row({.secret = secret}, LaneKey::of_secret(secret).value());
  row_of_pair(testing::ed25519_pair());
  row_of_pair(testing::ec_pair("P-256"));
  row_of_pair(testing::rsa_pair(2048));
  row_of_body("a body of 100 bytes", "\"" + std::string(98, 'a') + "\"");
  row_of_body("a body of 1 MiB", "\"" + std::string((1 << 20) - 2, 'a') + "\"");
  return 0;
}
