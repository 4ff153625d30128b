#pragma once

// An execbox session joined to the guest that it runs: carries out the session's orders on an
// engine, and tells the session what the guest does.
//
// For an engine without workers, on the thread that drives it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "cordon/engine.h"
#include "cordon/protocol/execbox/runner_session.h"

namespace cordon::server {

struct RunnerSettings {
  execbox::SessionLimits limits = {};
  ValueRule values = ValueRule::strict;
};

class RunnerExecution : public std::enable_shared_from_this<RunnerExecution> {
 public:
  // `known` outlives it, where there is one.
  RunnerExecution(Engine& engine, const RunnerSettings& settings,
                  execbox::KnownManifests* known = nullptr);

  // Called when the session has output or orders, or is over. It may be in the middle of the
  // engine's work, so take a note.
  void on_news(std::function<void()> act) { on_news_ = std::move(act); }

  execbox::RunnerSession& session() { return session_; }
  // Carries out what the session has ordered.
  void act();
  // The connection is gone. The guest ends without an answer.
  void drop();

 private:
  void start(const execbox::Execute& execute);
  void settle(execbox::Settle settle);
  Provider provider_of(const execbox::ProviderManifest& manifest);
  void call(const std::string& provider, const std::string& tool, const Value& input, Reply reply);
  void tell() const {
    if (on_news_) on_news_();
  }

  Engine& engine_;
  const RunnerSettings settings_;
  std::function<void()> on_news_;
  execbox::RunnerSession session_;
  std::optional<Execution> execution_;
  std::unordered_map<std::uint64_t, Reply> replies_;
};

// How the protocol tells an execution's end. Codes that it does not know become those that it does.
execbox::End end_of(Report report);

}  // namespace cordon::server
