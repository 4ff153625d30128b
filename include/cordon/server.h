#pragma once

// Server: serves C++ functions as tasks and events of the Runner tunnel over HTTP, to clients of
// npm @bluelibs/runner and to curl.
//
//   Server server({.listen = {"127.0.0.1:7070"}, .auth = {.tokens = {"secret"}}});
//   server.task("app.tasks.add", [](Value input) -> Result<Value> {
//     return input["a"].value_or(0) + input["b"].value_or(0);
//   });
//   if (Result<> opened = server.open(); !opened) return std::cerr << opened.error() << '\n', 1;
//   if (Result<> ran = server.run(); !ran) return std::cerr << ran.error() << '\n', 1;
//
// A task may be a script instead (Script). docs/serve.md describes the protocol. One of the
// server's threads calls a function and serves nothing else until it returns. A task that waits
// should be a coroutine, answer later, or be given to task_blocking. Tasks of several requests run
// at the same time on several threads.

#include "cordon/needs_cxx23.h"

#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/byte_source.h"
#include "cordon/bytes.h"
#include "cordon/coroutine.h"
#include "cordon/export.h"
#include "cordon/result.h"
#include "cordon/script.h"
#include "cordon/server_options.h"
#include "cordon/task_call.h"
#include "cordon/value.h"

namespace cordon {

namespace detail {

CORDON_API TaskAnswer failed_answer(std::exception_ptr exception);
CORDON_API TaskAnswer answer_of(Result<Value> result);

template <class T>
concept Answer = std::convertible_to<T, Result<Value>> || std::convertible_to<T, TaskAnswer>;

template <Answer T>
TaskAnswer to_answer(T answer) {
  if constexpr (!std::same_as<T, TaskAnswer> && std::convertible_to<T, Result<Value>>) {
    return answer_of(std::move(answer));
  } else {
    return TaskAnswer(std::move(answer));
  }
}

}  // namespace detail

// The right to answer one call, once, from any thread, now or later. A TaskReply that is dropped
// unused answers that the task failed. An answer to a client that has gone is ignored.
class CORDON_API TaskReply {
 public:
  // It gets nothing if the answer will never come.
  using Send = std::move_only_function<void(std::optional<TaskAnswer>)>;
  explicit TaskReply(Send send) : send_(std::move(send)) {}
  TaskReply(TaskReply&& other) noexcept : send_(std::exchange(other.send_, nullptr)) {}
  TaskReply& operator=(TaskReply&&) = delete;
  ~TaskReply();

  template <detail::Answer T>
  void operator()(T answer) {
    send(detail::to_answer(std::move(answer)));
  }

