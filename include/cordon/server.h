#pragma once

// Server: C++ functions as tasks and events of the Runner tunnel, over HTTP, for the clients of npm
// @bluelibs/runner and for curl.
//
//   Server server({.listen = {"127.0.0.1:7070"}, .tokens = {"secret"}});
//   server.task("app.tasks.add", [](Value input) -> Result<Value> {
//     return input["a"].value_or(0) + input["b"].value_or(0);
//   });
//   if (Result<> opened = server.open(); !opened) return std::cerr << opened.error() << '\n', 1;
//   server.run();
//
// docs/serve.md has the protocol. A task is called by one of the server's threads, which serves
// nothing else until it returns: what waits is a coroutine or answers later. Tasks of several
// requests run at the same time on several threads.

#include <chrono>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cordon/byte_source.h"
#include "cordon/bytes.h"
#include "cordon/export.h"
#include "cordon/result.h"
#include "cordon/task.h"
#include "cordon/task_call.h"
#include "cordon/value.h"

namespace cordon {

struct ServerOptions {
  std::vector<std::string> listen = {"127.0.0.1:7070"};  // HOST:PORT, [IPv6]:PORT or unix:PATH
  std::string base_path = "/__runner";
  std::vector<std::string> tokens = {};  // any of them lets in
  std::string token_header = "x-runner-token";
  bool allow_anonymous = false;            // counts where there are neither tokens nor validators
  std::vector<std::string> contexts = {};  // ids of asynchronous contexts that are restored
  std::uint64_t json_bytes = 2'097'152;
  std::uint64_t response_bytes = std::uint64_t{64} << 20;  // of an answer that is not streamed
  std::size_t memory_bytes = std::size_t{1} << 30;  // of all bodies, inputs and answers under way
  std::uint64_t file_bytes = 20'971'520;
  std::size_t files = 10;
  std::size_t fields = 100;
  std::uint64_t field_bytes = 1'048'576;
  std::optional<std::chrono::milliseconds> deadline = {};  // of a whole request
  std::size_t threads = 0;                                 // 0: as many as processors
  std::size_t connections = 20'000;
  // Of one client's address. 0: no limit. Unless given: a quarter of all, 64 at least, and any
  // number from loopback.
  std::optional<std::size_t> connections_per_address = {};
  std::string tls_certificate = {};  // PEM files; both or none
  std::string tls_key = {};
};

namespace detail {

CORDON_API TaskAnswer failed_answer(std::exception_ptr exception);
CORDON_API TaskAnswer answer_of(Result<Value> result);
inline TaskAnswer answer_of(TaskAnswer answer) { return answer; }

template <class T>
struct TaskResult {
  static constexpr bool is_coroutine = false;
};
template <class T>
struct TaskResult<Task<T>> {
  static constexpr bool is_coroutine = true;
};

template <class T>
concept Answer = std::convertible_to<T, Result<Value>> || std::same_as<T, TaskAnswer>;
template <class F>
concept ValueTask =
    std::invocable<const F&, Value> && Answer<std::invoke_result_t<const F&, Value>>;
template <class F>
concept CallTask =
    std::invocable<const F&, TaskCall&> && Answer<std::invoke_result_t<const F&, TaskCall&>>;
template <class F>
concept CoroutineTask = std::invocable<const F&, TaskCall&> &&
                        TaskResult<std::invoke_result_t<const F&, TaskCall&>>::is_coroutine;

template <class F>
TaskAnswer guarded_answer(F&& function) {
  try {
    return answer_of(std::forward<F>(function)());
  } catch (...) {
    return failed_answer(std::current_exception());
  }
}

// Keeps the function and the call until the coroutine has ended.
template <class F>
Task<TaskAnswer> run_task(std::shared_ptr<const F> function, TaskCall call) {
  auto result = co_await (*function)(call);
  co_return answer_of(std::move(result));
}

}  // namespace detail

// Waits for the next piece of a stream, in a coroutine of the thread that has it:
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

class CORDON_API Server {
 public:
  explicit Server(ServerOptions options = ServerOptions());
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Before open(); after it nothing changes. A task is a function of its input (Value) or of all of
  // the request (TaskCall&), and answers with a Result<Value>, or with a TaskAnswer where it may be
  // a stream or a typed error. Clients learn nothing of an Error or an exception but that the task
  // failed.
  template <detail::ValueTask F>
  Server& task(std::string_view id, F function) {
    return add_plain(id, [function = std::move(function)](Value input) {
      return detail::guarded_answer([&] { return function(std::move(input)); });
    });
  }
  template <detail::CallTask F>
    requires(!detail::ValueTask<F>)
  Server& task(std::string_view id, F function) {
    return add_async(id, [function = std::move(function)](TaskCall call, const Done& done) {
      done(detail::guarded_answer([&] { return function(call); }));
    });
  }
  // A coroutine: TaskCall& -> Task<Result<Value>> or Task<TaskAnswer>. The call lives as long as it
  // does. It may be resumed by any thread; streams are read and closed by the server's own.
  template <detail::CoroutineTask F>
  Server& task(std::string_view id, F function) {
    return add_async(
        id, [kept = std::make_shared<const F>(std::move(function))](TaskCall call, Done done) {
          detail::run_detached(detail::run_task(kept, std::move(call)), Finish{std::move(done)});
        });
  }
  // Answers through `done`, once, by any thread.
  using Done = std::function<void(TaskAnswer)>;
  Server& add_async(std::string_view id, std::function<void(TaskCall call, Done done)> function);

  // A function of the payload. What it returns takes the payload's place for clients that want it
  // back; undefined leaves it.
  enum class EventKind : std::uint8_t { ordinary, parallel };
  template <detail::ValueTask F>
  Server& event(std::string_view id, F function, EventKind kind = EventKind::ordinary) {
    return add_event(id, kind, [function = std::move(function)](Value payload) {
      return detail::guarded_answer([&] { return function(std::move(payload)); });
    });
  }

  // A task that decides whom to let in where the token did not: its input is
  // {headers, method, url, path}, and {ok: true} lets in. It cannot be called from outside.
  template <detail::ValueTask F>
  Server& validator(std::string_view id, F function) {
    task(id, std::move(function));
    return mark_validator(id);
  }

  // JSON Schema, draft 2020-12, of a task's input or an event's payload; what does not fit is
  // refused before the function sees it. open() fails where the schema is none.
  Server& input_schema(std::string_view id, Value schema);

  // Opens the sockets; clients can connect from here on.
  Result<> open();
  // With the ports that were chosen: "http://127.0.0.1:7070/__runner".
  std::vector<std::string> urls() const;
  // Serves until stop(), and until what is under way is done.
  void run();
  // Any thread, also from a task; after open().
  void stop();

 private:
  struct State;
  struct Finish {
    Done done;
    void operator()(TaskAnswer answer) { done(std::move(answer)); }
    void operator()(std::exception_ptr exception) {
      done(detail::failed_answer(std::move(exception)));
    }
  };
  Server& add_plain(std::string_view id, std::function<TaskAnswer(Value)> function);
  Server& add_event(std::string_view id, EventKind kind, std::function<TaskAnswer(Value)> function);
  Server& mark_validator(std::string_view id);

  std::unique_ptr<State> state_;
};

}  // namespace cordon
