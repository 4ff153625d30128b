#pragma once

// The host half of one JavaScript guest: messages in, events out. It does no I/O, owns no thread
// and reads no clock of its own; a driver calls run() until it says that there is nothing to do.
//
// One thread at a time may use it, not always the same one.

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/base/instant.h"
#include "cordon/js/guest_module.h"
#include "cordon/js/image.h"
#include "cordon/js/import_kind.h"
#include "cordon/js/loose_ends.h"
#include "cordon/js/outcome.h"
#include "cordon/js/stripped.h"
#include "cordon/js/value_wire.h"
#include "cordon/log.h"
#include "cordon/result.h"
#include "cordon/sandbox/instance.h"
#include "cordon/value.h"
#include "cordon/value/name_list.h"
#include "cordon/value_rule.h"

namespace cordon::js {

struct GuestLimits {
  std::uint64_t memory_bytes = std::uint64_t{64} << 20;
  std::uint32_t message_bytes = 64u << 20;
  std::uint32_t pending_calls = 10'000;
  WireLimits values;
};

// What a task asks of its host (guest/abi.h, enum Port).
struct PortCall {
  enum class Kind : std::uint8_t { read, close, stream, write, fail };
  Kind kind = Kind::read;
  std::uint64_t call = 0;  // for read and write: the call that the answer is for
  Value value = {};
  Bytes bytes = {};  // of write
};

// A module's name or specifier that is longer is not looked at. No file has a longer path.
inline constexpr std::size_t max_module_name_bytes = 4096;

// What a guest does while it runs. These functions are called on the guest's own small stack, in
// the middle of its work. So they only take notes; act on them when run() has returned.
class GuestEvents {
 public:
  // `bytes` is the size of the input in the message. The input is ErrorCode::memory_limit if the
  // host may not hold it for this guest.
  virtual void on_call(std::uint64_t call, std::uint32_t tool, Result<Value> input,
                       std::size_t bytes) = 0;
  // A call of a function of an open namespace, which has one number for all of them. `name` is
  // UTF-8 without control characters. Return false if there is no such namespace.
  virtual bool on_named_call(std::uint64_t, std::uint32_t, std::string, Result<Value>,
                             std::size_t) {
    return false;
  }
  // The functions of a namespace that has many, by its position among all of them: the guest asks
  // for a name when the program touches it. Null if there is no such namespace.
  virtual const NameList* functions_of(std::uint32_t) { return nullptr; }
  // Return false if this guest is not a task.
  virtual bool on_port(PortCall) { return false; }
  virtual void on_log(LogLevel level, std::string_view text) = 0;
  virtual void on_finish(Outcome outcome) = 0;
  // After on_finish, of a program that may go on: what it has left open, that it would miss what a
  // timer is to do, and an error that nobody handles.
  virtual void on_loose_ends(LooseEnds) {}
  virtual void on_open_timer() {}
  virtual void on_late_error(Thrown) {}
  virtual void on_ready(std::vector<std::string> functions) = 0;
  virtual void on_reply(std::uint64_t call, Outcome outcome) = 0;
  // Imports: the name that `specifier` means in `base`, and what is behind a name: JavaScript or
  // JSON, a text, or bytes. Return nothing if that takes a while: run() then returns `wants_module`
  // until you call Guest::give_module().
  virtual Result<std::string> resolve(std::string_view base, std::string_view specifier,
                                      ImportKind kind) = 0;
  virtual std::optional<Result<Stripped>> load(std::string_view name, ImportKind kind) = 0;

 protected:
  ~GuestEvents() = default;
};

struct Namespace {
  std::string name;
  NameList functions = {};
  // Any other name is a function too. All of these share one number, which follows those of the
  // functions.
  bool is_open = false;
  // Its functions take and give all kinds of Value, whatever the program's rule is.
  bool is_rich = false;

  std::size_t numbers() const { return functions.size() + (is_open ? 1 : 0); }
};

enum class Form {
  program,  // a script, one function, a body with `return`, or a module
  module,
  exports,  // a module whose exported functions are called later
  // A program, but only a lone function declaration or async arrow function is called, and
  // rejections may go unhandled.
  execbox,
};

struct Program {
  Form form = Form::program;
  std::string_view name;  // as it stands in stacks
  std::string_view source;
  Bytes runs = {};  // WrittenRuns of `source`, if it was made from another text
  std::uint32_t first_line = 1;
  ValueRule values = ValueRule::strict;
  // Functions are numbered in this order, through all of them.
  std::span<const Namespace> namespaces;
  const Value* input = nullptr;  // the global `input`
};

// What a task gets beside its arguments.
struct TaskRequest {
  ValueView method;
  ValueView url;
  ValueView headers;
  ValueView contexts;
  ValueView files;  // undefined, or an array with each file's place in the first argument
  bool has_body = false;
  bool is_event = false;
};

// A call of a function that the program exports.
struct Invocation {
  std::uint64_t call = 0;  // 0, after Resumed::starts: the call is the program
  std::string_view function;
  std::span<const Value> arguments;      // eight at most
  const TaskRequest* request = nullptr;  // of a task; then the call is 0
};

// The number of no function.
inline constexpr std::uint32_t no_tool = 0xFFFF'FFFF;

enum class GuestStep {
  idle,     // it waits: settle or invoke something, then run() again
  yielded,  // its slice is over
  // It is in the middle of an import, and not at rest: give_module(), then run() again.
  wants_module,
  ended,  // see end(); it never runs again
};

// Why a guest ended, as the host saw it.
enum class GuestEnd { none, memory_limit, stack_overflow, trap, violation };

class Guest {
 public:
  // Fails with ErrorCode::overloaded if the engine has no free slot. `events` must outlive the
  // guest. Pass the image here if you will resume() one that was captured to be shared.
  static Result<std::unique_ptr<Guest>> create(const GuestModule& module, const GuestLimits& limits,
                                               GuestEvents& events, const Image* from = nullptr);

