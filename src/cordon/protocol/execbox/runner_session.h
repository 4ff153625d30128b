#pragma once

// The runner's side of one execbox session. Messages of the host and events of the guest go in;
// orders for the guest and lines for the host come out. It does no I/O, owns no thread and reads no
// clock. The code that runs the guest keeps its timeout.
//
// One thread at a time may use it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "cordon/base/budget.h"
#include "cordon/protocol/execbox/envelope.h"
#include "cordon/protocol/execbox/known_manifests.h"
#include "cordon/protocol/execbox/limits.h"
#include "cordon/protocol/execbox/messages.h"

namespace cordon::execbox {

// Orders for the code that runs the guest.
struct Start {
  Execute execute;
};
struct Settle {
  std::uint64_t call;
  std::variant<Value, Error> outcome;
};
// End the guest where it is, so that no more of its code runs. Then call on_end.
struct Stop {};
using Order = std::variant<Start, Settle, Stop>;

// How a guest ended, as the sandbox's host saw it.
struct End {
  std::variant<Value, Error> outcome;
  std::vector<std::string> logs;
  std::chrono::milliseconds duration{};
  Diagnostics diagnostics = {};  // of an Error
};

class RunnerSession {
 public:
  // `known` outlives it, where there is one.
  explicit RunnerSession(const SessionLimits& limits, KnownManifests* known = nullptr);

  // From the host: one message, without its line end. Text that is not a JSON object is noise. The
  // session ignores it; the reader of the lines may hang up because of it.
  enum class Heard : std::uint8_t { object, noise };
  Heard on_message(std::string_view text);
  // From the host: a message that was too large to be read.
  void on_oversized(const std::optional<Envelope>& envelope);
  void on_end_of_input();
  // The runner shuts down. A running execution ends as if it had been cancelled.
  void on_shutdown();

  // From the guest, while it runs. Settle names the call by the returned number. Returns nothing if
  // the input cannot be written.
  std::optional<std::uint64_t> on_tool_call(std::string_view provider_name,
                                            std::string_view safe_tool_name,
                                            const ValueView& input);
  // The guest has nothing to do until a tool answers.
  void on_wait();
  // Call it once for each Start.
  void on_end(End end);

  // Each call takes the orders away.
  std::vector<Order> take_orders() { return std::exchange(orders_, {}); }
  bool has_orders() const { return !orders_.empty(); }
  // Lines for the host. Remove from the front what you have sent.
  std::string& output() { return output_; }

  // Idle is before `execute`, when nothing can be lost; over is after `done`, when nothing more
  // comes.
  bool is_idle() const { return state_ == State::idle; }
  bool is_over() const { return state_ == State::over; }

 private:
  enum class State : std::uint8_t {
    idle,
    running,
    cancelling,  // Stop is out because of `cancel`
    abandoning,  // Stop is out because nothing more can come from the host
    over,
  };

  std::optional<Execute> read_many_tools(std::string_view text) const;
  void on_unreadable(const Envelope& envelope, const std::string& why);
  void on(Noise) {}
  void on(Execute message);
  void on(const Cancel& message);
  void on(ToolResult message);
  void on(const MalformedExecute& message);
  void settle(const std::string& call_id, std::variant<Value, Error> outcome);
  void refuse(const std::string& id, ErrorCode code, std::string_view message);
  void stop_if_abandoned();

  SessionLimits limits_;
  KnownManifests* const known_;
  // Pays for the host's messages. An honest one of the largest size fits in any shape.
  std::shared_ptr<Budget> budget_;
  State state_ = State::idle;
  std::string id_;  // the execution's id
  std::uint64_t last_call_ = 0;
  std::unordered_set<std::uint64_t> open_calls_;
  bool input_ended_ = false;
  bool waits_ = false;
  std::vector<Order> orders_;
  std::string output_;
};

}  // namespace cordon::execbox
