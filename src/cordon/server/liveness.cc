#include "cordon/server/liveness.h"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

namespace cordon::server {
namespace {

// Shared with the loops, which may answer when nobody waits any more.
struct Roll {
  std::mutex mutex;
  std::condition_variable wake;
  std::size_t missing = 0;
};

}  // namespace

bool all_answer(const std::vector<PostToLoop>& loops, std::chrono::milliseconds within) {
  const auto roll = std::make_shared<Roll>();
  roll->missing = loops.size();
  for (const PostToLoop& post : loops) {
    post([roll] {
      const std::lock_guard lock(roll->mutex);
      --roll->missing;
      roll->wake.notify_one();
    });
  }
  std::unique_lock lock(roll->mutex);
  return roll->wake.wait_for(lock, within, [&] { return roll->missing == 0; });
}

}  // namespace cordon::server
