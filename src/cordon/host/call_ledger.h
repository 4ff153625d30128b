#pragma once

// The tool calls of one execution: which are open, how they ended, and why those that failed did.
// The guest can name a failed call, but only this class knows what the failure was.

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
  // Returns the record to show, without its end. `bytes` is the size of the call's input. Of a
  // large input only a short text is kept, so that the input is freed when the tool is done with
  // it. A small input is kept itself, which costs less than making its text. `number` is the
  // guest's, of the tool.
  CallRecord open(std::uint64_t call, std::string provider, std::string tool, std::size_t bytes,
                  const Value& input, Instant start, Instant now,
                  std::uint32_t number = js::no_tool);

  // Returns the record with its end, or nothing if the call is not open: unknown, or answered
  // before. `failure` is null for a call that succeeded; otherwise it is remembered.
  std::optional<CallRecord> close(std::uint64_t call, std::size_t answer_bytes,
                                  const Error* failure, Instant now);

  struct Failure {
    Error told;
    FailedCall call;
  };
  const Failure* failure_of(std::uint64_t call) const;
  std::size_t open_count() const { return open_.size(); }
  // js::no_tool if the call is not open.
  std::uint32_t tool_of(std::uint64_t call) const;
  // The open calls, counted by tool, the tool that was called first coming first. At most `max`
  // tools.
  struct OpenTool {
    std::string provider;
    std::string tool;
    std::size_t calls;
  };
  std::vector<OpenTool> open_by_tool(std::size_t max) const;
  std::uint64_t count() const { return count_; }
  std::vector<CallRecord> take() { return std::move(records_); }

 private:
  struct Open {
    CallRecord record;
    Instant since;
    std::size_t index;                       // in records_; past its end if the record was not kept
    std::variant<Value, std::string> input;  // for the text of a failure
    std::uint32_t number;                    // of the tool
  };
  static constexpr std::size_t max_records = 10'000;
  // More than can be pending at once, because all calls of a Promise.all may fail together.
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
