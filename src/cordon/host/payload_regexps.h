#pragma once

// The regular expressions of one payload. A peer's patterns may cost a few sandboxes and little
// time in them.

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "cordon/base/budget.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/host/sandbox_regexps.h"

namespace cordon::host {

// Limits for patterns that were not asked for before.
struct RegExpAllowance {
  std::size_t max_patterns = 50;
  Duration max_time = std::chrono::milliseconds(50);  // processor time for all together

  // For files that the user chose to read.
  static RegExpAllowance of_own_files() { return {10'000, std::chrono::seconds(10)}; }
};

// Answers the questions of one payload. One thread at a time.
class PayloadRegExps final : public rich::RegExpOracle {
 public:
  enum class Asking : std::uint8_t {
    sandboxes,
    nobody,  // only known answers; any other question fails
  };

  // Borrows `regexps`.
  explicit PayloadRegExps(const SandboxRegExps& regexps, const RegExpAllowance& allowance = {},
                          Asking asking = Asking::sandboxes)
      : regexps_(regexps),
        allowance_(allowance),
        asking_(asking),
        budget_({.time = allowance.max_time}) {}

  // Fails with ErrorCode::too_large past the limits. With Asking::nobody it fails with
  // ErrorCode::unavailable for an unknown pattern; has_met_new() tells that apart from other
  // failures.
  Result<bool> is_regexp(std::string_view pattern, std::string_view flags) const override;

  bool has_met_new() const { return has_met_new_; }

 private:
  const SandboxRegExps& regexps_;
  const RegExpAllowance allowance_;
  const Asking asking_;
  mutable Budget budget_;
  mutable std::size_t asked_ = 0;
  mutable bool has_met_new_ = false;
};

}  // namespace cordon::host
