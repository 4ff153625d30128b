#pragma once

// The tool calls of one execution: which are open, what became of them, and how those that failed
// did. The guest can name a failed call; what the failure was is known here alone.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/execution.h"
#include "cordon/js/guest.h"

namespace cordon::host {

class CallLedger {
 public:
  // The record to show, without its end. `bytes` is the size of the call's input. Of a large one
  // only a short text is kept, so that it goes when the tool is done with it; making that text of
  // every input would cost more than keeping a small one.
  CallRecord open(std::uint64_t call, std::string provider, std::string tool, std::size_t bytes,
                  const Value& input, Instant start, Instant now);

  // The record with its end; nothing where the call is not open: unknown, or answered before.
  // `failure` is that of a call that failed, and is remembered; of others it is null.
  std::optional<CallRecord> close(std::uint64_t call, std::size_t answer_bytes,
                                  const Error* failure, Instant now);

  struct Failure {
    Error told;
    FailedCall call;
  };
  const Failure* failure_of(std::uint64_t call) const;
  std::size_t open_count() const { return open_.size(); }
  std::uint64_t count() const { return count_; }
  std::vector<CallRecord> take() { return std::move(records_); }

 private:
  struct Open {
    CallRecord record;
    Instant since;
    std::size_t index;                       // in records_; past its end where it was not kept
    std::variant<Value, std::string> input;  // to tell of a failure
  };
  static constexpr std::size_t max_records = 10'000;
  // As many as can be pending at once, and more: all of a Promise.all may fail together.
  static constexpr std::size_t max_failures = 16'384;
  static constexpr std::size_t max_failure_bytes = std::size_t{64} << 20;

  void remember(std::uint64_t call, Failure failure);
  void forget_oldest_failure();

  std::vector<CallRecord> records_;
  std::unordered_map<std::uint64_t, Open> open_;
  std::unordered_map<std::uint64_t, Failure> failures_;
  std::deque<std::uint64_t> failure_order_;
  std::uint64_t count_ = 0;
  std::size_t failure_bytes_ = 0;
};

}  // namespace cordon::host
