#pragma once

// The host's side of one conversation with one guest process, without I/O.
//
//   HostSession session({}, random_bytes);
//   auto call = session.call("add", Value::array({1, 2}), {.deadline = now + 30s});
//   // Write session.output() to the guest, and hand its bytes to session.receive().
//   while (true) {
//     auto message = session.next();
//     if (!message) return fail(message.error());  // the guest is to be ended
//     if (!*message) break;                        // read more
//   }
//
// The guest's messages come out of next() one by one, each already matched: a response belongs to a
// pending call, a chunk to a stream that was opened, a call to a callback that is allowed. So open
// a stream for a callback before you ask for the next message.
//
// The first violation ends the session: every pending call fails with it, and next() returns it
// from then on. One thread at a time may use it. It has no clock, thread or descriptor.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/bytes.h"
#include "cordon/protocol/duplex/frame_reader.h"
#include "cordon/protocol/duplex/id_source.h"
#include "cordon/protocol/duplex/limits.h"
#include "cordon/protocol/duplex/messages.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::duplex {

enum class Answer : std::uint8_t { expected, none };

struct CallOptions {
  Answer answer = Answer::expected;
  std::optional<Instant> deadline = {};
  // Names that the guest may call until this call settles: callbacks by reference, `cb_…`.
  std::vector<std::string> references = {};
};

struct SessionFigures {
  std::uint64_t frames_in = 0;
  std::uint64_t frames_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

class HostSession {
 public:
  HostSession(const Limits& limits, RandomSource random)
      : limits_(limits), ids_(std::move(random)), input_(limits.frame_bytes) {}

  // A fresh id, for a stream that is named in a call's params, or for a `cb_…`.
  std::string new_id() { return ids_.next(); }

  // Returns the id of the call. Fails if the params cannot be written or the session is over.
  Result<std::string> call(std::string_view function_name, const ValueView& params,
                           const CallOptions& options = {});

  // Allows the guest to call this at any time.
  void allow(std::string name) { allowed_.insert(std::move(name)); }

  // Answers a callback. A callback that expects no answer, or is not open any more, gets none. A
  // guest that does not read its answers is ended, which next() reports.
  Result<> respond(std::string_view id, const ValueView& result);
  Result<> respond_error(std::string_view id, std::string_view error);

  // Streams. The caller of a function chooses the ids of its streams: we with new_id, the guest in
  // the params of a callback.
  Result<> open_incoming(std::string id);
  Result<> open_outgoing(std::string id);
  Result<> send_chunk(std::string_view id, const ValueView& chunk);
  Result<> send_end(std::string_view id);
  Result<> send_error(std::string_view id, std::string_view error);

  // Room for the guest's bytes.
  std::span<std::uint8_t> space(std::size_t at_least) { return input_.space(at_least); }
  void received(std::size_t bytes) {
    input_.advance(bytes);
    figures_.bytes_in += bytes;
  }
  void receive(BytesView bytes) {
    input_.feed(bytes);
    figures_.bytes_in += bytes.size();
  }
  Result<std::optional<Message>> next();
  // How much memory the last message of next() takes.
  std::size_t message_memory() const { return message_memory_; }

  // Bytes for the guest. Remove what you have written.
  Bytes& output() { return output_; }

  // Call on_time at this time at the latest.
  std::optional<Instant> deadline();
  Result<> on_time(Instant now);
  // The guest's output has ended, or its process has.
  Error on_exit(std::string detail);

  const std::optional<Error>& violation() const { return violation_; }
  std::size_t pending_calls() const { return calls_.size(); }
  std::size_t open_callbacks() const { return callbacks_.size(); }
  bool is_pending(std::string_view id) const { return calls_.contains(std::string(id)); }
  const SessionFigures& figures() const { return figures_; }
  const Limits& limits() const { return limits_; }

 private:
  struct Call {
    std::vector<std::string> references;
  };
  using Deadline = std::pair<Instant, std::string>;

  Result<> writable() const;
  // Call it after an answer was added; `before` is how many bytes waited before.
  void check_unread(std::size_t before);
  Result<> wrote(Result<> result, std::size_t before);
  Error end(Error violation);
  Result<> admit(const Message& message);
  Result<> admit_call(const FunctionCall& call);
  Result<> settle(const std::string& id);

  Limits limits_;
  IdSource ids_;
  FrameReader input_;
  Bytes output_;
  std::unordered_map<std::string, Call> calls_;
  // Earliest first. Calls that have settled stay until their time comes or they are on top.
  std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
  std::unordered_set<std::string> callbacks_;  // ids that the guest chose, waiting for an answer
  std::unordered_set<std::string> allowed_;
  std::unordered_set<std::string> references_;
  std::unordered_set<std::string> incoming_;
  std::set<std::string, std::less<>> outgoing_;
  std::optional<Error> violation_;
  std::size_t message_memory_ = 0;
  SessionFigures figures_;
};

}  // namespace cordon::duplex
