#include "cordon/server/operations_server.h"

#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "cordon/transport/http/http_listener.h"
#include "cordon/transport/http/http_server.h"
#include "cordon/transport/listen_address.h"
#include "cordon/transport/listening_socket.h"

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
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::function<std::string()> metrics;
  std::atomic<bool> is_ready = false;
  std::optional<transport::ListeningSocket> socket;
  std::string url;
  std::unique_ptr<http::HttpServer> server;
  std::unique_ptr<http::HttpListener> listener;
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
  state->socket.emplace(CORDON_TRY(transport::ListeningSocket::open(parsed)));
  state->url = state->socket->address().url(false);
  http::HttpOptions options;
  const ConnectionLimits limits{.max = max_connections};
  options.gate = std::make_shared<transport::ConnectionGate>(limits);
  State* const raw = state.get();
  state->server = std::make_unique<http::HttpServer>(
      state->io, std::move(options),
      [raw](http::Exchange& exchange) -> asio::awaitable<void> { return raw->handle(exchange); });
  state->listener = std::make_unique<http::HttpListener>(
      state->io, CORDON_TRY(state->socket->duplicate()), *state->server,
      std::vector<http::HttpServer*>{state->server.get()});
  state->thread = std::thread([raw] { raw->io.run(); });
  return std::unique_ptr<OperationsServer>(new OperationsServer(std::move(state)));
}

OperationsServer::~OperationsServer() {
  state_->work.reset();
  state_->io.stop();
  state_->thread.join();
  state_->listener.reset();
  state_->server.reset();
}

const std::string& OperationsServer::url() const { return state_->url; }

void OperationsServer::set_ready(bool is_ready) { state_->is_ready = is_ready; }

}  // namespace cordon::server
