// The part of Engine that deals with images.

#include <algorithm>
#include <limits>
#include <utility>

#include "cordon/base/instant.h"
#include "cordon/engine.h"
#include "cordon/host/engine_state.h"
#include "cordon/host/execution_state.h"
#include "cordon/host/image_start.h"
#include "cordon/host/scheduler.h"
#include "cordon/js/image_file.h"

namespace cordon {
namespace {

struct Opened {
  js::Image image;
  host::GuestTable table;
};

js::ImageLimits image_limits(const Limits& limits) {
  return {.memory_bytes = limits.memory_bytes, .beside_bytes = host::table_limits(limits).bytes};
}

Result<Opened> open_image(BytesView bytes, const Limits& limits, BytesView key) {
  js::ImageFile file = CORDON_TRY(js::read_image(bytes, image_limits(limits), key));
  host::GuestTable table = CORDON_TRY(host::read_table(file.beside, host::table_limits(limits)));
  return Opened{std::move(file.image), std::move(table)};
}

// `accepted` is when the execution's time began.
Execution start(const std::shared_ptr<host::Scheduler>& scheduler, host::ImageStart from,
                ExecuteOptions options, Instant accepted) {
  auto state = std::make_shared<host::ExecutionState>(scheduler, std::move(from),
                                                      std::move(options), accepted);
  scheduler->submit(state);
  return Execution(std::move(state));
}

}  // namespace

Result<std::vector<PendingCall>> Engine::pending_calls(BytesView image, const Limits& limits,
                                                       BytesView image_key) {
  // Its memory stays packed.
  const js::ImageLimits any_memory{.memory_bytes = std::numeric_limits<std::uint64_t>::max(),
                                   .beside_bytes = host::table_limits(limits).bytes};
  const Bytes beside = CORDON_TRY(js::read_beside(image, any_memory, image_key));
  return host::pending_calls(CORDON_TRY(host::read_table(beside, host::table_limits(limits))));
}

Result<Execution> Engine::resume(BytesView image, std::vector<Result<Value>> answers,
                                 ExecuteOptions options) {
  const Instant accepted = std::chrono::steady_clock::now();
  const EngineOptions& engine = state_->scheduler->options();
  Limits limits = options.limits;
  limits.memory_bytes = std::min(limits.memory_bytes, engine.memory_ceiling_bytes);
  Opened opened = CORDON_TRY(open_image(image, limits, engine.image_key));
  if (opened.table.calls.size() != answers.size()) {
    return fail(ErrorCode::invalid_argument, std::to_string(opened.table.calls.size()) +
                                                 " calls are pending, and there are " +
                                                 std::to_string(answers.size()) + " answers");
  }
  return start(state_->scheduler,
               {std::make_shared<const js::Image>(std::move(opened.image)), std::move(opened.table),
                js::Guest::Resumed::goes_on, std::move(answers)},
               std::move(options), accepted);
}

}  // namespace cordon
