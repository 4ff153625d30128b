#include "cordon/host/sandbox_regexps.h"

#include <chrono>
#include <utility>

namespace cordon::host {
namespace {

constexpr std::size_t most_answers = 4096;
constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr std::string_view program = "new RegExp(input[0], input[1]); true";

Limits limits() {
  Limits limits;
  limits.timeout = std::chrono::milliseconds(1000);
  return limits;
}

}  // namespace

Result<bool> SandboxRegExps::is_regexp(std::string_view pattern, std::string_view flags) const {
  std::string key(flags);
  key.append("/").append(pattern);
  {
    const std::lock_guard lock(mutex_);
    if (const auto answer = known(key)) return *answer;
    if (!engine_) {
      engine_ = CORDON_TRY(Engine::create_one_shot());
    }
    ++asked_;
  }
  // The engine stays where it is once it is made.
  const Report report =
      engine_->execute(program, {.limits = limits(), .input = Value::array({pattern, flags})})
          .get();
  if (report.error.code == "internal_error" || report.error.code == "overloaded") {
    return fail(Errc::unavailable, report.error.message);
  }
  const bool answer = report.ok && report.result.as_bool();
  const std::lock_guard lock(mutex_);
  keep(std::move(key), answer);
  return answer;
}

std::size_t SandboxRegExps::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

std::optional<bool> SandboxRegExps::known(const std::string& key) const {
  if (const auto found = younger_.find(key); found != younger_.end()) return found->second;
  const auto found = older_.find(key);
  if (found == older_.end()) return std::nullopt;
  const bool answer = found->second;
  keep(key, answer);
  return answer;
}

void SandboxRegExps::keep(std::string key, bool answer) const {
  if (key.size() > most_bytes) return;
  if (younger_.size() >= most_answers || younger_bytes_ + key.size() > most_bytes) {
    older_ = std::exchange(younger_, {});
    younger_bytes_ = 0;
  }
  younger_bytes_ += key.size();
  younger_.insert_or_assign(std::move(key), answer);
}

}  // namespace cordon::host
