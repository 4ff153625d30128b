#include "cordon/server/shard.h"

#include <boost/asio/post.hpp>

#include "cordon/server/turn.h"

namespace cordon::server {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// After the service was told to close all, for those who still have to notice.
constexpr auto last_grace = 2s;
// While the server stops. Connections that end bring no event of the loop's own, which would let
// it see that nothing is left.
constexpr auto look_period = 20ms;

Instant now() { return std::chrono::steady_clock::now(); }

}  // namespace

Shard::Shard(ShardOptions options)
    : options_(std::move(options)),
      io_(std::make_shared<asio::io_context>(1)),
      work_(io_->get_executor()),
      stop_timer_(*io_) {}

Result<std::unique_ptr<Shard>> Shard::create(ShardOptions options) {
  std::unique_ptr<Shard> shard(new Shard(std::move(options)));
  if (shard->options_.engine) {
    EngineOptions engine = *shard->options_.engine;
    engine.workers = 0;
    engine.slice = turn;
    engine.on_ready = [raw = shard.get()] { raw->wake(); };
    shard->engine_ = CORDON_TRY(Engine::create(engine));
  }
  return shard;
}

// Acceptors refer to the service, and the service to the engine and the loop.
Shard::~Shard() {
  acceptors_.clear();
  service_.reset();
}

void Shard::accept(Descriptor listener, transport::ConnectionGate& gate,
                   transport::Balance balance) {
  acceptors_.push_back(
      std::make_unique<transport::Acceptor>(*io_, std::move(listener), gate, std::move(balance)));
}

void Shard::run() {
  thread_ = std::this_thread::get_id();
  while (!is_over()) {
    const Instant next_turn = engine_ ? engine_->run_some(turn) : Instant::max();
    service_->attend();
    attend_to_events(next_turn);
  }
}

// While guests compute, the events that have come get their turn, and the thread does not wait for
// more. Otherwise the thread waits for one, or until a guest wants to run again.
void Shard::attend_to_events(Instant next_turn) {
  std::size_t left = options_.max_events_in_work;
  if (next_turn == Instant::max() || next_turn > now()) {
    const std::size_t attended =
        next_turn == Instant::max() ? io_->run_one() : io_->run_one_until(next_turn);
    if (attended == 0) return;
    left = options_.max_events_at_rest - 1;
  }
  while (left > 0 && io_->poll_one() > 0) --left;
}

// A guest has an answer. If it came from another thread, this one may be waiting for an event, so
// it gets one. One is enough for any number of answers.
void Shard::wake() {
  if (std::this_thread::get_id() == thread_.load(std::memory_order_relaxed)) return;
  if (is_woken_.exchange(true)) return;
  asio::post(*io_, [this] { is_woken_ = false; });
}

// The end.

void Shard::stop() {
  asio::post(*io_, [this] { begin_stop(); });
}

void Shard::begin_stop() {
  if (std::exchange(is_stopping_, true)) return;
  acceptors_.clear();
  close_at_ = now() + options_.drain_timeout;
  service_->drain();
  look_after_stop();
}

void Shard::look_after_stop() {
  const Instant at = now();
  if (at >= close_at_ && !std::exchange(is_closing_, true)) service_->close_all();
  if (at >= close_at_ + last_grace) {
    is_given_up_ = true;
    return;
  }
  stop_timer_.expires_after(look_period);
  stop_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) look_after_stop();
  });
}

}  // namespace cordon::server
