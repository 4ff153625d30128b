#pragma once

// One thread of a server: an event loop, the service whose connections it has, and an engine whose
// guests run on it in slices, between the messages. So a message is read, its guest runs, and the
// answer is written without another thread having to wake up.
//
//   auto shard = CORDON_TRY(Shard::create({.engine = EngineOptions()}));
//   auto& service = shard->serve(std::make_unique<MyService>(*shard));
//   shard->accept(*socket.duplicate(), gate, {.own = service, .all = {&service}});
//   shard->run();  // until another thread calls stop()

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/base/instant.h"
#include "cordon/engine.h"
#include "cordon/result.h"
#include "cordon/server/service.h"
#include "cordon/transport/acceptor.h"

namespace cordon::server {

struct ShardOptions {
  // Nothing: there are no guests. Workers, slice and on_ready are the shard's own.
  std::optional<EngineOptions> engine = {};
  // After stop(): for what is under way.
  std::chrono::milliseconds drain_timeout{10'000};
  // Events that are attended to before guests get their turn: while none of them computes, and
  // while some do.
  std::size_t max_events_at_rest = 64;
  std::size_t max_events_in_work = 64;
};

// Everything on the thread that calls run(), and before run() on the one that makes it, but for
// what says otherwise.
class Shard {
 public:
  static Result<std::unique_ptr<Shard>> create(ShardOptions options);
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  // Before run(), once.
  template <class MyService>
  MyService& serve(std::unique_ptr<MyService> service) {
    MyService& lent = *service;
    service_ = std::move(service);
    return lent;
  }
  // Before run(), any number of times.
  void accept(Descriptor listener, transport::ConnectionGate& gate, transport::Balance balance);
  // Until stop() was called and the service is empty, or until the time for that is over.
  void run();

  // Any thread, any number of times.
  void stop();
  // Any thread. Shared with those who answer from other threads, perhaps late.
  const std::shared_ptr<boost::asio::io_context>& io() const { return io_; }
  // Any thread. Null: there are no guests.
  Engine* engine() { return engine_ ? &*engine_ : nullptr; }
  bool is_stopping() const { return is_stopping_; }

 private:
  explicit Shard(ShardOptions options);
  bool is_over() const { return is_given_up_ || (is_stopping_ && service_->is_empty()); }
  void attend_to_events(Instant next_turn);
  void wake();
  void begin_stop();
  void look_after_stop();

  const ShardOptions options_;
  const std::shared_ptr<boost::asio::io_context> io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer stop_timer_;
  // It goes before the loop: what it calls at its end may still post to it.
  std::optional<Engine> engine_;
  std::unique_ptr<Service> service_;
  std::vector<std::unique_ptr<transport::Acceptor>> acceptors_;
  std::atomic<std::thread::id> thread_ = {};
  std::atomic<bool> is_woken_ = false;
  bool is_stopping_ = false;
  bool is_closing_ = false;   // the service was told to close all
  bool is_given_up_ = false;  // whatever is left
  Instant close_at_{};
};

}  // namespace cordon::server
