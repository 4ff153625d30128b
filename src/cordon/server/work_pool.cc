#include "cordon/server/work_pool.h"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

namespace cordon::server {

WorkPool::~WorkPool() {
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
  }
  news_.notify_all();
  threads_.clear();
}

std::optional<WorkPool::Ticket> WorkPool::submit(std::string_view client,
                                                 std::function<void()> work,
                                                 boost::asio::any_io_executor executor,
                                                 std::function<void()> done) {
  auto is_wanted = std::make_shared<std::atomic<bool>>(true);
  std::string name(client);
  {
    const MutexLock lock(mutex_);
    if (waiting_ >= options_.max_waiting) drop_unwanted();
    if (waiting_ >= options_.max_waiting) return std::nullopt;
    Client& entry = clients_[name];
    if (entry.waiting.size() >= options_.max_waiting_of_client) return std::nullopt;
    if (entry.waiting.empty()) row_.push_back(std::move(name));
    entry.waiting.push_back({is_wanted, std::move(work), std::move(executor), std::move(done)});
    ++waiting_;
    if (threads_.size() < options_.threads) threads_.emplace_back([this] { run(); });
  }
  news_.notify_one();
  return Ticket(std::move(is_wanted));
}

void WorkPool::drop_unwanted() {
  std::erase_if(row_, [this](const std::string& name) CORDON_REQUIRES(mutex_) {
    std::deque<Job>& waiting = clients_.at(name).waiting;
    waiting_ -= std::erase_if(waiting, [](const Job& job) { return !job.is_wanted->load(); });
    if (!waiting.empty()) return false;
    if (clients_.at(name).running == 0) clients_.erase(name);
    return true;
  });
}

bool WorkPool::may_run(const Client& client) const {
  return options_.threads == 1 || client.running + 1 < options_.threads;
}

std::optional<std::string> WorkPool::next_client() {
  const auto found = std::ranges::find_if(row_, [this](const auto& name) CORDON_REQUIRES(mutex_) {
    return may_run(clients_.at(name));
  });
  if (found == row_.end()) return std::nullopt;
  std::string name = std::move(*found);
  row_.erase(found);
  return name;
}

void WorkPool::run() {
  MutexLock lock(mutex_);
  for (;;) {
    std::optional<std::string> name;
    while (!is_ending_ && !(name = next_client())) news_.wait(lock);
    if (is_ending_) return;
    Client& client = clients_.at(*name);
    Job job = std::move(client.waiting.front());
    client.waiting.pop_front();
    --waiting_;
    ++client.running;
    if (!client.waiting.empty()) row_.push_back(*name);
    lock.unlock();

    if (job.is_wanted->load(std::memory_order_relaxed)) {
      job.work();
      if (job.done) boost::asio::post(job.executor, std::move(job.done));
    }
    job = {};

    lock.lock();
    Client& after = clients_.at(*name);
    --after.running;
    if (after.running == 0 && after.waiting.empty()) clients_.erase(*name);
    // One of its pieces may have waited for this one.
    news_.notify_one();
  }
}

}  // namespace cordon::server
