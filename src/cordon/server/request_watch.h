#pragma once

// What a request waits for beside its own work: callbacks of its task, its client, which may go,
// and the server's deadline, which may pass.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/base/budget.h"
#include "cordon/bytes.h"
#include "cordon/result.h"
#include "cordon/server/async_event.h"
#include "cordon/task_call.h"
#include "cordon/transport/http/exchange.h"

namespace cordon::server {

// What callbacks bring while a coroutine waits. They may come when the request is long over.
struct RequestSignals {
  explicit RequestSignals(const boost::asio::any_io_executor& executor) : event(executor) {}

  AsyncEvent event;
  std::optional<TaskAnswer> answer = {};
  std::optional<Result<BytesView>> body = {};  // what was read of it, under a deadline
  std::optional<Result<Bytes>> piece = {};     // of a result that is streamed
  bool is_worked = false;                      // by a thread of the pool
  Charge answer_charge = {};                   // of a large one, until it is sent
  bool client_is_gone = false;
  bool is_late = false;  // the server's deadline has passed
  bool is_over = false;
};

// One thread. Most requests are answered at once and need nothing of it, so that it makes nothing
// before it is asked to.
class RequestWatch {
 public:
  // Borrows the exchange.
  RequestWatch(boost::asio::any_io_executor executor, transport::http::Exchange& exchange)
      : executor_(std::move(executor)), exchange_(exchange) {}
  ~RequestWatch() { end(); }
  RequestWatch(const RequestWatch&) = delete;
  RequestWatch& operator=(const RequestWatch&) = delete;

  // The request is over: what callbacks still bring is dropped, and its task is stopped.
  void end();

  const std::shared_ptr<RequestSignals>& signals();
  void begin_deadline(std::chrono::milliseconds within);
  bool has_deadline() const { return deadline_.has_value(); }

  // Waits until `is_there()`, or the client is gone, or it is too late.
  template <class Condition>
  boost::asio::awaitable<void> until(Condition is_there) {
    begin();
    while (!is_there() && !is_lost()) co_await signals_->event.wait();
  }
  bool is_lost() const { return signals_ && (signals_->client_is_gone || signals_->is_late); }
  // Noticed without having waited, too.
  bool client_is_gone() const;
  bool is_late() const { return signals_ && signals_->is_late; }

  // For a task. It stops with the client's going, with the deadline, and, once there is a stop of
  // the request's own, with the request's end.
  std::stop_token stop_token();
  void make_stop();
  void request_stop();

 private:
  void begin();

  const boost::asio::any_io_executor executor_;
  transport::http::Exchange& exchange_;
  std::shared_ptr<RequestSignals> signals_;
  std::optional<std::stop_source> stop_;
  std::optional<std::stop_callback<std::function<void()>>> on_abort_;
  std::optional<boost::asio::steady_timer> deadline_;
};

// Closes a result that is not waited for.
void close_unused(TaskAnswer& answer);

}  // namespace cordon::server
