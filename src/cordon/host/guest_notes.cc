#include "cordon/host/guest_notes.h"

#include <utility>

namespace cordon::host {

void GuestNotes::on_call(std::uint64_t call, std::uint32_t tool, Result<Value> input,
                         std::size_t bytes) {
  calls.push_back({call, tool, std::move(input), bytes});
}

bool GuestNotes::on_named_call(std::uint64_t call, std::uint32_t tool, std::string name,
                               Result<Value> input, std::size_t bytes) {
  if (!tools_.is_open(tool)) return false;
  calls.push_back({call, tool, std::move(input), bytes, std::move(name)});
  return true;
}

// Our own code in the guest writes one piece and waits, so more than that comes from other code.
bool GuestNotes::on_port(js::PortCall call) {
  port_bytes_ += call.bytes.size();
  if (port_calls_.size() >= rules_.max_port_calls || port_bytes_ > rules_.max_port_bytes)
    return false;
  port_calls_.push_back(std::move(call));
  return true;
}

std::vector<js::PortCall> GuestNotes::take_port_calls() {
  port_bytes_ = 0;
  return std::exchange(port_calls_, {});
}

void GuestNotes::on_log(LogLevel level, std::string_view text) {
  const auto at = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - rules_.accepted);
  const LogLine* const line = book_.add(level, text, at);
  if (line != nullptr && rules_.wants_logs) logs.push_back(*line);
}

void GuestNotes::on_loose_ends(js::LooseEnds told) {
  for (const auto* const kind : {&told.unawaited, &told.left, &told.extra_arguments}) {
    for (const js::LooseCalls& each : *kind)
      has_violated = has_violated || !tools_.accepts(each.tool, each.name);
  }
  loose_ends = std::move(told);
}

}  // namespace cordon::host
