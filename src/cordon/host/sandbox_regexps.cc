#include "cordon/host/sandbox_regexps.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cordon/base/thread_time.h"

namespace cordon::host {
namespace {

constexpr std::size_t max_answers = 4096;
constexpr std::size_t max_bytes = std::size_t{1} << 20;
constexpr std::string_view program = "new RegExp(input[0], input[1]); true";

std::string key_of(std::string_view pattern, std::string_view flags) {
  std::string key(flags);
  key.append("/").append(pattern);
  return key;
}

// Limits the guest's own time, so that a busy machine makes no difference. The total time is
// bounded too.
Limits limits_of(Duration time) {
  using std::chrono::milliseconds;
  Limits limits;
  limits.time.cpu = std::max(std::chrono::ceil<milliseconds>(time), milliseconds(1));
  limits.time.total = 20 * *limits.time.cpu + milliseconds(1000);
  return limits;
}

}  // namespace

Result<bool> SandboxRegExps::is_regexp(std::string_view pattern, std::string_view flags) const {
  if (const auto answer = known(pattern, flags)) return *answer;
  Budget unlimited({});
  return ask(pattern, flags, unlimited);
}

std::optional<bool> SandboxRegExps::known(std::string_view pattern, std::string_view flags) const {
  const std::string key = key_of(pattern, flags);
  const MutexLock lock(mutex_);
  return find(key);
}

Result<Engine*> SandboxRegExps::engine() const {
  const MutexLock lock(engine_mutex_);
  if (!engine_) engine_ = CORDON_TRY(Engine::create_one_shot());
  // It does not move once it is made.
  return &*engine_;
}

Result<bool> SandboxRegExps::ask(std::string_view pattern, std::string_view flags,
                                 Budget& budget) const {
  Engine* const engine = CORDON_TRY(this->engine());
  const Duration time = std::min<Duration>(budget.time_left(), longest);
  if (time <= Duration::zero()) return fail(ErrorCode::timeout, "a pattern took too long");
  // This thread drives the sandbox.
  const Duration before = thread_time();
  const Report report =
      engine->execute(program, {.limits = limits_of(time), .input = Value::array({pattern, flags})})
          .get();
  budget.spend(thread_time() - before);
  const MutexLock lock(mutex_);
  ++asked_;
  if (report.error.is(ErrorCode::internal_error) || report.error.is(ErrorCode::overloaded))
    return fail(ErrorCode::unavailable, report.error.message);
  if (report.error.is(ErrorCode::timeout) && time < longest)
    return fail(ErrorCode::timeout, "a pattern took too long");
  const bool answer = report.ok() && report.result.as_bool();
  keep(key_of(pattern, flags), answer);
  return answer;
}

std::size_t SandboxRegExps::asked() const {
  const MutexLock lock(mutex_);
  return asked_;
}

std::optional<bool> SandboxRegExps::find(const std::string& key) const {
  if (const auto found = younger_.find(key); found != younger_.end()) return found->second;
  const auto found = older_.find(key);
  if (found == older_.end()) return std::nullopt;
  const bool answer = found->second;
  keep(key, answer);
  return answer;
}

void SandboxRegExps::keep(std::string key, bool answer) const {
  if (key.size() > max_bytes) return;
  if (younger_.size() >= max_answers || younger_bytes_ + key.size() > max_bytes) {
    older_ = std::exchange(younger_, {});
    younger_bytes_ = 0;
  }
  younger_bytes_ += key.size();
  younger_.insert_or_assign(std::move(key), answer);
}

}  // namespace cordon::host
