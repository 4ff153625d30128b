#pragma once

// One request to a tunnel, from its head to the end of its answer: reads, calls, waits and writes
// as a tunnel::ServerSession orders.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "cordon/base/budget.h"
#include "cordon/base/instant.h"
#include "cordon/execution.h"
#include "cordon/protocol/tunnel/server_session.h"
#include "cordon/server/body_source.h"
#include "cordon/server/request_memory.h"
#include "cordon/server/request_watch.h"
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
  const ExecutionError* error = nullptr;  // of a task that failed: its code, place, hint and call
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
  static Step read_for(std::shared_ptr<RequestSignals> signals,
                       transport::http::Exchange& exchange);
  std::shared_ptr<InputWork> input_work(const tunnel::ReadInput& read) const;
  // Finishes the work on a thread of the pool. False if the next order is set: the work ended in a
  // refusal, or the client is gone.
  boost::asio::awaitable<bool> finish_away(std::shared_ptr<RequestWork> work);
  bool take_refusal(const RequestWork& work);
  std::shared_ptr<Budget> memory_for(std::size_t bytes) const;
  TaskCall call_of(Value input, Value contexts, Value headers);
  Step call(TaskHandler& handler, TaskCall call);
  tunnel::Order answered(TaskAnswer answer);
  bool upload_is_refused() const;
  void close_streams();

  // For a client that is gone, or a deadline that has passed.
  tunnel::Order lost();

  TunnelContext& context_;
  transport::http::Exchange& exchange_;
  const std::shared_ptr<const Exposure> exposure_;
  const Instant began_;
  tunnel::ServerSession session_;
  tunnel::Order order_ = {};
  RequestWatch watch_;
  std::optional<Charge> body_charge_;  // of a body that is read whole
  std::shared_ptr<BodySource> body_;
  std::shared_ptr<Upload> upload_;
  std::shared_ptr<ByteSource> result_;     // that is streamed
  std::optional<ExecutionError> failure_;  // of the task, for the log
};

}  // namespace cordon::server
