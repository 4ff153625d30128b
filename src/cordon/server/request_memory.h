#pragma once

// The memory of all requests of a server that are under way: their bodies, what is read of them,
// and answers until they are sent.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cordon/base/budget.h"
#include "cordon/base/thread_annotations.h"

namespace cordon::server {

// Any thread may use it at any time.
class RequestMemory {
 public:
  // Bodies up to here are not counted one by one: connections have a number.
  static constexpr std::size_t small_bytes = 4'096;
  // From here on a request is counted with the others of its client.
  static constexpr std::size_t large_bytes = 65'536;

  explicit RequestMemory(std::size_t max_bytes)
      : all_(std::make_shared<Budget>(Budget::Limits{.bytes = max_bytes})) {}

  // The budget for a request of this many bytes, or of unknown size. One client may use half of
  // all.
  std::shared_ptr<Budget> for_request(std::string_view client, std::size_t bytes);

 private:
  const std::shared_ptr<Budget> all_;
  Mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<Budget>> clients_ CORDON_GUARDED_BY(mutex_);
  std::size_t sweep_at_ CORDON_GUARDED_BY(mutex_) = 64;
};

}  // namespace cordon::server
