#include "cordon/host/payload_regexps.h"

#include <string>

namespace cordon::host {

Result<bool> PayloadRegExps::is_regexp(std::string_view pattern, std::string_view flags) const {
  if (const auto answer = regexps_.known(pattern, flags)) return *answer;
  if (asking_ == Asking::nobody) {
    has_met_new_ = true;
    return fail(ErrorCode::unavailable, "a RegExp pattern that is not known yet");
  }
  if (asked_ == allowance_.max_patterns) {
    return fail(ErrorCode::too_large,
                "Too many RegExp patterns (" + std::to_string(allowance_.max_patterns) + ")");
  }
  ++asked_;
  Result<bool> answer = regexps_.ask(pattern, flags, budget_);
  if (!answer && answer.error().code == ErrorCode::timeout)
    return fail(ErrorCode::too_large, "RegExp patterns take too long");
  return answer;
}

}  // namespace cordon::host