  // Queues the program. Call it once.
  Result<> start(Program program);
  // The guest as an image. It must be at rest: run() has returned `idle`, and nothing is queued.
  Result<Image> capture() const;
  // The same, for an image from which many others will start.
  Result<Image> capture_to_share();
  // Instead of start(): resumes the guest that the image was taken of, or begins an execution from
  // it (then invoke the call 0). `values` and `namespaces` must be those of that guest, and `clock`
  // is steady_nanoseconds().
  enum class Resumed { goes_on, starts };
  Result<> resume(const Image& image, ValueRule values, std::span<const Namespace> namespaces,
                  Resumed how, std::int64_t clock);
  // Gives its sandbox back while it is at rest, and keeps its memory, packed. The guest cannot
  // tell. What you settle or invoke meanwhile waits. Fails if the guest is not at rest.
  Result<> hibernate();
  bool is_hibernated() const { return instance_ == nullptr; }
  std::size_t hibernating_bytes() const {
    return hibernated_.runs.size();
  }  // what it takes meanwhile
  // Call it before run(). Fails with ErrorCode::overloaded if no slot is free.
  Result<> restore();
  // Answers a call, `tool` being what was called. Fails with ErrorCode::serialization_error if the
  // value cannot enter, and with ErrorCode::memory_limit if the host may not hold it until the
  // guest takes it. Nothing is queued then.
  Result<> settle(std::uint64_t call, ValueView value, std::uint32_t tool = no_tool);
  // A failure is always queued, so check first that the budget has room for its text.
  void settle(std::uint64_t call, const Error& failure);
  // Calls a function that the program exports. Fails as settle() does, and with
  // ErrorCode::invalid_argument if there are too many arguments.
  Result<> invoke(const Invocation& invocation);
  // Answers a call with a Uint8Array. The bytes must not be empty.
  void feed(std::uint64_t call, Bytes bytes);
  void abort_task();
  // When run() has returned `idle`: how long until the next timer of the guest is due; call
  // run_timers() then. Do not trust the number: a guest may give any length, again and again.
  std::optional<Duration> timer_after() const { return timer_after_; }
  void run_timers();

  // The answer to a GuestEvents::load that returned nothing.
  void give_module(Result<Stripped> module) { module_answer_ = std::move(module); }

  // Runs until the guest waits, has ended, or its slice is over: at `until`, or at the tick after
  // `interrupt` became true.
  GuestStep run(Instant until, const std::atomic<bool>& interrupt);

  // The size of what was settled and invoked and waits until the guest takes it.
  std::size_t queued_bytes() const { return queued_bytes_; }

  GuestEnd end() const { return end_; }
  const std::string& end_text() const { return end_text_; }
  std::size_t memory_bytes() const;

 private:
  struct Message {
    std::uint32_t operation;
    Bytes bytes;
    Bytes rest = {};     // follows `bytes`
    Charge charge = {};  // while it waits
    std::size_t size() const { return bytes.size() + rest.size(); }
    void copy_to(std::span<std::uint8_t> room) const;
  };

  // A module's text, and its runs behind it.
  struct Staged {
    std::string text;
    Bytes rest;
    std::size_t size() const { return text.size() + rest.size(); }
  };

  Guest(const GuestModule& module, const GuestLimits& limits, GuestEvents& events);
  friend struct HostFunctions;

  Result<> check_at_rest() const;
  void queue(Message message);
  // The same, for a message that the guest's budget pays for.
  Result<> queue_charged(Message message);
  Result<> put_over_memory(const Image& image);
  void take_timer(std::uint32_t answer);
  bool begin_next();
  GuestStep ended(sandbox::Progress progress);
  sandbox::Proceed violate(std::string text);
  sandbox::Proceed on_emission(std::uint32_t kind, BytesView message);
  Result<> take_emission(std::uint32_t kind, BytesView message);
  // Reads the input of a call up to the message's end. An input past the budget is not a violation.
  Result<Result<Value>> take_input(Reader& in, std::uint32_t tool);
  Result<> take_call(Reader& in);
  Result<> take_named_call(Reader& in);
  Result<> take_port_call(std::uint64_t call, std::uint32_t port, Value value);
  Result<> take_ready(Reader& in);
  Result<> take_rest(std::uint32_t kind, Reader& in);

  void take_rule(ValueRule values, std::span<const Namespace> namespaces);
  bool is_rich(std::uint32_t tool) const;

  const GuestModule& module_;
  GuestLimits limits_;  // with those of values that come out
  WireLimits given_;    // those of values that go in
  // The numbers of functions of rich namespaces: from the first to before the second.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rich_;
  GuestEvents& events_;
  std::unique_ptr<sandbox::Instance> instance_;
  Image hibernated_;  // its runs are packed
  std::size_t hibernated_runs_bytes_ = 0;
  std::deque<Message> outgoing_;
  std::size_t queued_bytes_ = 0;
  bool reserving_ = false;  // the front message waits for room in the guest's memory
  bool finished_ = false;
  std::uint8_t told_rest_ = 0;  // of what comes after the end, by bits
  std::optional<Duration> timer_after_;
  std::optional<Bytes> emitted_bytes_;  // they belong to the next call
  // The memory of bytes that went in, reused for bytes that come out: a large allocation for each
  // piece costs more than copying it.
  Bytes spare_;
  Staged staged_;  // what the guest fetches next
  bool wants_module_ = false;
  std::optional<Result<Stripped>> module_answer_;
  GuestEnd end_ = GuestEnd::none;
  std::string end_text_;
};

}  // namespace cordon::js