 private:
  void send(TaskAnswer answer);
  Send send_;
};

namespace detail {

// The form that tasks are converted to, except those that take their input and answer at once.
using AsyncTask = std::function<void(TaskCall call, TaskReply reply)>;

template <class T>
inline constexpr bool is_answer = Answer<T>;
template <class T>
inline constexpr bool is_coroutine = false;
template <class T>
inline constexpr bool is_coroutine<Coroutine<T>> = Answer<T>;

// Provider knows the same shapes as PlainTool and so on.
template <class F>
concept PlainTask =
    std::invocable<const F&, Value> && is_answer<std::invoke_result_t<const F&, Value>>;
template <class F>
concept StoppableTask = std::invocable<const F&, Value, std::stop_token> &&
                        is_answer<std::invoke_result_t<const F&, Value, std::stop_token>>;
template <class F>
concept CallTask =
    std::invocable<const F&, TaskCall&> && is_answer<std::invoke_result_t<const F&, TaskCall&>>;
template <class F>
concept PlainCoroutine =
    std::invocable<const F&, Value> && is_coroutine<std::invoke_result_t<const F&, Value>>;
template <class F>
concept CallCoroutine =
    std::invocable<const F&, TaskCall&> && is_coroutine<std::invoke_result_t<const F&, TaskCall&>>;
template <class F>
concept ReplyTask = std::is_invocable_r_v<void, const F&, TaskCall, TaskReply>;
template <class F>
concept AnyTask = PlainTask<F> || StoppableTask<F> || CallTask<F> || PlainCoroutine<F> ||
                  CallCoroutine<F> || ReplyTask<F>;

// False, with the forms of a task in the compiler's message, where F has none of them.
template <class F>
consteval bool has_form_of_task() {
  static_assert(AnyTask<F>,
                "a task, event or validator is a Script, or a function of one of these forms: "
                "Value -> answer; (Value, std::stop_token) -> answer; TaskCall& -> answer; Value "
                "-> Coroutine<answer>; TaskCall& -> Coroutine<answer>; (TaskCall, TaskReply) -> "
                "void. An answer is a Result<Value> or a TaskAnswer. The function is called as "
                "const: a lambda is not mutable.");
  return AnyTask<F>;
}

template <class F>
TaskAnswer guarded_answer(F&& function) {
  try {
    return to_answer(std::forward<F>(function)());
  } catch (...) {
    return failed_answer(std::current_exception());
  }
}

// Keeps the function and the call until the coroutine has ended.
template <class F>
Coroutine<TaskAnswer> run_coroutine(std::shared_ptr<const F> function, TaskCall call) {
  if constexpr (CallCoroutine<F>) {
    auto result = co_await (*function)(call);
    co_return to_answer(std::move(result));
  } else {
    Value input = std::move(call.input);
    auto result = co_await (*function)(std::move(input));
    co_return to_answer(std::move(result));
  }
}

struct CoroutineEnd {
  TaskReply reply;
  void operator()(TaskAnswer answer) { reply(std::move(answer)); }
  void operator()(std::exception_ptr exception) { reply(failed_answer(std::move(exception))); }
};

template <class F>
TaskAnswer call_once(const F& function, TaskCall& call) {
  return guarded_answer([&] {
    if constexpr (PlainTask<F>) {
      return function(std::move(call.input));
    } else if constexpr (StoppableTask<F>) {
      return function(std::move(call.input), call.aborted);
    } else {
      return function(call);
    }
  });
}

template <AnyTask F>
AsyncTask async_task(F function) {
  if constexpr (ReplyTask<F>) {
    return AsyncTask(std::move(function));
  } else if constexpr (PlainCoroutine<F> || CallCoroutine<F>) {
    return [kept = std::make_shared<const F>(std::move(function))](TaskCall call, TaskReply reply) {
      run_detached(run_coroutine(kept, std::move(call)), CoroutineEnd{std::move(reply)});
    };
  } else {
    return [function = std::move(function)](TaskCall call, TaskReply reply) {
      reply(call_once(function, call));
    };
  }
}

}  // namespace detail

// Waits for the next piece of a stream, in a coroutine on the stream's thread:
//
//   for (;;) {
//     Result<Bytes> piece = co_await next_piece(*call.body);
//     if (!piece || piece->empty()) break;
//     bytes += piece->size();
//   }
class NextPiece {
 public:
  explicit NextPiece(ByteSource& source) : source_(source) {}
  NextPiece(const NextPiece&) = delete;
  NextPiece& operator=(const NextPiece&) = delete;

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    source_.read([this, waiter](Result<Bytes> piece) {
      piece_ = std::move(piece);
      if (is_suspended_) waiter.resume();
    });
    is_suspended_ = !piece_.has_value();
    return is_suspended_;
  }
  Result<Bytes> await_resume() { return *std::move(piece_); }

 private:
  ByteSource& source_;
  std::optional<Result<Bytes>> piece_ = {};
  bool is_suspended_ = false;
};
inline NextPiece next_piece(ByteSource& source) { return NextPiece(source); }

// Misuse is an error. Registering something after open() throws std::logic_error, since only a
// mistake in the program can do that. open() and run() in the wrong order fail.
class CORDON_API Server {
 public:
  explicit Server(ServerOptions options = ServerOptions());
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Call it before open(). A task has one of these shapes, like a Provider's tool:
  //
  // Value -> answer, optionally with a std::stop_token after the Value, which stops when the client
  // goes away. Without it this is the quickest shape.
  //
  // TaskCall& -> answer: it sees the whole request.
  //
  // Value -> Coroutine<answer> or TaskCall& -> Coroutine<answer>: a coroutine. The call lives as
  // long as the coroutine. Any thread may resume it, but only the server's own thread may read and
  // close streams.
  //
  // (TaskCall, TaskReply) -> void: it answers through its reply, at any time.
  //
  // An answer is a Result<Value>, or a TaskAnswer if it may be a stream or a typed error. Of an
  // Error or an exception clients only learn that the task failed.
  template <class F>
  Server& task(std::string_view id, F function) {
    if constexpr (!detail::has_form_of_task<F>()) {
      return *this;
    } else if constexpr (detail::PlainTask<F>) {
      return add_plain(id, [function = std::move(function)](Value input) {
        return detail::guarded_answer([&] { return function(std::move(input)); });
      });
    } else {
      return add_task(id, detail::async_task(std::move(function)));
    }
  }

