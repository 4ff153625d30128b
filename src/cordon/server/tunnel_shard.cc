#include "cordon/server/tunnel_shard.h"

#include <utility>

#include <boost/asio/post.hpp>

namespace cordon::server {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// How long guests compute between two looks at the sockets.
constexpr auto turn = 5ms;
// Events that are attended to before guests get their turn.
constexpr int max_events = 64;
// After the last connection was closed, for handlers to notice.
constexpr auto last_grace = 2s;

namespace http = transport::http;

asio::awaitable<void> serve(std::shared_ptr<TunnelContext> context, http::Exchange& exchange) {
  TunnelRequest request(*context, exchange);
  co_await request.run();
}

std::mt19937_64 seeded_random() {
  std::random_device device;
  std::seed_seq seeds{device(), device(), device(), device(),
                      device(), device(), device(), device()};
  return std::mt19937_64(seeds);
}

}  // namespace

TunnelShard::TunnelShard(const TunnelServerOptions& options, const PayloadReader& reader,
                         WorkPool& pool, RequestMemory& memory)
    : options_(options),
      io_(std::make_shared<asio::io_context>(1)),
      work_(io_->get_executor()),
      stop_timer_(*io_),
      context_(std::make_shared<TunnelContext>(TunnelContext{.executor = io_->get_executor(),
                                                             .reader = reader,
                                                             .pool = pool,
                                                             .memory = memory,
                                                             .exposure = nullptr,
                                                             .on_request = options.on_request,
                                                             .random = seeded_random()})) {}

Result<std::unique_ptr<TunnelShard>> TunnelShard::create(const TunnelServerOptions& options,
                                                         transport::http::HttpOptions http,
                                                         const PayloadReader& reader,
                                                         WorkPool& pool, RequestMemory& memory) {
  std::unique_ptr<TunnelShard> shard(new TunnelShard(options, reader, pool, memory));
  if (options.engine) {
    EngineOptions engine = *options.engine;
    engine.workers = 0;
    engine.slice = turn;
    engine.on_ready = [raw = shard.get()] { raw->wake(); };
    shard->engine_ = CORDON_TRY(Engine::create(engine));
  }
  auto handler = [context = shard->context_](http::Exchange& exchange) {
    return serve(context, exchange);
  };
  shard->http_ = std::make_unique<transport::http::HttpServer>(*shard->io_, std::move(http),
                                                               std::move(handler));
  return shard;
}

TunnelShard::~TunnelShard() {
  listeners_.clear();
  http_.reset();
}

void TunnelShard::listen(int descriptor, std::vector<transport::http::HttpServer*> all) {
  listeners_.push_back(
      std::make_unique<transport::http::HttpListener>(*io_, descriptor, *http_, std::move(all)));
}

void TunnelShard::run() {
  thread_ = std::this_thread::get_id();
  while (!is_stopped_ && !(is_stopping_ && http_->is_empty())) {
    Instant next = Instant::max();
    if (engine_) next = engine_->run_some(turn);
    std::size_t events = 0;
    if (next == Instant::max()) {
      events = io_->run_one();
    } else if (next > std::chrono::steady_clock::now()) {
      events = io_->run_one_until(next);
    } else {
      events = 1;
    }
    for (int i = 0; events > 0 && i < max_events; ++i) events = io_->poll_one();
  }
}

// Another thread has answered something that a guest waits for.
void TunnelShard::wake() {
  if (std::this_thread::get_id() == thread_.load(std::memory_order_relaxed)) return;
  if (is_woken_.exchange(true)) return;
  asio::post(*io_, [this] { is_woken_ = false; });
}

ShardContext TunnelShard::context() {
  return {engine_ ? &*engine_ : nullptr,
          [io = io_](std::function<void()> function) { asio::post(*io, std::move(function)); },
          &context_->pool};
}

void TunnelShard::expose(std::shared_ptr<const Exposure> exposure) {
  // Before the loop runs it is there at once.
  asio::post(*io_, [this, exposure = std::move(exposure)]() mutable {
    context_->exposure = std::move(exposure);
  });
}

void TunnelShard::replace_tls(std::shared_ptr<asio::ssl::context> tls) {
  asio::post(*io_, [this, tls = std::move(tls)]() mutable { http_->replace_tls(std::move(tls)); });
}

void TunnelShard::stop() {
  asio::post(*io_, [this] { begin_stop(); });
}

void TunnelShard::begin_stop() {
  if (std::exchange(is_stopping_, true)) return;
  listeners_.clear();
  http_->drain();
  stop_timer_.expires_after(options_.server.drain_timeout);
  stop_timer_.async_wait([this](const auto& error) {
    if (!error) close_connections();
  });
  // The loop sees that nothing is left only after an event; handlers that end bring none.
  const auto look = std::make_shared<std::function<void()>>();
  const auto timer = std::make_shared<asio::steady_timer>(*io_);
  *look = [this, timer, weak = std::weak_ptr(look)] {
    timer->expires_after(20ms);
    timer->async_wait([this, look = weak.lock()](const auto& error) {
      if (!error && look && !http_->is_empty()) (*look)();
    });
  };
  (*look)();
}

void TunnelShard::close_connections() {
  http_->close_all();
  stop_timer_.expires_after(last_grace);
  stop_timer_.async_wait([this](const auto& error) {
    if (!error) is_stopped_ = true;
  });
}

}  // namespace cordon::server
