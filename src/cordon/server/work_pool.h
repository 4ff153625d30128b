#pragma once

// Threads that do what takes long for a request: read a large body, ask for its patterns, check it,
// write a large answer. They serve no connections, so only the client of that request waits for it.

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "cordon/base/thread_annotations.h"

namespace cordon::server {

struct WorkPoolOptions {
  std::size_t threads = 2;
  std::size_t max_waiting = 256;
  std::size_t max_waiting_of_client = 128;
};

// Clients take turns, and where there are several threads one client never has all of them. The
// threads are made when they are first needed. Any thread may use it at any time.
class WorkPool {
 public:
  explicit WorkPool(const WorkPoolOptions& options = {}) : options_(options) {}
  // Waits for what runs; what waits is dropped.
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // Letting go of it takes the work back, unless it runs already. What it captured then goes with
  // the pool's next turn.
  class Ticket {
   public:
    explicit Ticket(std::shared_ptr<std::atomic<bool>> is_wanted)
        : is_wanted_(std::move(is_wanted)) {}
    Ticket(Ticket&&) noexcept = default;
    Ticket& operator=(Ticket&&) = delete;
    // The work is done, whatever becomes of this.
    void detach() { is_wanted_.reset(); }
    ~Ticket() {
      if (is_wanted_) is_wanted_->store(false, std::memory_order_relaxed);
    }

   private:
    std::shared_ptr<std::atomic<bool>> is_wanted_;
  };

  // Calls `work` by one of its threads and then `done`, if it is given, by that of the executor,
  // which must live as long as the pool. Nothing where too many wait.
  [[nodiscard]] std::optional<Ticket> submit(std::string_view client, std::function<void()> work,
                                             boost::asio::any_io_executor executor = {},
                                             std::function<void()> done = {});

 private:
  struct Job {
    std::shared_ptr<std::atomic<bool>> is_wanted;
    std::function<void()> work;
    boost::asio::any_io_executor executor;
    std::function<void()> done;
  };
  struct Client {
    std::deque<Job> waiting = {};
    std::size_t running = 0;
  };

  void run();
  void drop_unwanted() CORDON_REQUIRES(mutex_);
  bool may_run(const Client& client) const;
  // The client whose turn it is, which moves to the end of the row. Empty if no client waits.
  std::optional<std::string> next_client() CORDON_REQUIRES(mutex_);

  const WorkPoolOptions options_;
  Mutex mutex_;
  Condition news_;
  // Those that wait or run, and the row of those that wait, each once.
  std::unordered_map<std::string, Client> clients_ CORDON_GUARDED_BY(mutex_);
  std::deque<std::string> row_ CORDON_GUARDED_BY(mutex_);
  std::size_t waiting_ CORDON_GUARDED_BY(mutex_) = 0;
  bool is_ending_ CORDON_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_ CORDON_GUARDED_BY(mutex_);
};

}  // namespace cordon::server
