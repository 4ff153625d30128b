#pragma once

// Plugin: functions of a WebAssembly module, or of any program that speaks duplex-rpc on its
// standard streams, each in a process of its own.
//
//   Result<Plugin> plugin = Plugin::create({.wasm = "rank.wasm"});
//   Result<Value> ranks = plugin->call("rank", Value::array({3, 1, 2}));
//   if (!ranks) std::cerr << ranks.error() << '\n';
//
// A process that breaks the protocol or takes too long is killed. Its state is lost, every call
// that waits for it fails with the reason, and the next call gets a fresh process. The same holds
// for a process that ends.
//
// The thread that waits for an answer moves the bytes, so a call needs no other thread. A plugin
// stands still while no thread waits for it, and that is how a stream that is not read is held
// back. Coroutines do not wait. For calls that you await or continue with `then`, each process of a
// plugin has a thread. Any number of threads may use a Plugin at once.

#include "cordon/needs_cxx23.h"

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/export.h"
#include "cordon/limits.h"
#include "cordon/provider.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon {

namespace providers {
class PluginPool;
struct PluginPending;
}  // namespace providers

// How a call fails (Error::code):
//
// - tool_error: the function itself failed
// - bad_frame, bad_version, bad_message, unauthorized_callback, unknown_id: the process was ended
// - timeout, exited, too_large: the same
// - io: a stream failed
// - type_mismatch: the result of a typed call has another type
// - unavailable: no process could be started
// - overloaded: too many calls are under way
// - invalid_argument: the params cannot be sent, or do not match their schema
// - validation_error: the guest's result does not match its schema
// - cancelled: after PluginCall::cancel
//
// A stream that was not read for too long fails with too_large, and its process lives on.

// The schemas and the timeout of one function.
struct PluginFunction {
  std::optional<Value> params = {};  // JSON Schema, draft 2020-12
  std::optional<Value> result = {};
  std::optional<std::chrono::milliseconds> timeout = {};  // instead of the plugin's
};

struct PluginOptions {
  std::string wasm = {};                           // a WASI module, run by `cordon guest`
  std::vector<std::string> command = {};           // or a program and its arguments
  std::string cordon = "cordon";                   // the program that runs the module
  std::optional<std::uint64_t> memory_bytes = {};  // for the module
  CompileLimits compile = {};

