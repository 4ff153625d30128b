#pragma once

// Plugin: functions of a WebAssembly module, or of any program that speaks duplex-rpc on its
// standard streams, each in a process of its own.
//
//   Result<Plugin> plugin = Plugin::create({.wasm = "rank.wasm"});
//   Result<Value> ranks = plugin->call("rank", Value::array({3, 1, 2}));
//   if (!ranks) std::cerr << ranks.error() << '\n';
//
// A process that breaks the protocol, takes too long or ends is killed, its state is gone, every
// call that waits for it fails with the reason, and the next call gets a fresh one.
//
// Whoever waits for an answer moves the bytes: a call and its answer take no other thread. So a
// plugin that nobody waits for stands still, which is what holds back a stream that nobody reads. A
// coroutine does not wait; for calls that are awaited, or go on with `then`, each process of a
// plugin has a thread. A Plugin may be used by any number of threads at once.

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

// How a call fails (Error::code): `tool_error` where the function itself failed; `bad_frame`,
// `bad_version`, `bad_message`, `unauthorized_callback`, `unknown_id`, `timeout`, `exited` or
// `too_large` where the guest was ended; `io` where a stream failed; `type_mismatch` of a typed
// call; `unavailable` where no process could be started; `overloaded` where too many calls are
// under way; `invalid_argument` where the params cannot be sent, or are not what a schema asks for,
// and `validation_error` where the guest's result is not; `cancelled` after PluginCall::cancel. A
// stream that was not read for too long is `too_large`, and its process goes on.

// What is asked of a function, on its way in and out.
struct PluginFunction {
  std::optional<Value> params = {};  // JSON Schema, draft 2020-12
  std::optional<Value> result = {};
  std::optional<std::chrono::milliseconds> timeout = {};  // in the place of the plugin's
};

struct PluginOptions {
  std::string wasm = {};                           // a WASI module, run by `cordon guest`
  std::vector<std::string> command = {};           // or a program and its arguments
  std::string cordon = "cordon";                   // the program that runs the module
  std::optional<std::uint64_t> memory_bytes = {};  // of the module
  CompileLimits compile = {};

  std::size_t processes = 1;  // how many at once; calls go to the one with the fewest
  std::size_t spares = 0;     // how many more are kept ready
  std::chrono::milliseconds timeout{30'000};        // of a call, unless it says otherwise
  std::size_t frame_bytes = std::size_t{16} << 20;  // the largest message, either way

  // Of the guest's functions that something is asked of, by their names.
  std::map<std::string, PluginFunction, std::less<>> functions = {};

  // The functions that the guest may call, by their names. None beside them.
  std::optional<Provider> callbacks = {};
  // What is asked of them. A callback that is late, or called with other params, or that answers
  // otherwise, is an error for the guest; it may go on.
  std::map<std::string, PluginFunction, std::less<>> callback_functions = {};
  std::chrono::milliseconds callback_timeout{30'000};

  std::size_t calls = 10'000;  // under way at once; further ones are `overloaded`
  // Of a stream's chunks that came while others were waited for, and nobody has read.
  std::size_t unread_bytes = std::size_t{16} << 20;

  // A process is replaced after so many calls or bytes, once nothing waits for it.
  std::optional<std::uint64_t> recycle_calls = {};
  std::optional<std::uint64_t> recycle_bytes = {};

  // After a process that ended before its first answer the next one starts later, and later.
  std::chrono::milliseconds first_delay{20};
  std::chrono::milliseconds max_delay{5'000};

  // A process that works for nobody but callers who have cancelled is replaced after this.
  std::chrono::milliseconds cancel_grace{50};

  std::size_t error_bytes = std::size_t{64} << 10;  // of standard error that is kept, the last ones
  // Each line of it, 100 a second of one process, by the thread that waits for an answer. Do not
  // wait in it, nor call the plugin.
  std::function<void(std::string_view)> on_error_line = {};
};

struct PluginCallOptions {
  std::optional<std::chrono::milliseconds> timeout = {};
  // Callbacks by reference: a name for the function goes into this member of the params, and the
  // guest may call it until the call is answered.
  std::vector<std::pair<std::string, ToolFunction>> callbacks = {};
  // Streams to the guest: an id goes into this member of the params. Called for one chunk after the
  // other as there is room, by whoever waits; nothing ends the stream, an error fails it.
  std::vector<std::pair<std::string, std::function<Result<std::optional<Value>>()>>> streams = {};
};

struct PluginFigures {
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;  // all but tool_error and cancelled
  std::uint64_t starts = 0;    // processes, spares included
  std::uint64_t restarts = 0;  // in the place of one that was ended
  std::uint64_t recycled = 0;
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
};

// A call under way; use one of get, then or co_await, once.
//
//   Result<Value> ranks = co_await plugin.start("rank", params);
class CORDON_API PluginCall {
 public:
  // Waits for the answer.
  Result<Value> get();
  // Called once, by a thread of the plugin's, or at once where the answer is here.
  void then(std::move_only_function<void(Result<Value>)> done);
  // Any thread: nobody wants the answer any more, and the call is `cancelled` at once. What was not
  // sent yet never is. The protocol has no message that stops a function, so the guest works on,
  // for others too: only a process that works for nobody else is ended, if it does not answer soon
  // (PluginOptions::cancel_grace).
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
  // False where the answer is here already; `resume` is then untouched.
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
  // The next chunk; nothing at the end. Nothing is read from the guest between two of these, but
  // what comes while others wait for it.
  Result<std::optional<Value>> next();
  // What the function returned; waits for it.
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
  // Starts the spares. Fails where neither a module nor a command is given, or a schema is none.
  static Result<Plugin> create(PluginOptions options);
  ~Plugin();
  Plugin(Plugin&&) noexcept;
  Plugin& operator=(Plugin&&) noexcept;

  Result<Value> call(std::string_view function, const Value& params = {},
                     const PluginCallOptions& options = {});

  // With the result as one of the types of ValueView::as.
  template <class T>
  Result<T> call_as(std::string_view function, const Value& params = {},
                    const PluginCallOptions& options = {}) {
    const Result<Value> result = call(function, params, options);
    if (!result) return fail(result.error());
    return result->template as<T>();
  }

  // Sends the call and goes on; many may be under way at once.
  PluginCall start(std::string_view function, const Value& params = {},
                   const PluginCallOptions& options = {});

  // A call whose function sends a stream, whose id goes into the member `param` of params.
  PluginStream stream(std::string_view function, const Value& params, std::string_view param,
                      const PluginCallOptions& options = {});

  // A call without an answer.
  Result<> notify(std::string_view function, const Value& params = {});

  PluginFigures figures() const;
  // The last of what its processes wrote to standard error.
  std::string errors() const;

 private:
  explicit Plugin(std::shared_ptr<providers::PluginPool> pool);
  std::shared_ptr<providers::PluginPool> pool_;
};

}  // namespace cordon
