#pragma once

// The one driver of duplex-rpc: a guest process, and the conversation with it. Send calls here, one
// (one_call.h) or many (plugin_worker.h), and get back what becomes of them. Callbacks are started
// and answered, and streams to the guest are read, on the way.
//
//   Conversation conversation(std::move(link), rules);
//   auto sent = conversation.send({.function = "add", .params = params, .deadline = until});
//   while (true) {
//     auto event = conversation.next(until);
//     if (!event) return fail(event.error());  // the process is gone
//     if (*event) show(**event);               // an answer, a chunk, the end of a stream
//   }
//
// One thread at a time, but for wake().

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "cordon/base/budget.h"
#include "cordon/base/instant.h"
#include "cordon/plugin.h"
#include "cordon/providers/callback_inbox.h"
#include "cordon/providers/plugin_contract.h"
#include "cordon/providers/plugin_link.h"

namespace cordon::providers {

// What a guest may call at any time.
struct CallbackRules {
  std::vector<Tool> tools = {};
  const PluginContract* contract = nullptr;               // of some of them
  std::optional<std::chrono::milliseconds> timeout = {};  // of those without a contract
};

struct CallRequest {
  std::string function = {};
  Value params = {};
  duplex::Answer answer = duplex::Answer::expected;
  Instant deadline{};
  // Members of the params that get the name of a callback, or the id of a stream to the guest.
  std::vector<std::pair<std::string, ToolFunction>> callbacks = {};
  std::vector<std::pair<std::string, std::function<Result<std::optional<Value>>()>>> streams = {};
  std::string stream_param = {};  // the member for the id of a stream from the guest; empty: none
};

struct SentCall {
  std::string id;
  std::string stream;  // empty: it has none
};

// What next() tells. `id` is that of a call, `stream` that of a stream from the guest.
struct CallAnswer {
  std::string id;
  Result<Value> result;
};
struct StreamPiece {
  std::string stream;
  Value value;
  std::size_t memory_bytes;  // that it takes here
};
struct StreamOver {
  std::string stream;
  std::optional<Error> error;
};
using GuestEvent = std::variant<CallAnswer, StreamPiece, StreamOver>;

class Conversation {
 public:
  // Borrows the rules.
  Conversation(std::unique_ptr<PluginLink> link, const CallbackRules& rules);
  // Ends the process. Callbacks that still run are told to stop.
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Queues a call; next() writes it. Fails where the params cannot be written.
  Result<SentCall> send(const CallRequest& request);
  // What the guest says next. Nothing where `until` has passed, wake() was called, or something was
  // done that the caller need not know of. After an error the process is gone.
  Result<std::optional<GuestEvent>> next(std::optional<Instant> until);
  // Any thread: next() comes back soon.
  void wake() { inbox_->wake(); }

  // The guest reads an end of file after what is still to be written.
  void finish_input() { link_->finish_input(); }
  // Waits for callbacks that still run, without their answers going anywhere.
  void finish_callbacks(Instant until);
  void kill() { link_->kill(); }

  // Whether the guest has too much to read, so that further calls should wait.
  bool is_held_back() const;
  // Whether the process has ended unnoticed. Asks the system if it was silent for long.
  bool has_ended_quietly() const;
  bool ended_well() const { return link_->process().ended_well(); }
  // Whether something is under way beside calls: a stream to the guest, a callback.
  bool is_busy() const { return !sources_.empty() || link_->session().open_callbacks() > 0; }
  bool has_answered() const { return has_answered_; }
  bool is_input_broken() const { return link_->is_input_broken(); }
  std::uint64_t calls_made() const { return calls_made_; }
  const duplex::SessionFigures& figures() const { return link_->session().figures(); }
  pid_t process() const { return link_->process().id(); }
  // Pays for messages of this guest that wait for a reader.
  const std::shared_ptr<Budget>& budget() const { return held_; }

 private:
  struct Source {
    std::string id;
    std::function<Result<std::optional<Value>>()> next;
  };
  // A callback's function, and what is asked of it.
  struct Callback {
    ToolFunction function;
    const FunctionContract* contract = nullptr;
  };

  void answer_callbacks();
  void pump_sources();
  Result<std::optional<GuestEvent>> event_of(duplex::Message& message);
  Result<> start_callback(duplex::FunctionCall& call);
  Callback find_callback(std::string_view name) const;
  std::unexpected<Error> end(ErrorCode code, std::string message);
  void forget_references(const std::string& call);

  std::unique_ptr<PluginLink> link_;
  const CallbackRules& rules_;
  std::shared_ptr<Budget> held_;
  std::shared_ptr<CallbackInbox> inbox_ = std::make_shared<CallbackInbox>();
  std::unordered_map<std::string, ToolFunction> references_;  // callbacks by reference
  std::unordered_map<std::string, std::vector<std::string>> references_of_;  // by the call's id
  std::vector<Source> sources_;
  std::uint64_t calls_made_ = 0;
  bool has_answered_ = false;
  Instant last_heard_{};
};

}  // namespace cordon::providers
