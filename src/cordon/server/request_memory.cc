#include "cordon/server/request_memory.h"

#include <algorithm>

namespace cordon::server {

std::shared_ptr<Budget> RequestMemory::for_request(std::string_view client, std::size_t bytes) {
  if (bytes <= large_bytes) return all_;
  const MutexLock lock(mutex_);
  // Those whose requests are over.
  if (clients_.size() >= sweep_at_) {
    std::erase_if(clients_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = std::max<std::size_t>(64, 2 * clients_.size());
  }
  std::weak_ptr<Budget>& known = clients_[std::string(client)];
  std::shared_ptr<Budget> budget = known.lock();
  if (budget == nullptr) {
    budget = std::make_shared<Budget>(Budget::Limits{.bytes = all_->limits().bytes / 2}, all_);
    known = budget;
  }
  return budget;
}

}  // namespace cordon::server
