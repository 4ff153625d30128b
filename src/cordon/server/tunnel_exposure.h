#pragma once

// The rules of a tunnel, ready for the requests of one thread: handlers by their ids.

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cordon/protocol/tunnel/cors.h"
#include "cordon/protocol/tunnel/refusal.h"
#include "cordon/result.h"
#include "cordon/server/plain_function.h"
#include "cordon/server/tunnel_rules.h"
#include "cordon/transport/http/exchange.h"

namespace cordon::server {

// The handlers are this thread's; everything else is shared and does not change.
class Exposure {
 public:
  struct Entry {
    const Served* served = nullptr;
    std::shared_ptr<TaskHandler> handler = {};
    PlainFunction* plain = nullptr;  // where the handler is one
    bool is_exposed = false;
  };

  static Result<std::shared_ptr<const Exposure>> create(std::shared_ptr<const TunnelRules> rules,
                                                        const ShardContext& shard);

  const TunnelRules& rules() const { return *rules_; }
  const tunnel::Cors& cors() const { return cors_; }
  const std::string& discovery_text() const { return discovery_text_; }

  // Who may be called: the entry, or why not.
  std::expected<const Entry*, tunnel::Refusal> task(const std::string& id) const;
  std::expected<const Entry*, tunnel::Refusal> event(const std::string& id) const;

  enum class Verdict : std::uint8_t { let_in, refused, not_configured, ask_validators };
  Verdict judge(const transport::http::RequestHead& head) const;
  const std::vector<const Entry*>& validators() const { return validators_; }

 private:
  using Entries = std::unordered_map<std::string, Entry>;
  explicit Exposure(std::shared_ptr<const TunnelRules> rules);
  static Result<Entries> entries_of(const std::vector<Served>& all, const ShardContext& shard);
  void expose(Entries& entries, const std::vector<std::string>& ids) const;

  std::shared_ptr<const TunnelRules> rules_;
  tunnel::Cors cors_;
  std::string discovery_text_;
  Entries tasks_;
  Entries events_;
  std::vector<const Entry*> validators_;
};

}  // namespace cordon::server
