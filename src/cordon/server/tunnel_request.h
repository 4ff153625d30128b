#pragma once

// One request to a tunnel, from its head to the end of its answer: reads, calls, waits and writes
// as a tunnel::ServerSession orders.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/base/budget.h"
#include "cordon/base/instant.h"
#include "cordon/protocol/tunnel/server_session.h"
#include "cordon/server/async_event.h"
#include "cordon/server/body_source.h"
#include "cordon/server/request_memory.h"
#include "cordon/server/request_work.h"
#include "cordon/server/tunnel_exposure.h"
#include "cordon/server/tunnel_upload.h"
#include "cordon/server/work_pool.h"
#include "cordon/task_call.h"
#include "cordon/transport/http/exchange.h"

namespace cordon::server {

// For logs and figures. Views live until the call returns.
struct RequestRecord {
  const transport::http::RequestHead& head;
  std::string_view request_id;
  std::string_view traceparent;
  std::string_view task;  // or event; may be empty
  unsigned status = 0;
  std::string_view code;  // of the envelope, where the answer is an error
  std::chrono::steady_clock::duration duration;
  std::string_view failure;  // what the client was not told
  std::string_view stack;
};

// What the requests of one thread share.
struct TunnelContext {
  boost::asio::any_io_executor executor;
  PayloadReader reader;
  WorkPool& pool;
  RequestMemory& memory;
  std::shared_ptr<const Exposure> exposure;
  std::function<void(const RequestRecord&)> on_request = {};
  std::mt19937_64 random = {};
};

class TunnelRequest {
 public:
  TunnelRequest(TunnelContext& context, transport::http::Exchange& exchange);
  ~TunnelRequest();
  TunnelRequest(const TunnelRequest&) = delete;
  TunnelRequest& operator=(const TunnelRequest&) = delete;

  boost::asio::awaitable<void> run();

 private:
  using Step = boost::asio::awaitable<void>;

  // What callbacks bring while a coroutine waits. They may come when the request is long over.
  struct Signals {
    explicit Signals(const boost::asio::any_io_executor& executor) : event(executor) {}
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

  // Each does what its order says and then sets the next one.
  Step follow(tunnel::AskValidator& ask);
  Step follow(tunnel::ReadBody&);
  Step follow(tunnel::ReadParts& read);
  Step follow(tunnel::ReadInput& read);
  Step follow(tunnel::Invoke& invoke);
  Step follow(tunnel::Call& call);
  Step follow(tunnel::AwaitParts&);
  Step follow(tunnel::WriteAnswer& write);
  Step follow(tunnel::ReadPiece&);
  Step follow(tunnel::StartStream& start);
  Step follow(tunnel::WritePiece&);
  Step follow(tunnel::Respond& respond);
  Step follow(tunnel::FinishStream&);
  Step follow(tunnel::Leave&);

  void take_body(const Result<BytesView>& piece);
  Step read_under_deadline();
  static Step read_for(std::shared_ptr<Signals> signals, transport::http::Exchange& exchange);
  std::shared_ptr<InputWork> input_work(const tunnel::ReadInput& read) const;
  // By a thread of the pool. False where the next order is set: it came to a refusal, or nobody
  // waits for it any more.
  boost::asio::awaitable<bool> finish_away(std::shared_ptr<RequestWork> work);
  bool take_refusal(const RequestWork& work);
  std::shared_ptr<Budget> memory_for(std::size_t bytes) const;
  TaskCall call_of(Value input, Value contexts, Value headers);
  Step call(TaskHandler& handler, TaskCall call);
  tunnel::Order answered(TaskAnswer answer);
  bool upload_is_refused() const;
  void close_streams();

  // Waits until `is_there()`, or the client is gone, or it is too late.
  template <class Condition>
  Step until(Condition is_there) {
    watch();
    while (!is_there() && !is_lost()) co_await signals_->event.wait();
  }
  bool is_lost() const { return signals_ && (signals_->client_is_gone || signals_->is_late); }
  bool client_is_gone() const;
  tunnel::Order lost();
  Signals& signals();
  void watch();
  void begin_deadline();

  TunnelContext& context_;
  transport::http::Exchange& exchange_;
  const std::shared_ptr<const Exposure> exposure_;
  const Instant began_;
  tunnel::ServerSession session_;
  tunnel::Order order_ = {};
  std::optional<Charge> body_charge_;  // of a body that is read whole
  std::shared_ptr<Signals> signals_;
  // Stops with the client's going and with the deadline, for tasks that need both.
  std::optional<std::stop_source> stop_;
  std::optional<std::stop_callback<std::function<void()>>> on_abort_;
  std::optional<boost::asio::steady_timer> deadline_;
  std::shared_ptr<BodySource> body_;
  std::shared_ptr<Upload> upload_;
  std::shared_ptr<ByteSource> result_;  // that is streamed
};

}  // namespace cordon::server
