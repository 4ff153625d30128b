#include "cordon/protocol/tunnel/policy.h"

#include <algorithm>
#include <utility>

#include "cordon/base/secret.h"
#include "cordon/protocol/tunnel/envelope.h"

namespace cordon::tunnel {

Policy::Policy(std::shared_ptr<const PolicyOptions> options)
    : options_(std::move(options)), cors_(options_->cors) {
  static const ExposedIds none;
  const bool is_enabled = options_->exposed.has_value();
  const ExposedIds& exposed = is_enabled ? *options_->exposed : none;
  discovery_text_ = tunnel::discovery_text(is_enabled, exposed.tasks, exposed.events);
}

bool Policy::add(Kind kind, const std::string& id, Endpoint endpoint) {
  if (options_->exposed) {
    const ExposedIds& exposed = *options_->exposed;
    const std::vector<std::string>& ids = kind == Kind::task ? exposed.tasks : exposed.events;
    endpoint.is_exposed = std::ranges::find(ids, id) != ids.end();
  }
  const bool is_task = kind == Kind::task;
  for (const std::shared_ptr<const Lane>& lane : options_->lanes) {
    const std::vector<std::string>& ids = is_task ? lane->tasks() : lane->events();
    if (std::ranges::find(ids, id) != ids.end()) endpoint.lane = lane.get();
  }
  return of(kind).try_emplace(id, std::move(endpoint)).second;
}

std::optional<std::string> Policy::missing_of_lanes() const {
  for (const std::shared_ptr<const Lane>& lane : options_->lanes) {
    for (const std::string& id : lane->tasks())
      if (!tasks_.contains(id)) return "lanes." + lane->name() + ": there is no task " + id;
    for (const std::string& id : lane->events())
      if (!events_.contains(id)) return "lanes." + lane->name() + ": there is no event " + id;
  }
  return std::nullopt;
}

bool Policy::add_validator(const std::string& id) {
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) return false;
  validators_.push_back(&found->second);
  return true;
}

Policy::Verdict Policy::judge(const HttpRequestHead& head) const {
  const AuthRules& auth = options_->auth;
  if (auth.tokens.empty() && validators_.empty() && !options_->has_absent_validators)
    return auth.allow_anonymous ? Verdict::let_in : Verdict::not_configured;
  // Which of two counts would be a guess, and a proxy's may be another.
  if (head.count(auth.header) > 1) return Verdict::refused;
  if (const std::string* const said = head.find(auth.header)) {
    // All are compared, whichever is the right one.
    bool is_right = false;
    for (const std::string& token : auth.tokens)
      is_right |= !token.empty() && equals_secret(*said, token);
    if (is_right) return Verdict::let_in;
  }
  return validators_.empty() ? Verdict::refused : Verdict::ask_validators;
}

// An id that is not on the allow-list is refused in the same way whether it is served or not, so
// that a client does not learn what else exists.
std::expected<const Endpoint*, Refusal> Policy::find(Kind kind, const std::string& id) const {
  if (!options_->exposed && !options_->allow_open_exposure)
    return std::unexpected(exposure_disabled());
  const bool is_task = kind == Kind::task;
  const Endpoints& endpoints = of(kind);
  const auto found = endpoints.find(id);
  const bool is_there = found != endpoints.end();
  if (options_->exposed && (!is_there || !found->second.is_exposed))
    return std::unexpected(is_task ? task_not_exposed(id) : event_not_exposed(id));
  if (!is_there) return std::unexpected(is_task ? task_not_found(id) : event_not_found(id));
  return &found->second;
}

}  // namespace cordon::tunnel