  std::size_t processes = 1;  // how many at once; a call goes to the one with the fewest
  std::size_t spares = 0;     // how many more are kept ready
  std::chrono::milliseconds timeout{30'000};        // for a call that sets none
  std::size_t frame_bytes = std::size_t{16} << 20;  // the largest message in either direction

  // Schemas and timeouts for individual functions of the guest, keyed by function name.
  std::map<std::string, PluginFunction, std::less<>> functions = {};

  // The functions that the guest may call, by name, and no others.
  std::optional<Provider> callbacks = {};
  // Schemas and timeouts for individual callbacks. If a callback is late, or its params or its
  // result do not match, the guest gets an error and may continue.
  std::map<std::string, PluginFunction, std::less<>> callback_functions = {};
  std::chrono::milliseconds callback_timeout{30'000};

  std::size_t calls = 10'000;  // how many may be under way at once; further ones are `overloaded`
  // How much of a stream may wait unread. Chunks arrive while threads wait for other answers.
  std::size_t unread_bytes = std::size_t{16} << 20;

  // A process is replaced after this many calls or bytes, once nothing waits for it.
  std::optional<std::uint64_t> recycle_calls = {};
  std::optional<std::uint64_t> recycle_bytes = {};

  // If a process ends before its first answer, the next one starts after a delay, which grows.
  std::chrono::milliseconds first_delay{20};
  std::chrono::milliseconds max_delay{5'000};

  // A process that only works for calls that were cancelled is replaced after this time.
  std::chrono::milliseconds cancel_grace{50};

  std::size_t error_bytes = std::size_t{64}
                            << 10;  // how much of standard error is kept, from its end
  // Called for each line of standard error, at most 100 per second and process, on the thread that
  // waits for an answer. Do not wait in it, and do not call the plugin.
  std::function<void(std::string_view)> on_error_line = {};
};

struct PluginCallOptions {
  std::optional<std::chrono::milliseconds> timeout = {};
  // Callbacks by reference: this member of the params gets a name for the function, and the guest
  // may call it until the call is answered.
  std::vector<std::pair<std::string, ToolFunction>> callbacks = {};
  // Streams to the guest: this member of the params gets an id. The function is called for one
  // chunk after the other as there is room, on the thread that waits. Nothing ends the stream, and
  // an error fails it.
  std::vector<std::pair<std::string, std::function<Result<std::optional<Value>>()>>> streams = {};
};

struct PluginFigures {
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;  // other than tool_error and cancelled
  std::uint64_t starts = 0;    // processes, with spares
  std::uint64_t restarts = 0;  // processes that replaced one that was ended
  std::uint64_t recycled = 0;
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
};

// A call under way. Use one of get, then or co_await, once.
//
//   Result<Value> ranks = co_await plugin.start("rank", params);
class CORDON_API PluginCall {
 public:
  // Waits for the answer.
  Result<Value> get();
  // Calls `done` once, on a thread of the plugin, or at once if the answer is here.
  void then(std::move_only_function<void(Result<Value>)> done);
  // Ends the call at once with `cancelled`. Any thread may call it. What was not sent yet is never
  // sent. The protocol has no message that stops a function, so the guest works on. A process that
  // works for no other call is ended if it does not answer soon (PluginOptions::cancel_grace).
  void cancel();

  class Awaiter {
   public:
    explicit Awaiter(PluginCall& call) : call_(call) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiter) {
      std::move_only_function<void()> resume = waiter;
      return call_.resume_later(resume);
    }
    Result<Value> await_resume() { return call_.get(); }

   private:
    PluginCall& call_;
  };
  Awaiter operator co_await() { return Awaiter(*this); }

 private:
  friend class Plugin;
  friend class PluginStream;
  PluginCall(std::shared_ptr<providers::PluginPool> pool,
             std::shared_ptr<providers::PluginPending> pending);
  // False if the answer is here already; `resume` is then untouched.
  bool resume_later(std::move_only_function<void()>& resume);
  std::shared_ptr<providers::PluginPool> pool_;
  std::shared_ptr<providers::PluginPending> pending_;
};

// The chunks that a function sends.
//
//   PluginStream items = plugin->stream("listItems", params, "toolStreamId");
//   while (true) {
//     Result<std::optional<Value>> item = items.next();
//     if (!item || !*item) break;
//     std::cout << "item: " << (*item)->as_string() << '\n';
//   }
class CORDON_API PluginStream {
 public:
  // The next chunk, or nothing at the end. Between two of these calls the guest is only read if
  // other calls wait for it.
  Result<std::optional<Value>> next();
  // Waits for what the function returns.
  Result<Value> result();

  // The same for a coroutine: `auto item = co_await items.async_next();`
  class Awaiter {
   public:
    explicit Awaiter(PluginStream& stream) : stream_(stream) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiter) {
      std::move_only_function<void()> resume = waiter;
      return stream_.resume_later(resume);
    }
    Result<std::optional<Value>> await_resume() { return stream_.next(); }

   private:
    PluginStream& stream_;
  };
  Awaiter async_next() { return Awaiter(*this); }

 private:
  friend class Plugin;
  explicit PluginStream(PluginCall call) : call_(std::move(call)) {}
  bool resume_later(std::move_only_function<void()>& resume);
  PluginCall call_;
};

class CORDON_API Plugin {
 public:
  // Starts the spares. Fails if there is neither a module nor a command, or if a schema is invalid.
  static Result<Plugin> create(PluginOptions options);
  ~Plugin();
  Plugin(Plugin&&) noexcept;
  Plugin& operator=(Plugin&&) noexcept;

  Result<Value> call(std::string_view function, const Value& params = {},
                     const PluginCallOptions& options = {});

  // Converts the result to T, as ValueView::as does.
  template <class T>
  Result<T> call_as(std::string_view function, const Value& params = {},
                    const PluginCallOptions& options = {}) {
    const Result<Value> result = call(function, params, options);
    if (!result) return fail(result.error());
    return result->template as<T>();
  }

  // Sends the call and returns. Many calls may be under way at once.
  PluginCall start(std::string_view function, const Value& params = {},
                   const PluginCallOptions& options = {});

  // Calls a function that sends a stream. The member `param` of params gets the stream's id.
  PluginStream stream(std::string_view function, const Value& params, std::string_view param,
                      const PluginCallOptions& options = {});

  // A call without an answer.
  Result<> notify(std::string_view function, const Value& params = {});

  PluginFigures figures() const;
  // The end of what its processes wrote to standard error.
  std::string errors() const;

 private:
  explicit Plugin(std::shared_ptr<providers::PluginPool> pool);
  std::shared_ptr<providers::PluginPool> pool_;
};

}  // namespace cordon
