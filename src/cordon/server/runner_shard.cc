#include "cordon/server/runner_shard.h"

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "cordon/server/runner_connection.h"

namespace cordon::server {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
constexpr auto awaiting = asio::as_tuple(asio::use_awaitable);

// How long guests compute between two looks at the sockets.
constexpr auto turn = 5ms;
// A guest that waits for its host this long is kept as what differs from a fresh one.
constexpr auto hibernate_after = 250ms;
// Connections taken at once, so that those that are there get their turn.
constexpr int max_accepted = 32;
// A thread keeps what it accepts unless another one has this many fewer.
constexpr std::size_t even_enough = 8;

Instant now() { return std::chrono::steady_clock::now(); }

std::chrono::milliseconds sweep_period(const RunnerServerOptions& options) {
  return std::clamp<std::chrono::milliseconds>(
      std::min(options.idle_timeout, options.stall_timeout) / 4, 10ms, 1000ms);
}

}  // namespace

Result<std::unique_ptr<RunnerShard>> RunnerShard::create(const RunnerServerOptions& options,
                                                         transport::ConnectionGate& gate,
                                                         asio::ssl::context* tls) {
  const std::size_t share = (options.executions + options.threads - 1) / options.threads;
  const std::size_t slack = options.threads > 1 ? 2 * even_enough : 0;
  Engine engine = CORDON_TRY(Engine::create({.workers = 0,
                                             .slots = share + slack,
                                             .queue = options.connections.max + slack,
                                             .slice = turn,
                                             .hibernate_after = hibernate_after}));
  return std::unique_ptr<RunnerShard>(new RunnerShard(std::move(engine), options, gate, tls));
}

RunnerShard::RunnerShard(Engine engine, const RunnerServerOptions& options,
                         transport::ConnectionGate& gate, asio::ssl::context* tls)
    : options_(options), gate_(gate), tls_(tls), engine_(std::move(engine)) {}

RunnerShard::~RunnerShard() {
  noted_.clear();
  while (!connections_.empty()) (*connections_.begin())->close();
}

void RunnerShard::listen(int descriptor, const ListenerRules& rules) {
  listeners_.push_back(std::make_unique<asio::posix::stream_descriptor>(io_, descriptor));
  asio::co_spawn(io_, accept(listeners_.back().get(), &rules), asio::detached);
}

void RunnerShard::run() {
  asio::co_spawn(io_, sweep(), asio::detached);
  while (!stopped_at_ || !connections_.empty()) {
    const Instant next = engine_.run_some(turn);
    attend_noted();
    // While guests compute, all messages that have come get their turn. Otherwise one at a time:
    // the guest that it is for goes on at once, and the kernel is asked less often.
    if (next <= now()) {
      io_.poll();
    } else if (next == Instant::max()) {
      io_.run_one();
    } else {
      io_.run_one_until(next);
    }
  }
}

// News.

void RunnerShard::note(const std::shared_ptr<RunnerConnection>& connection) {
  if (std::exchange(connection->is_noted, true)) return;
  noted_.push_back(connection);
}

void RunnerShard::attend_noted() {
  for (const auto& connection : std::exchange(noted_, {})) {
    connection->is_noted = false;
    connection->attend();
  }
}

void RunnerShard::forget(const std::shared_ptr<RunnerConnection>& connection) {
  if (connections_.erase(connection) > 0) load_.fetch_sub(1, std::memory_order_relaxed);
}

// Connections.

asio::awaitable<void> RunnerShard::accept(asio::posix::stream_descriptor* listener,
                                          const ListenerRules* rules) {
  while (!stopped_at_) {
    const auto [error] =
        co_await listener->async_wait(asio::posix::stream_descriptor::wait_read, awaiting);
    if (error) co_return;
    for (int i = 0; i < max_accepted; ++i) {
      const int descriptor =
          accept4(listener->native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (descriptor >= 0) {
        dispatch(descriptor, *rules);
        continue;
      }
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        // It stays ready to be accepted: wait until there is room for it.
        asio::steady_timer pause(io_, 50ms);
        const auto [ignored] = co_await pause.async_wait(awaiting);
        (void)ignored;
      }
      break;
    }
  }
}

void RunnerShard::dispatch(int descriptor, const ListenerRules& rules) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size);
  std::optional<transport::ConnectionGate::Pass> pass = gate_.admit(peer);
  if (!pass) {
    close(descriptor);
    return;
  }
  RunnerShard* const least =
      *std::ranges::min_element(all_, {}, [](const RunnerShard* shard) { return shard->load(); });
  RunnerShard* const keeper = least->load() + even_enough < load() ? least : this;
  keeper->load_.fetch_add(1, std::memory_order_relaxed);
  if (keeper == this) {
    start(descriptor, *std::move(pass), rules);
  } else {
    keeper->adopt(descriptor, *std::move(pass), rules);
  }
}

void RunnerShard::adopt(int descriptor, transport::ConnectionGate::Pass pass,
                        const ListenerRules& rules) {
  asio::post(io_, [this, descriptor, pass = std::move(pass), &rules]() mutable {
    start(descriptor, std::move(pass), rules);
  });
}

std::unique_ptr<transport::Wire> RunnerShard::wire_of(int descriptor, const ListenerRules& rules) {
  switch (rules.kind) {
    case transport::ListenAddress::Kind::unix_socket:
      return transport::make_unix_wire(io_, descriptor, scratch_);
    case transport::ListenAddress::Kind::tcp:
      if (tls_ != nullptr) return transport::make_tls_wire(io_, descriptor, *tls_);
      return transport::make_tcp_wire(io_, descriptor, scratch_);
    case transport::ListenAddress::Kind::websocket:
      return transport::make_websocket_wire(io_, descriptor, tls_, rules.websocket);
  }
  std::unreachable();
}

void RunnerShard::start(int descriptor, transport::ConnectionGate::Pass pass,
                        const ListenerRules& rules) {
  if (stopped_at_) {
    close(descriptor);
    load_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  auto connection =
      std::make_shared<RunnerConnection>(*this, std::move(pass), wire_of(descriptor, rules));
  connections_.insert(connection);
  connection->begin();
}

// Time.

asio::awaitable<void> RunnerShard::sweep() {
  for (;;) {
    sweep_timer_.expires_after(stopped_at_ ? std::chrono::milliseconds(20)
                                           : sweep_period(options_));
    const auto [ignored] = co_await sweep_timer_.async_wait(awaiting);
    (void)ignored;
    const Instant at = now();
    // A copy: a connection that is closed leaves the set.
    const std::vector<std::shared_ptr<RunnerConnection>> all(connections_.begin(),
                                                             connections_.end());
    for (const auto& connection : all) connection->check(at);
    if (!stopped_at_) continue;
    const bool grace_is_over = at - *stopped_at_ >= options_.grace;
    const bool all_is_over = at - *stopped_at_ >= options_.grace + 1s;
    for (const auto& connection : all) {
      if (all_is_over) {
        connection->close();
      } else if (grace_is_over) {
        connection->end_now();
      }
    }
  }
}

void RunnerShard::stop() {
  asio::post(io_, [this] { begin_stop(); });
}

void RunnerShard::begin_stop() {
  if (stopped_at_) return;
  stopped_at_ = now();
  for (const auto& listener : listeners_) {
    boost::system::error_code ignored;
    (void)listener->close(ignored);
  }
  const std::vector<std::shared_ptr<RunnerConnection>> all(connections_.begin(),
                                                           connections_.end());
  for (const auto& connection : all) connection->end_if_idle();
  sweep_timer_.cancel();
}

}  // namespace cordon::server
