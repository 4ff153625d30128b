// The part of ExecutionState that begins from an image or ends as one.
//
// An image is the guest's memory and a table of what the host knows about it: its tools, the calls
// that are open, its texts. The two must match. So an image is only taken while the guest is idle,
// and all open calls are in the table or there are none. What starts from it first opens these
// calls again under their old numbers, because the promises in the memory wait for those.

#include <utility>

#include "cordon/host/execution_state.h"
#include "cordon/host/failure.h"
#include "cordon/host/scheduler.h"
#include "cordon/js/image_file.h"

namespace cordon::host {

Result<> ExecutionState::start_from_image() {
  ImageStart& from = *image_of(start_);
  CORDON_TRY(guest_->resume(*from.image, options_.values, tools_.namespaces(), from.how,
                            js::steady_nanoseconds()));
  if (from.how == js::Guest::Resumed::starts) {
    const js::TaskRequest request = port() != nullptr ? port()->request() : js::TaskRequest();
    CORDON_TRY(guest_->invoke({.function = from.function,
                               .arguments = from.arguments,
                               .request = port() != nullptr ? &request : nullptr}));
  }
  // It told its functions before it was saved, so this note takes the place of its message.
  if (std::holds_alternative<KeptFromImage>(start_)) notes_.ready.emplace();
  const Instant now = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < from.table.calls.size(); ++i) {
    const OpenCall& open = from.table.calls[i];
    const CallRecord record =
        calls_.open(open.call, tools_.provider_of(open.tool), tools_.name_of(open.tool, open.name),
                    0, open.input, clocks_.accepted(), now, open.tool);
    if (options_.on_call) options_.on_call(record);
    Result<Value> answer = std::move(from.answers[i]);
    if (!answer) answer = cordon::fail(failure_of(std::move(answer).error()));
    settle({open.call, std::move(answer)}, now);
  }
  return {};
}

bool ExecutionState::hibernate() { return guest_ != nullptr && guest_->hibernate().has_value(); }

// True if nothing is on its way but calls that suspend it. Other calls are waited for, since what
// answers them does not outlive this process.
bool ExecutionState::is_to_suspend() const {
  if (is_to_prepare()) return is_ready_ && calls_.open_count() == 0;
  return !suspended_calls_.empty() && calls_.open_count() == suspended_calls_.size();
}

void ExecutionState::finish_suspended() {
  Result<js::Image> image = is_to_prepare() ? guest_->capture_to_share() : guest_->capture();
  if (!image) {
    finish(internal_error(image.error().message));
    return;
  }
  const std::span<const js::Namespace> namespaces = tools_.namespaces();
  GuestTable table{source_.name(),
                   options_.values,
                   {namespaces.begin(), namespaces.end()},
                   std::exchange(suspended_calls_, {}),
                   std::make_shared<const ProgramSources>(source_.sources())};
  Report report;
  report.kind = is_to_prepare() ? ReportKind::result : ReportKind::suspended;
  if (is_to_prepare()) {
    prepared_ = std::make_shared<const PreparedModule>(
        std::make_shared<const js::Image>(*std::move(image)), std::move(table), functions_);
  } else {
    const Result<Bytes> beside = write_table(table, table_limits(options_.limits));
    Result<Bytes> file = beside ? js::write_image(*image, *beside, scheduler_->options().image_key)
                                : Result<Bytes>(cordon::fail(beside.error()));
    if (!file) {
      finish(internal_error(file.error().message));
      return;
    }
    report.suspended = {*std::move(file), pending_calls(table)};
  }
  finish(std::move(report));
}

}  // namespace cordon::host
