#pragma once

// Whom a server of tunnels lets in, and what it serves them: the rules of one configuration, ready
// for requests.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cordon/protocol/http_head.h"
#include "cordon/protocol/tunnel/cors.h"
#include "cordon/protocol/tunnel/lane.h"
#include "cordon/protocol/tunnel/refusal.h"
#include "cordon/tunnel_options.h"

namespace cordon::tunnel {

// The allow-list.
struct ExposedIds {
  std::vector<std::string> tasks = {};
  std::vector<std::string> events = {};
};

struct PolicyOptions {
  std::string base_path = {};  // as normal_base_path gives it
  AuthRules auth = {};         // its header in lower case
  // Validators are configured but missing. They refuse every request, and no request is anonymous.
  bool has_absent_validators = false;
  std::vector<std::string> contexts = {};  // ids of those that clients may bring
  CorsRules cors = {};
  BodyLimits limits = {};
  std::optional<std::chrono::milliseconds> deadline = {};
  std::vector<std::shared_ptr<const Lane>> lanes = {};  // a task or event is of one at most
  bool has_discovery = true;
  std::optional<ExposedIds> exposed = {};
  bool allow_open_exposure = false;  // without `exposed`: all that is served
};

// A task or an event, as far as the protocol cares for it.
struct Endpoint {
  std::size_t number = 0;          // the number by which the server finds it
  bool takes_input_alone = false;  // it has no use for headers and contexts
  bool is_parallel = false;        // an event that cannot give its payload back
  // Instead of those of the policy.
  std::optional<std::vector<std::string>> contexts = {};
  // The policy's own.
  bool is_exposed = false;
  const Lane* lane = nullptr;  // whose calls are signed; null: none
};

class Policy {
 public:
  explicit Policy(std::shared_ptr<const PolicyOptions> options);
  // Endpoints are found by address.
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  // Before the first request. False where there is one of that id; of a validator: where there is
  // no such task.
  enum class Kind : std::uint8_t { task, event };
  bool add(Kind kind, const std::string& id, Endpoint endpoint);
  bool add_validator(const std::string& id);
  // Once all are added: what a lane names and is not there, as "lanes.sums: there is no task add".
  std::optional<std::string> missing_of_lanes() const;

  const PolicyOptions& options() const { return *options_; }
  const Cors& cors() const { return cors_; }
  const std::string& discovery_text() const { return discovery_text_; }
  // In the order in which they are asked.
  const std::vector<const Endpoint*>& validators() const { return validators_; }

  // By what its head says alone.
  enum class Verdict : std::uint8_t { let_in, refused, not_configured, ask_validators };
  Verdict judge(const HttpRequestHead& head) const;

  // Ids of the contexts that clients may bring to it.
  const std::vector<std::string>& contexts_of(const Endpoint& endpoint) const {
    return endpoint.contexts ? *endpoint.contexts : options_->contexts;
  }

  // What may be called under an id, or why nothing may.
  std::expected<const Endpoint*, Refusal> find(Kind kind, const std::string& id) const;

 private:
  using Endpoints = std::unordered_map<std::string, Endpoint>;
  Endpoints& of(Kind kind) { return kind == Kind::task ? tasks_ : events_; }
  const Endpoints& of(Kind kind) const { return kind == Kind::task ? tasks_ : events_; }

  const std::shared_ptr<const PolicyOptions> options_;
  const Cors cors_;
  std::string discovery_text_;
  Endpoints tasks_;
  Endpoints events_;
  std::vector<const Endpoint*> validators_;
};

}  // namespace cordon::tunnel
