#include "cordon/runners/remote_run.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

namespace cordon::runners {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds slice{5};  // of the tools, between two looks at the runner
constexpr milliseconds max_wait{60'000};

Descriptors wait(const RemoteExecution& execution, Waker& waker, Instant until) {
  if (waker.take_own()) return Descriptors::quiet;
  std::vector<pollfd> waits = {{waker.descriptor(), POLLIN, 0}};
  execution.add_waits(waits);
  const Instant now = std::chrono::steady_clock::now();
  const auto left =
      until <= now ? milliseconds(0)
                   : std::chrono::ceil<milliseconds>(std::min<Duration>(until - now, max_wait));
  const int count = poll(waits.data(), waits.size(), static_cast<int>(left.count()));
  const bool is_woken = waits.front().revents != 0;
  if (is_woken) waker.clear();
  return count == 1 && is_woken ? Descriptors::quiet : Descriptors::may_be_ready;
}

}  // namespace

Report run_to_end(RemoteExecution& execution, Waker& waker, Engine* engine) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(receive_bytes);
  const std::span<char> bytes(buffer.get(), receive_bytes);
  waker.drive();
  Descriptors descriptors = Descriptors::may_be_ready;
  while (!execution.step(descriptors, bytes)) {
    Instant until = execution.next_time();
    if (engine != nullptr) until = std::min(until, engine->run_some(slice));
    descriptors = wait(execution, waker, until);
  }
  return execution.take_report();
}

}  // namespace cordon::runners
