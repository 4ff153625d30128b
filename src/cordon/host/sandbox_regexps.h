#pragma once

// Asks the guest's own engine whether a pattern is a regular expression. Each pattern gets a
// sandbox of its own, so that one that breaks the compiler breaks nothing else.

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

// Answers are kept, up to a limit. A pattern that takes the sandbox more than a second, or too much
// memory, is not a regular expression.
//
// It has an engine of its own, which is made for the first pattern and driven by the thread that
// asks. So any thread may ask at any time, even a worker of another engine. For payloads of peers
// use a PayloadRegExps.
class SandboxRegExps : public rich::RegExpOracle {
 public:
  static constexpr std::chrono::seconds longest{1};

  SandboxRegExps() = default;
  SandboxRegExps(const SandboxRegExps&) = delete;
  SandboxRegExps& operator=(const SandboxRegExps&) = delete;

  Result<bool> is_regexp(std::string_view pattern, std::string_view flags) const override;

  // The answer, if it is known without a sandbox. It only looks into a table.
  std::optional<bool> known(std::string_view pattern, std::string_view flags) const;
  // Asks a sandbox, whose time the budget pays for. Fails with ErrorCode::timeout if that was not
  // enough; the answer then stays unknown.
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
  // Two generations. When the younger one is full, it becomes the older one, and answers that were
  // not asked for since are dropped.
  mutable Answers younger_ CORDON_GUARDED_BY(mutex_);
  mutable Answers older_ CORDON_GUARDED_BY(mutex_);
  mutable std::size_t younger_bytes_ CORDON_GUARDED_BY(mutex_) = 0;
  mutable std::size_t asked_ CORDON_GUARDED_BY(mutex_) = 0;
};

}  // namespace cordon::host
