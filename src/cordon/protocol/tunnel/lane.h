#pragma once

// Lanes of Runner 6: groups of tasks and events whose calls are signed. A token says which lane,
// which task or event, from when to when, and what the body is; it is a layer beside the token of
// the server.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/protocol/http_head.h"
#include "cordon/protocol/tunnel/lane_key.h"
#include "cordon/result.h"
#include "cordon/tunnel_options.h"
#include "cordon/value.h"

namespace cordon::tunnel {

enum class LaneKind : std::uint8_t { task, event };

// What a token is about.
struct LaneCall {
  std::string_view lane;
  LaneKind kind = LaneKind::task;
  std::string_view target;               // the id, as the URL has it
  std::optional<std::string> body_hash;  // of a JSON body; body_hash.h
};

// Time as tokens have it.
using LaneTime = std::chrono::sys_seconds;

// The client's side: signs calls. A signature is a header of the request.
class LaneSigner {
 public:
  struct Options {
    std::string header = "authorization";    // which sends Bearer; any other has the bare token
    std::optional<std::string> key_id = {};  // "kid"
    std::chrono::seconds lifetime{60};
  };
  explicit LaneSigner(LaneKey key) : LaneSigner(std::move(key), Options()) {}
  LaneSigner(LaneKey key, Options options);

  Result<HttpHeader> sign(const LaneCall& call, LaneTime now) const;

 private:
  LaneKey key_;
  Options options_;
};

// The server's side: what a lane asks of its calls. It does not change, and any thread may use it.
class Lane {
 public:
  // Fails if a key is not one that a call could be checked with.
  static Result<std::shared_ptr<const Lane>> create(std::string name, const LaneRules& rules);

  const std::string& name() const { return name_; }
  // Ids of those that it has.
  const std::vector<std::string>& tasks() const { return tasks_; }
  const std::vector<std::string>& events() const { return events_; }

  // Looks for the token of a call in the head of its request. Gives the hash that it claims for the
  // body, or else why the call is refused, for the log.
  Result<std::optional<std::string>> check(const HttpRequestHead& head, LaneKind kind,
                                           std::string_view target, LaneTime now) const;

 private:
  explicit Lane(std::string name) : name_(std::move(name)) {}
  Result<const LaneKey*> key_of(const std::optional<std::string>& key_id) const;
  Result<> check_claims(const Value& claims, LaneKind kind, std::string_view target,
                        LaneTime now) const;

  std::string name_;
  std::vector<std::string> tasks_ = {};
  std::vector<std::string> events_ = {};
  std::string header_ = {};  // in lower case
  std::chrono::seconds skew_{};
  // By their ids; a secret has none.
  std::vector<std::pair<std::string, LaneKey>> keys_ = {};
  bool has_secret_ = false;
};

// Makes several lanes. Fails if one cannot be made, or if a task or event is of two.
Result<std::vector<std::shared_ptr<const Lane>>> lanes_of(
    const std::vector<std::pair<std::string, LaneRules>>& rules);

}  // namespace cordon::tunnel
