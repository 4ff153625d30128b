#pragma once

// Coroutine<T>: the return type of coroutines, for tools and for code that awaits an execution.
//
//   Coroutine<Result<Value>> lookup(Value input) {
//     Report page = co_await engine.execute("fetchPage()", options);
//     co_return page.result;
//   }
//
// A coroutine starts when it is awaited or passed to start(). It runs on the thread that resumes
// it.

#include "cordon/needs_cxx23.h"

#include <coroutine>
#include <exception>
#include <future>
#include <optional>
#include <utility>

namespace cordon {

template <class T>
class [[nodiscard]] Coroutine {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  Coroutine(Coroutine&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Coroutine& operator=(Coroutine&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Coroutine() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) noexcept {
    handle_.promise().waiter = waiter;
    return handle_;
  }
  T await_resume() {
    promise_type& promise = handle_.promise();
    if (promise.exception) std::rethrow_exception(promise.exception);
    return *std::move(promise.value);
  }

 private:
  explicit Coroutine(Handle handle) : handle_(handle) {}
  Handle handle_;
};

template <class T>
struct Coroutine<T>::promise_type {
  std::optional<T> value;
  std::exception_ptr exception;
  std::coroutine_handle<> waiter = std::noop_coroutine();

  struct GoOn {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle finished) noexcept {
      return finished.promise().waiter;
    }
    void await_resume() const noexcept {}
  };

  Coroutine get_return_object() { return Coroutine(Handle::from_promise(*this)); }
  std::suspend_always initial_suspend() noexcept { return {}; }
  GoOn final_suspend() noexcept { return {}; }
  void return_value(T result) { value = std::move(result); }
  void unhandled_exception() { exception = std::current_exception(); }
};

namespace detail {

// A coroutine that is not awaited: it owns itself.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

template <class T, class Done>
Detached run_detached(Coroutine<T> task, Done done) {
  std::optional<T> result;
  try {
    result = co_await task;
  } catch (...) {
    done(std::current_exception());
    co_return;
  }
  done(*std::move(result));
}

}  // namespace detail

// Starts a coroutine that no other coroutine awaits.
template <class T>
std::future<T> start(Coroutine<T> task) {
  struct Done {
    std::promise<T> promise;
    void operator()(T result) { promise.set_value(std::move(result)); }
    void operator()(std::exception_ptr exception) { promise.set_exception(std::move(exception)); }
  };
  Done done;
  std::future<T> future = done.promise.get_future();
  detail::run_detached(std::move(task), std::move(done));
  return future;
}

}  // namespace cordon
