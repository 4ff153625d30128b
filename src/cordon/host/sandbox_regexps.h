#pragma once

// Whether a pattern is a regular expression, asked of the guest's own engine: each in a sandbox of
// its own, so that a pattern which breaks the compiler breaks nothing else.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cordon/base/budget.h"
#include "cordon/base/thread_annotations.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/engine.h"

namespace cordon::host {

// Answers are kept, up to a limit. A pattern that takes the sandbox longer than a second or more
// memory than it has is none.
//
// The engine behind it is its own, is made when the first pattern comes, and is driven by the
// thread that asks: so it may be asked from anywhere, a worker of another engine included. Any
// thread may ask at any time. Payloads of peers ask through a PayloadRegExps.
class SandboxRegExps : public rich::RegExpOracle {
 public:
  static constexpr std::chrono::seconds longest{1};

  SandboxRegExps() = default;
  SandboxRegExps(const SandboxRegExps&) = delete;
  SandboxRegExps& operator=(const SandboxRegExps&) = delete;

  Result<bool> is_regexp(std::string_view pattern, std::string_view flags) const override;

  // What is known without a sandbox. Takes no longer than a look into a table.
  std::optional<bool> known(std::string_view pattern, std::string_view flags) const;
  // Asks a sandbox, whose time is the budget's. ErrorCode::timeout where that was not enough, and
  // nothing is known then.
  Result<bool> ask(std::string_view pattern, std::string_view flags, Budget& budget) const;

  // How many sandboxes have been asked.
  std::size_t asked() const;

 private:
  using Answers = std::unordered_map<std::string, bool>;

  Result<Engine*> engine() const;
  std::optional<bool> find(const std::string& key) const CORDON_REQUIRES(mutex_);
  void keep(std::string key, bool answer) const CORDON_REQUIRES(mutex_);

  // The engine takes long to make, so it has a lock of its own.
  mutable Mutex engine_mutex_;
  mutable std::optional<Engine> engine_ CORDON_GUARDED_BY(engine_mutex_);
  mutable Mutex mutex_;
  // Two generations: when the younger one is full it becomes the older, and what was not asked for
  // since goes.
  mutable Answers younger_ CORDON_GUARDED_BY(mutex_);
  mutable Answers older_ CORDON_GUARDED_BY(mutex_);
  mutable std::size_t younger_bytes_ CORDON_GUARDED_BY(mutex_) = 0;
  mutable std::size_t asked_ CORDON_GUARDED_BY(mutex_) = 0;
};

}  // namespace cordon::host
