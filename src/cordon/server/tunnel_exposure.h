#pragma once

// The rules of a tunnel, ready for the requests of one thread: handlers by their ids.

#include <memory>
#include <string>
#include <vector>

#include "cordon/protocol/tunnel/policy.h"
#include "cordon/result.h"
#include "cordon/server/plain_function.h"
#include "cordon/server/tunnel_rules.h"

namespace cordon::server {

// The handlers are this thread's; everything else is shared and does not change.
class Exposure {
 public:
  struct Entry {
    const Served* served = nullptr;
    std::shared_ptr<TaskHandler> handler = {};
    PlainFunction* plain = nullptr;  // where the handler is one
  };

  static Result<std::shared_ptr<const Exposure>> create(std::shared_ptr<const TunnelRules> rules,
                                                        const ShardContext& shard);

  const TunnelRules& rules() const { return *rules_; }
  const tunnel::Policy& policy() const { return policy_; }
  const Entry& entry(const tunnel::Endpoint& endpoint) const { return entries_[endpoint.number]; }

 private:
  explicit Exposure(std::shared_ptr<const TunnelRules> rules);
  Result<> add(tunnel::Policy::Kind kind, const Served& served, const ShardContext& shard);

  const std::shared_ptr<const TunnelRules> rules_;
  tunnel::Policy policy_;
  std::vector<Entry> entries_;
};

}  // namespace cordon::server
