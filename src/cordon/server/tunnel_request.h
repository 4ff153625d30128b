#pragma once

// One request to a tunnel, from its head to the end of its answer.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/base/budget.h"
#include "cordon/base/instant.h"
#include "cordon/protocol/tunnel/refusal.h"
#include "cordon/protocol/tunnel/route.h"
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

  struct Body {
    std::string text = {};
    Charge charge = {};
  };

  // What callbacks bring while a coroutine waits. They may come when the request is long over.
  struct Signals {
    explicit Signals(const boost::asio::any_io_executor& executor) : event(executor) {}
    AsyncEvent event;
    std::optional<TaskAnswer> answer = {};
    std::optional<Result<Bytes>> piece = {};
    std::optional<Result<Body>> body = {};
    bool is_worked = false;     // by a thread of the pool
    Charge answer_charge = {};  // of a large one, until it is sent
    bool client_is_gone = false;
    bool is_late = false;  // the server's deadline has passed
    bool is_over = false;
  };

  // A header of the request; empty if there is none.
  std::string_view header(std::string_view name) const;
  // Null too where it is repeated: neither can be told to be the right one.
  const std::string* only_header(std::string_view name) const;

  // The order of checks: method, auth, allow-list, body.
  Step preflight();
  Step check_then_serve(tunnel::Route route);
  boost::asio::awaitable<bool> ask_validators();
  Step discover();

  // Modes.
  Step serve_json(const Exposure::Entry& entry);
  Step serve_event(const Exposure::Entry& entry);
  Step serve_octets(const Exposure::Entry& entry);
  Step serve_multipart(const Exposure::Entry& entry);

  // Nothing if the request was answered already, or if its client is gone.
  boost::asio::awaitable<std::optional<Body>> read_whole();
  static boost::asio::awaitable<Result<Body>> collect(transport::http::Exchange& exchange,
                                                      std::uint64_t limit,
                                                      std::shared_ptr<Budget> memory);
  static Step collect_for(std::shared_ptr<Signals> signals, transport::http::Exchange& exchange,
                          std::uint64_t limit, std::shared_ptr<Budget> memory);
  // The work that reads and checks an input, for a body of this size. It is tried here at once, so
  // that a small body needs no more.
  std::shared_ptr<InputWork> input_work(const Exposure::Entry& entry, std::size_t bytes) const;
  std::shared_ptr<InputWork> begin_input(const Exposure::Entry& entry, InputWork::Form form,
                                         Body body) const;
  void add_contexts(InputWork& work) const;
  // By a thread of the pool, unless it is done; then answers, if it came to a refusal. False if the
  // request was answered, or if its client is gone.
  boost::asio::awaitable<bool> complete(std::shared_ptr<RequestWork> work);
  std::shared_ptr<Budget> memory_for(std::size_t bytes) const;
  boost::asio::awaitable<std::optional<TaskAnswer>> call(TaskHandler& handler, TaskCall call);
  TaskCall call_of(Value input, Value contexts);
  Value headers_value();

  // Answers.
  Step conclude(TaskAnswer answer);
  static void conclude_unused(TaskAnswer& answer);
  Step conclude_at_length(unsigned status, std::variant<Value, TypedError> answer);
  Step stream(StreamedResult result);
  Step refuse(tunnel::Refusal refusal);
  // For a client that is gone, or a deadline that has passed.
  Step give_up();
  void note_client_went();
  Step respond(unsigned status, std::string body);
  transport::http::ResponseHead response_head(unsigned status, std::string_view content_type) const;

  // Waits until `is_there()`, or the client is gone, or it is too late.
  template <class Condition>
  Step until(Condition is_there) {
    watch();
    while (!is_there() && !is_lost()) co_await signals_->event.wait();
  }
  bool is_lost() const { return signals_ && (signals_->client_is_gone || signals_->is_late); }
  Signals& signals();
  void watch();
  void begin_deadline();
  std::stop_token stop_token();

  TunnelContext& context_;
  transport::http::Exchange& exchange_;
  const std::shared_ptr<const Exposure> exposure_;
  const transport::http::RequestHead& head_;
  const Instant began_;
  std::string request_id_;
  std::string traceparent_;
  std::string task_;
  unsigned status_ = 0;
  std::string_view code_;
  std::string failure_;
  std::string stack_;
  std::optional<Value> headers_;
  std::shared_ptr<Signals> signals_;
  // Stops with the client's going and with the deadline, for tasks that need both.
  std::optional<std::stop_source> stop_;
  std::optional<std::stop_callback<std::function<void()>>> on_abort_;
  std::optional<boost::asio::steady_timer> deadline_;
  std::shared_ptr<BodySource> body_;
  std::shared_ptr<Upload> upload_;
};

}  // namespace cordon::server
