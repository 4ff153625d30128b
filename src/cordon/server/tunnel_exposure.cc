#include "cordon/server/tunnel_exposure.h"

#include <utility>

namespace cordon::server {

Exposure::Exposure(std::shared_ptr<const TunnelRules> rules)
    : rules_(std::move(rules)), policy_(rules_) {}

Result<std::shared_ptr<const Exposure>> Exposure::create(std::shared_ptr<const TunnelRules> rules,
                                                         const ShardContext& shard) {
  std::shared_ptr<Exposure> exposure(new Exposure(std::move(rules)));
  for (const Served& task : exposure->rules_->tasks)
    CORDON_TRY(exposure->add(tunnel::Policy::Kind::task, task, shard));
  for (const Served& event : exposure->rules_->events)
    CORDON_TRY(exposure->add(tunnel::Policy::Kind::event, event, shard));
  for (const std::string& id : exposure->rules_->auth.validators) {
    if (!exposure->policy_.add_validator(id))
      return fail(ErrorCode::not_found, "there is no task " + id + " for a validator");
  }
  if (const auto missing = exposure->policy_.missing_of_lanes())
    return fail(ErrorCode::not_found, *missing);
  return exposure;
}

Result<> Exposure::add(tunnel::Policy::Kind kind, const Served& served, const ShardContext& shard) {
  std::shared_ptr<TaskHandler> handler = CORDON_TRY(served.make(shard));
  auto* const plain = dynamic_cast<PlainFunction*>(handler.get());
  const tunnel::Endpoint endpoint{.number = entries_.size(),
                                  .takes_input_alone = plain != nullptr,
                                  .is_parallel = served.is_parallel,
                                  .contexts = served.contexts};
  if (!policy_.add(kind, served.id, endpoint))
    return fail(ErrorCode::already_exists, "two are named " + served.id);
  entries_.push_back({&served, std::move(handler), plain});
  return {};
}

}  // namespace cordon::server
