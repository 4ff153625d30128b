#pragma once

// Plugin: functions of a WebAssembly module, or of any program that speaks duplex-rpc on its
// standard streams, each in a process of its own.
//
//   Result<Plugin> plugin = Plugin::create({.wasm = "rank.wasm"});
//   PluginResult<Value> ranks = plugin->call("rank", Value::array({3, 1, 2}));
//   if (!ranks) std::cerr << ranks.error().code << ": " << ranks.error().message << "\n";
//
// A process that breaks the protocol, takes too long or ends is killed, its state is gone, every
// call that waits for it fails with the reason, and the next call gets a fresh one.
//
// Whoever waits for an answer moves the bytes: a call and its answer take no other thread. So a
// plugin that nobody waits for stands still, which is what holds back a stream that nobody reads. A
// Plugin may be used by any number of threads at once.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/export.h"
#include "cordon/provider.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon {

namespace providers {
class PluginPool;
struct PluginPending;
}  // namespace providers

// A failure's code is `function_error` where the function itself failed; `bad_frame`,
// `bad_version`, `bad_message`, `unauthorized_callback`, `unknown_id`, `timeout`, `exited` or
// `too_large` where the guest was ended; `stream_error`; `type_mismatch` of a typed call;
// `unavailable` where no process could be started; `invalid_params` where they cannot be sent.
template <class T>
using PluginResult = std::expected<T, ToolFailure>;

struct PluginOptions {
  std::string wasm = {};                           // a WASI module, run by `cordon guest`
  std::vector<std::string> command = {};           // or a program and its arguments
  std::string cordon = "cordon";                   // the program that runs the module
  std::optional<std::uint64_t> memory_bytes = {};  // of the module

  std::size_t processes = 1;  // how many at once; calls go to the one with the fewest
  std::size_t spares = 0;     // how many more are kept ready
  std::chrono::milliseconds timeout{30'000};  // of a call, unless it says otherwise
  std::size_t frame_bytes = std::size_t{64} << 20;

  // The functions that the guest may call, by their names. None beside them.
  std::optional<Provider> callbacks = {};

  // A process is replaced after so many calls or bytes, once nothing waits for it.
  std::optional<std::uint64_t> recycle_calls = {};
  std::optional<std::uint64_t> recycle_bytes = {};

  // After a process that ended before its first answer the next one starts later, and later.
  std::chrono::milliseconds first_delay{20};
  std::chrono::milliseconds longest_delay{5'000};

  std::size_t error_bytes = std::size_t{64} << 10;  // of standard error that is kept, the last ones
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
  std::uint64_t failures = 0;  // all but function_error
  std::uint64_t starts = 0;    // processes, spares included
  std::uint64_t restarts = 0;  // in the place of one that was ended
  std::uint64_t recycled = 0;
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
};

// A call under way.
class CORDON_API PluginCall {
 public:
  // Waits for the answer, once.
  PluginResult<Value> get();

 private:
  friend class Plugin;
  friend class PluginStream;
  PluginCall(std::shared_ptr<providers::PluginPool> pool,
             std::shared_ptr<providers::PluginPending> pending);
  std::shared_ptr<providers::PluginPool> pool_;
  std::shared_ptr<providers::PluginPending> pending_;
};

// The chunks that a function sends.
//
//   PluginStream items = plugin->stream("listItems", params, "toolStreamId");
//   while (true) {
//     PluginResult<std::optional<Value>> item = items.next();
//     if (!item || !*item) break;
//     std::cout << "item: " << (*item)->as_string() << '\n';
//   }
class CORDON_API PluginStream {
 public:
  // The next chunk; nothing at the end. Nothing is read from the guest between two of these.
  PluginResult<std::optional<Value>> next();
  // What the function returned; waits for it.
  PluginResult<Value> result();

 private:
  friend class Plugin;
  explicit PluginStream(PluginCall call) : call_(std::move(call)) {}
  PluginCall call_;
};

class CORDON_API Plugin {
 public:
  // Starts the spares. Fails where neither a module nor a command is given.
  static Result<Plugin> create(PluginOptions options);
  ~Plugin();
  Plugin(Plugin&&) noexcept;
  Plugin& operator=(Plugin&&) noexcept;

  PluginResult<Value> call(std::string_view function, const Value& params = {},
                           const PluginCallOptions& options = {});

  // With the result as one of the types of ValueView::as.
  template <class T>
  PluginResult<T> call_as(std::string_view function, const Value& params = {},
                          const PluginCallOptions& options = {}) {
    PluginResult<Value> value = call(function, params, options);
    if (!value) return std::unexpected(std::move(value).error());
    Result<T> converted = value->template as<T>();
    if (!converted) {
      return std::unexpected(ToolFailure{"type_mismatch", std::move(converted).error().detail});
    }
    return *std::move(converted);
  }

  // Sends the call and goes on; many may be under way at once.
  PluginCall start(std::string_view function, const Value& params = {},
                   const PluginCallOptions& options = {});

  // A call whose function sends a stream, whose id goes into the member `param` of params.
  PluginStream stream(std::string_view function, const Value& params, std::string_view param,
                      const PluginCallOptions& options = {});

  // A call without an answer.
  PluginResult<void> notify(std::string_view function, const Value& params = {});

  PluginFigures figures() const;
  // The last of what its processes wrote to standard error.
  std::string errors() const;

 private:
  explicit Plugin(std::shared_ptr<providers::PluginPool> pool);
  std::shared_ptr<providers::PluginPool> pool_;
};

}  // namespace cordon
