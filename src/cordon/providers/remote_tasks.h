#pragma once

// The tasks of a tunnel as tools. A guest writes `await remote.app_tasks_add({a: 1, b: 2})`.
//
// Which tasks there are is for the tunnel to say. One that is silent leaves their names unknown. An
// open provider then takes every name, and asks the tunnel once more when the name is called. It
// also asks anew after it was told that there is no such task, so that names follow the tunnel's
// allow-list while a server runs.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/base/thread_annotations.h"
#include "cordon/provider.h"
#include "cordon/providers/execution_account.h"
#include "cordon/providers/fair_places.h"
#include "cordon/providers/remote_names.h"
#include "cordon/providers/remote_tunnel.h"
#include "cordon/tools/call_timer.h"

namespace cordon::providers {

struct RemoteTasksOptions {
  std::string name;                                    // of the provider, and in messages
  std::optional<std::vector<std::string>> allow = {};  // patterns of ids; without a value all
  AccountLimits limits = {};                           // of one execution
  std::chrono::milliseconds timeout{30'000};           // of a call, waits included
  std::size_t max_running = 64;                        // calls at once; others wait
  std::shared_ptr<tools::CallTimer> timer = {};
};

// Any thread may use it.
class RemoteTasks : public std::enable_shared_from_this<RemoteTasks> {
 public:
  static std::shared_ptr<RemoteTasks> create(std::unique_ptr<RemoteTunnel> tunnel,
                                             RemoteTasksOptions options);

  // Asks the tunnel which tasks it has. `done` is called on any thread when it is known, or known
  // to be unknown.
  void discover(std::move_only_function<void()> done);
  // Why nothing is known; nothing if the tunnel has listed its tasks.
  std::optional<RemoteFailure> silence() const;
  // Whether there can be no other tasks: the tunnel has listed them, or all that are allowed are
  // allowed by their ids.
  bool knows_all() const;

  // One line about tasks that the tunnel lists and nobody can call, because they are too many.
  // Empty if there are none.
  std::string overflow() const;

  enum class Names : std::uint8_t {
    listed,  // those that are known now
    open,    // and any other, which the tunnel may list later
  };
  // It keeps the tunnel.
  Provider provider(Names names);

  const std::string& name() const { return options_.name; }

 private:
  RemoteTasks(std::unique_ptr<RemoteTunnel> tunnel, RemoteTasksOptions options);

  void call_named(std::string name, Value input, Reply reply);
  // The same for a call, unless another one has tried it a moment ago.
  void discover_for_call(std::move_only_function<void()> done);
  void call(const std::string& id, Value input, Reply reply);
  std::optional<std::string> id_of(const std::string& name) const;
  std::string overflow_text() const;  // without the tunnel
  Error unknown_name(const std::string& name) const;
  void take_listing(std::expected<RemoteListing, RemoteFailure> listing);
  bool is_shown(const RemoteNames::Named& task) const CORDON_REQUIRES(mutex_);

  friend class RemoteTaskCall;
  // A call was answered with it.
  void note(RemoteFault fault);
  // What is said of a call past a limit.
  std::string past_calls() const;
  std::string past_bytes() const;

  const RemoteTasksOptions options_;
  const std::unique_ptr<RemoteTunnel> tunnel_;
  const std::shared_ptr<ExecutionAccounts> accounts_;
  const std::shared_ptr<FairPlaces> places_;

  mutable Mutex mutex_;
  RemoteNames names_ CORDON_GUARDED_BY(mutex_);
  // What was listed last; nothing if the tunnel lists nothing.
  std::optional<std::unordered_set<std::string>> listed_ CORDON_GUARDED_BY(mutex_);
  std::optional<RemoteFailure> silence_ CORDON_GUARDED_BY(mutex_);
  bool is_asking_ CORDON_GUARDED_BY(mutex_) = false;
  std::optional<Instant> asked_ CORDON_GUARDED_BY(mutex_);  // when it was answered, or was not
  bool is_asked_by_call_ CORDON_GUARDED_BY(mutex_) = false;
  std::vector<std::move_only_function<void()>> waiting_ CORDON_GUARDED_BY(mutex_);
};

// The failure of a call as the guest sees it. `tunnel` is its name.
Error failure_of(RemoteFailure failure, const std::string& tunnel);

}  // namespace cordon::providers
