#include "cordon/runners/process_pool.h"

#include <utility>

namespace cordon::runners {

ProcessPool::ProcessPool(std::vector<std::string> words, Confinement confinement,
                         std::size_t spares)
    : words_(std::move(words)), confinement_(confinement), max_spares_(spares), wanted_(spares) {
  thread_ = std::thread([this] { refill(); });
}

ProcessPool::~ProcessPool() {
  {
    const MutexLock lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Result<Child> ProcessPool::start() {
  Result<Child> child = Child::start(words_, environment_, confinement_);
  if (child) {
    const MutexLock lock(mutex_);
    ++started_;
  }
  return child;
}

std::optional<Child> ProcessPool::take_spare() {
  const MutexLock lock(mutex_);
  while (!spares_.empty()) {
    Child spare = std::move(spares_.front());
    spares_.pop_front();
    if (wanted_ < max_spares_) ++wanted_;
    changed_.notify_one();
    if (!spare.end_text()) return spare;
    ended_.push_back(std::move(spare));
  }
  if (wanted_ == 0 && max_spares_ > 0) {
    wanted_ = 1;
    changed_.notify_one();
  }
  return std::nullopt;
}

void ProcessPool::destroy_later(std::unique_ptr<Link> link) {
  {
    const MutexLock lock(mutex_);
    used_.push_back(std::move(link));
  }
  changed_.notify_one();
}

void ProcessPool::refill() {
  MutexLock lock(mutex_);
  while (!is_over_) {
    if (!used_.empty() || !ended_.empty()) {
      std::vector<std::unique_ptr<Link>> used = std::exchange(used_, {});
      std::vector<Child> ended = std::exchange(ended_, {});
      lock.unlock();
      used.clear();
      ended.clear();
      lock.lock();
      continue;
    }
    if (wanted_ == 0 || spares_.size() >= max_spares_) {
      wanted_ = 0;
      changed_.wait(lock);
      continue;
    }
    --wanted_;
    lock.unlock();
    Result<Child> child = start();
    lock.lock();
    if (child) spares_.push_back(*std::move(child));
  }
}

std::size_t ProcessPool::spares() const {
  const MutexLock lock(mutex_);
  return spares_.size();
}

std::size_t ProcessPool::started() const {
  const MutexLock lock(mutex_);
  return started_;
}

}  // namespace cordon::runners