  // A function that may wait. It gets a thread of its own while it runs. There are up to 64 such
  // threads; further calls queue. Its shape is Value -> answer, optionally with a std::stop_token.
  template <class F>
  Server& task_blocking(std::string_view id, F function) {
    constexpr bool has_form = detail::PlainTask<F> || detail::StoppableTask<F>;
    static_assert(has_form,
                  "a task that may wait is a function of one of these forms: Value -> answer; "
                  "(Value, std::stop_token) -> answer. An answer is a Result<Value> or a "
                  "TaskAnswer. The function is called as const: a lambda is not mutable.");
    if constexpr (has_form) {
      return add_task(id, [run = runner(), kept = std::make_shared<const F>(std::move(function))](
                              TaskCall call, TaskReply reply) {
        run([kept, call = std::move(call), reply = std::move(reply)]() mutable {
          // The client went away while the call was queued.
          if (call.aborted.stop_requested()) return;
          reply(detail::call_once(*kept, call));
        });
      });
    } else {
      return *this;
    }
  }

  // A module of JavaScript or TypeScript, like the tasks of `cordon serve`. open() runs its top
  // level, and fails if it does not load.
  Server& task(std::string_view id, Script script);

  // A function of the payload, in any of the shapes of a task. Its result replaces the payload for
  // clients that want it back; undefined leaves the payload as it is.
  enum class EventKind : std::uint8_t { ordinary, parallel };
  template <class F>
  Server& event(std::string_view id, F function, EventKind kind = EventKind::ordinary) {
    if constexpr (!detail::has_form_of_task<F>()) {
      return *this;
    } else if constexpr (detail::PlainTask<F>) {
      return add_plain_event(id, kind, [function = std::move(function)](Value payload) {
        return detail::guarded_answer([&] { return function(std::move(payload)); });
      });
    } else {
      return add_event(id, kind, detail::async_task(std::move(function)));
    }
  }
  Server& event(std::string_view id, Script script, EventKind kind = EventKind::ordinary);

  // A task that decides whether to accept a request whose token was not accepted. Its input is
  // {headers, method, url, path}, and {ok: true} accepts. Clients cannot call it.
  template <class F>
  Server& validator(std::string_view id, F function) {
    task(id, std::move(function));
    return mark_validator(id);
  }

  // A JSON Schema, draft 2020-12, for a task's input or an event's payload. What does not match is
  // refused before the function sees it. open() fails if the schema is invalid.
  Server& input_schema(std::string_view id, Value schema);

  // Ids of the asynchronous contexts that a task or an event restores, instead of
  // ServerOptions::contexts.
  Server& contexts(std::string_view id, std::vector<std::string> ids);

  // Opens the sockets, so that clients can connect. Call it once; after a failure you may try
  // again.
  [[nodiscard]] Result<> open();
  // The URLs with their actual ports: "http://127.0.0.1:7070/__runner". Empty before open().
  std::vector<std::string> urls() const;
  // Serves until stop(), and then until running requests are done. Call it once, after open().
  [[nodiscard]] Result<> run();
  // Any thread may call it, also from a task, any number of times. Before open() it does nothing.
  // Between open() and run() it makes run() return at once.
  void stop();

 private:
  struct State;
  using PlainFunction = std::function<TaskAnswer(Value)>;
  using Runner = std::function<void(std::move_only_function<void()>)>;
  Server& add_plain(std::string_view id, PlainFunction function);
  Server& add_task(std::string_view id, detail::AsyncTask function);
  Server& add_plain_event(std::string_view id, EventKind kind, PlainFunction function);
  Server& add_event(std::string_view id, EventKind kind, detail::AsyncTask function);
  Server& mark_validator(std::string_view id);
  Runner runner();

  std::unique_ptr<State> state_;
};

}  // namespace cordon
