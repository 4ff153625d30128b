#pragma once

// The host's side of one execbox session. Bytes of the runner and answers of tools go in; lines for
// the runner and orders for the tools come out. It does no I/O, owns no thread and reads no clock.
// Its driver keeps the timeout, and ends the transport once there is an end().
//
// Nothing that a runner sends is trusted. What makes no sense is skipped, and a call that makes no
// sense is answered with a failure. Only a `done` of ours that is no `done`, and a line that is too
// long, break the session.
//
// One thread at a time may use it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "cordon/base/budget.h"
#include "cordon/protocol/execbox/manifest.h"
#include "cordon/protocol/execbox/messages.h"
#include "cordon/value.h"

namespace cordon::execbox {

struct HostLimits {
  std::size_t line_bytes = std::size_t{64} << 20;
  std::size_t unread_bytes = std::size_t{64} << 20;  // of answers that the runner has not taken
  std::size_t pending_calls = 10'000;
  std::size_t calls = 4'000'000;  // of a session; their ids are remembered
  std::size_t nesting = 1000;     // of a result and of an input
};

// What an execution is, to a runner.
struct HostExecute {
  std::string id;
  std::string code;
  Options options;
  std::vector<WrittenManifest> providers;
};

// An order: call this tool, then on_answer().
struct HostCall {
  std::uint64_t call;    // counts from 1
  std::size_t provider;  // its place in HostExecute::providers
  std::size_t tool;      // its place in the manifest
  Value input;
  std::size_t bytes;  // of its line
};

// How a session ended. ErrorCode::runner_error is the runner's own fault, or that of the way to it.
struct HostEnd {
  std::variant<Value, Error> outcome;
  std::vector<std::string> logs = {};  // as they came; of a runner that kept its limits
  Diagnostics diagnostics = {};        // of an Error, as far as the runner knows
};

class HostSession {
 public:
  // Writes the `execute`. Fails if it is too large for a line.
  static Result<HostSession> create(HostExecute execute, const HostLimits& limits = {});

  // From the runner, in any pieces.
  void on_bytes(std::string_view bytes);
  // Nothing more comes; `why` says so to people. A last line needs no line end.
  void on_end_of_input(std::string_view why);

  // From a tool. Ignored where nobody waits for it any more.
  void on_answer(std::uint64_t call, const Result<Value>& result);

  // Sends `cancel`, once. From then on a `done` adds its logs only.
  void cancel();

  // Lines for the runner, to be sent in order.
  std::string_view output() const { return std::string_view(output_).substr(sent_); }
  void sent(std::size_t bytes);
  // Whether more of the runner may be read: its answers do not pile up.
  bool wants_input() const { return !is_over_ && unread() <= limits_.unread_bytes; }
  std::vector<HostCall> take_calls() { return std::exchange(calls_, {}); }

  bool is_cancelled() const { return is_cancelled_; }
  const std::optional<HostEnd>& end() const { return end_; }
  std::optional<HostEnd> take_end() { return std::exchange(end_, std::nullopt); }

 private:
  HostSession(HostExecute execute, const HostLimits& limits);

  void on_line(std::string_view line);
  void on_unreadable(std::string_view line, ErrorCode why);
  void on_tool_call(const Value& message, std::size_t bytes);
  void on_done(const Value& message);
  void begin_call(const std::string& call_id, const Value& message, std::size_t bytes);
  std::size_t unread() const { return output_.size() - sent_; }
  // Whether it is new.
  bool remember(std::string_view call_id);
  void refuse_call(std::string_view call_id, const Error& error);
  void write_answer(std::string_view call_id, const Result<Value>& result);
  void break_off(std::string why);
  void finish(HostEnd end);
  std::shared_ptr<Budget> new_budget() const;

  HostLimits limits_;
  HostExecute execute_;  // without its code
  std::optional<std::pair<std::size_t, std::size_t>> find_tool(std::string_view provider,
                                                               std::string_view tool) const;

  std::unordered_map<std::string_view, std::vector<std::size_t>> providers_;  // by their names
  std::shared_ptr<Budget> budget_;  // pays for the inputs of calls
  std::string line_;                // the beginning of one
  bool is_cancelled_ = false;
  std::uint64_t last_call_ = 0;
  std::unordered_map<std::uint64_t, std::string> pending_;
  std::unordered_set<std::uint64_t> used_ids_;  // their hashes
  std::vector<HostCall> calls_;
  std::string output_;
  std::size_t sent_ = 0;  // of it
  std::optional<HostEnd> end_;
  bool is_over_ = false;
};

}  // namespace cordon::execbox
