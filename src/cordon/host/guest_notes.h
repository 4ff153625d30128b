#pragma once

// What a guest did in its turn. Its events come in the middle of its work, on its own small stack.
// They only leave notes here, and the turn acts on them when the guest has returned.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/execution.h"
#include "cordon/host/log_book.h"
#include "cordon/host/source_prep.h"
#include "cordon/host/tool_table.h"
#include "cordon/js/guest.h"

namespace cordon::host {

struct NotedCall {
  std::uint64_t call;
  std::uint32_t tool;
  Result<Value> input;  // an error if too much is on its way already
  std::size_t bytes;
  std::string name = {};  // the name of a function of an open namespace
};

struct NotedReply {
  std::uint64_t call;
  js::Outcome outcome;
};

class GuestNotes final : public js::GuestEvents {
 public:
  struct Rules {
    Instant accepted = {};    // times of log lines count from here
    bool wants_logs = false;  // an observer wants them as they come
    // Limits for one turn of a task. Other executions have no port.
    std::size_t max_port_calls = 0;
    std::size_t max_port_bytes = 0;
  };

  // The arguments must outlive it.
  GuestNotes(const Rules& rules, const ToolTable& tools, SourcePrep& source, LogBook& book)
      : rules_(rules), tools_(tools), source_(source), book_(book) {}

  std::vector<NotedCall> calls = {};
  std::vector<LogLine> logs = {};
  std::vector<NotedReply> replies = {};
  std::optional<std::vector<std::string>> ready = {};  // names of the functions of a module
  std::optional<js::Outcome> outcome = {};
  // What came after the outcome.
  js::LooseEnds loose_ends = {};
  bool has_open_timer = false;
  std::optional<js::Thrown> late_error = {};
  bool has_violated = false;  // it did what our code in it never does, so other code must run there

  std::vector<js::PortCall> take_port_calls();

  void on_call(std::uint64_t call, std::uint32_t tool, Result<Value> input,
               std::size_t bytes) override;
  bool on_named_call(std::uint64_t call, std::uint32_t tool, std::string name, Result<Value> input,
                     std::size_t bytes) override;
  const NameList* functions_of(std::uint32_t space) override {
    const auto spaces = tools_.namespaces();
    return space < spaces.size() ? &spaces[space].functions : nullptr;
  }
  bool on_port(js::PortCall call) override;
  void on_log(LogLevel level, std::string_view text) override;
  void on_finish(js::Outcome ended) override { outcome = std::move(ended); }
  void on_loose_ends(js::LooseEnds told) override;
  void on_open_timer() override { has_open_timer = true; }
  void on_late_error(js::Thrown error) override { late_error = std::move(error); }
  void on_ready(std::vector<std::string> functions) override { ready = std::move(functions); }
  void on_reply(std::uint64_t call, js::Outcome ended) override {
    replies.push_back({call, std::move(ended)});
  }
  Result<std::string> resolve(std::string_view base, std::string_view specifier,
                              js::ImportKind kind) override {
    return source_.resolve(base, specifier, kind);
  }
  std::optional<Result<js::Stripped>> load(std::string_view name, js::ImportKind kind) override {
    return source_.load(name, kind);
  }

 private:
  const Rules rules_;
  const ToolTable& tools_;
  SourcePrep& source_;
  LogBook& book_;
  std::vector<js::PortCall> port_calls_;
  std::size_t port_bytes_ = 0;
};

}  // namespace cordon::host
