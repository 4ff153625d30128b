#include "cordon/server/tunnel_exposure.h"

#include "cordon/protocol/tunnel/envelope.h"
#include "cordon/transport/secret.h"

namespace cordon::server {

using tunnel::Refusal;

Exposure::Exposure(std::shared_ptr<const TunnelRules> rules)
    : rules_(std::move(rules)), cors_(rules_->cors) {
  static const std::vector<std::string> none;
  const bool enabled = rules_->exposed.has_value();
  discovery_text_ = tunnel::discovery_text(enabled, enabled ? rules_->exposed->tasks : none,
                                           enabled ? rules_->exposed->events : none);
}

Result<std::shared_ptr<const Exposure>> Exposure::create(std::shared_ptr<const TunnelRules> rules,
                                                         const ShardContext& shard) {
  std::shared_ptr<Exposure> exposure(new Exposure(std::move(rules)));
  exposure->tasks_ = CORDON_TRY(entries_of(exposure->rules_->tasks, shard));
  exposure->events_ = CORDON_TRY(entries_of(exposure->rules_->events, shard));
  if (exposure->rules_->exposed) {
    exposure->expose(exposure->tasks_, exposure->rules_->exposed->tasks);
    exposure->expose(exposure->events_, exposure->rules_->exposed->events);
  }
  for (const std::string& id : exposure->rules_->auth.validators) {
    const auto found = exposure->tasks_.find(id);
    if (found == exposure->tasks_.end())
      return fail(ErrorCode::not_found, "there is no task " + id + " for a validator");
    exposure->validators_.push_back(&found->second);
  }
  return exposure;
}

Result<Exposure::Entries> Exposure::entries_of(const std::vector<Served>& all,
                                               const ShardContext& shard) {
  Entries entries;
  for (const Served& served : all) {
    std::shared_ptr<TaskHandler> handler = CORDON_TRY(served.make(shard));
    auto* const plain = dynamic_cast<PlainFunction*>(handler.get());
    const auto [at, is_new] =
        entries.try_emplace(served.id, Entry{&served, std::move(handler), plain});
    if (!is_new) return fail(ErrorCode::already_exists, "two are named " + served.id);
  }
  return entries;
}

void Exposure::expose(Entries& entries, const std::vector<std::string>& ids) const {
  for (const std::string& id : ids) {
    const auto found = entries.find(id);
    if (found != entries.end()) found->second.is_exposed = true;
  }
}

std::expected<const Exposure::Entry*, Refusal> Exposure::task(const std::string& id) const {
  if (!rules_->exposed && !rules_->allow_open_exposure)
    return std::unexpected(tunnel::exposure_disabled());
  const auto found = tasks_.find(id);
  const bool is_there = found != tasks_.end();
  if (rules_->exposed && (!is_there || !found->second.is_exposed))
    return std::unexpected(tunnel::task_not_exposed(id));
  if (!is_there) return std::unexpected(tunnel::task_not_found(id));
  return &found->second;
}

std::expected<const Exposure::Entry*, Refusal> Exposure::event(const std::string& id) const {
  if (!rules_->exposed && !rules_->allow_open_exposure)
    return std::unexpected(tunnel::exposure_disabled());
  const auto found = events_.find(id);
  const bool is_there = found != events_.end();
  if (rules_->exposed && (!is_there || !found->second.is_exposed))
    return std::unexpected(tunnel::event_not_exposed(id));
  if (!is_there) return std::unexpected(tunnel::event_not_found(id));
  return &found->second;
}

Exposure::Verdict Exposure::judge(const transport::http::RequestHead& head) const {
  const TunnelRules& rules = *rules_;
  if (rules.auth.tokens.empty() && validators_.empty() && !rules.has_absent_validators)
    return rules.auth.allow_anonymous ? Verdict::let_in : Verdict::not_configured;
  // Which of two counts would be a guess, and a proxy's may be another.
  if (head.count(rules.auth.header) > 1) return Verdict::refused;
  if (const std::string* const said = head.find(rules.auth.header)) {
    // All are compared, whichever is the right one.
    bool is_right = false;
    for (const std::string& token : rules.auth.tokens)
      is_right |= !token.empty() && transport::equals_secret(*said, token);
    if (is_right) return Verdict::let_in;
  }
  return validators_.empty() ? Verdict::refused : Verdict::ask_validators;
}

}  // namespace cordon::server
