#include "cordon/server/operations_server.h"

#include <thread>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "cordon/server/http_service.h"
#include "cordon/server/shard_group.h"
#include "cordon/transport/listen_address.h"

namespace cordon::server {
namespace {

namespace asio = boost::asio;
namespace http = transport::http;

// Probes and scrapers are few.
constexpr std::size_t max_connections = 100;

struct Answer {
  unsigned status;
  std::string text;
};

}  // namespace

struct OperationsServer::State {
  std::function<std::string()> metrics;
  std::atomic<bool> is_ready = false;
  std::string url;
  ShardGroup group{ConnectionLimits{.max = max_connections}};
  std::thread thread;

  Answer answer(const http::RequestHead& head) const {
    const std::string path = head.target.substr(0, head.target.find('?'));
    if (head.method != "GET" && head.method != "HEAD") return {405, "method not allowed\n"};
    if (path == "/healthz") return {200, "ok\n"};
    if (path == "/readyz") return is_ready ? Answer{200, "ready\n"} : Answer{503, "not ready\n"};
    if (path == "/metrics") return {200, metrics()};
    return {404, "not found\n"};
  }

  asio::awaitable<void> handle(http::Exchange& exchange) const {
    Answer made = answer(exchange.head());
    http::ResponseHead head;
    head.status = made.status;
    head.headers.push_back({"content-type", "text/plain; version=0.0.4; charset=utf-8"});
    head.headers.push_back({"x-content-type-options", "nosniff"});
    head.headers.push_back({"cache-control", "no-store"});
    if (made.status == 405) head.headers.push_back({"allow", "GET, HEAD"});
    co_await exchange.respond(head, std::move(made.text));
  }
};

OperationsServer::OperationsServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<OperationsServer>> OperationsServer::create(
    const std::string& address, std::function<std::string()> metrics) {
  auto state = std::make_unique<State>();
  state->metrics = std::move(metrics);
  const transport::ListenAddress parsed = CORDON_TRY(transport::parse_http_address(address));
  State* const raw = state.get();
  // Answers are short, so the end does not wait for them.
  Shard& shard =
      state->group.add(CORDON_TRY(Shard::create({.drain_timeout = std::chrono::milliseconds(0)})));
  HttpService& service = shard.serve(std::make_unique<HttpService>(
      shard, http::HttpOptions{},
      [raw](http::Exchange& exchange) -> asio::awaitable<void> { return raw->handle(exchange); }));
  state->url = CORDON_TRY(state->group.listen(parsed, {&service.server()})).url(false);
  state->thread = std::thread([raw] { raw->group.run(); });
  return std::unique_ptr<OperationsServer>(new OperationsServer(std::move(state)));
}

OperationsServer::~OperationsServer() {
  state_->group.stop();
  state_->thread.join();
}

const std::string& OperationsServer::url() const { return state_->url; }

void OperationsServer::set_ready(bool is_ready) { state_->is_ready = is_ready; }

}  // namespace cordon::server
