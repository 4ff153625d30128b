// ExecutionState, as far as it begins from an image or ends as one.

#include <algorithm>
#include <utility>

#include "cordon/host/execution_state.h"
#include "cordon/host/failure.h"
#include "cordon/js/image_file.h"

namespace cordon::host {

// The numbers by which the guest knows its tools are those of the execution that it was saved from;
// what is behind them is found by name. What is not there fails when it is called.
void ExecutionState::find_tools_of_image() {
  namespaces_ = from_->table.namespaces;
  for (const js::Namespace& space : namespaces_) {
    const auto provider = std::ranges::find_if(
        options_.providers, [&](const Provider& p) { return p.name() == space.name; });
    for (const std::string& function : space.functions) {
      const Tool* found = nullptr;
      if (provider != options_.providers.end()) {
        for (const Tool& tool : provider->tools())
          if (tool.name == function) found = &tool;
      }
      if (found == nullptr) {
        const std::string message =
            "the tool " + space.name + "." + function + " was not given to this execution";
        found = &absent_tools_.emplace_back(
            Tool{function,
                 [message](Value, Reply reply) { reply(cordon::fail(Errc::tool_error, message)); },
                 {}});
      }
      tools_.push_back({&space.name, found});
    }
  }
}

void ExecutionState::find_tools_to_sleep_on() {
  if (options_.sleep_on.empty()) return;
  for (const ToolPlace& place : tools_) {
    const std::string full = *place.provider + "." + place.tool->name;
    sleeps_on_.push_back(std::ranges::any_of(options_.sleep_on, [&](const std::string& name) {
      return name == full || name == place.tool->name;
    }));
  }
}

Result<> ExecutionState::start_from_image() {
  const ImageStart& from = *from_;
  CORDON_TRY(
      guest_->resume(*from.image, rule_of(options_.values), from.how, js::steady_nanoseconds()));
  if (port_ != nullptr) {
    CORDON_TRY(guest_->start_task(port_->start()));
  } else if (from.how == js::Guest::Resumed::starts) {
    CORDON_TRY(guest_->invoke(0, "default", options_.input ? *options_.input : Value()));
  }
  const Instant now = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < from.table.calls.size(); ++i) {
    const OpenCall& open = from.table.calls[i];
    const ToolPlace& place = tools_[open.tool];
    const CallRecord record =
        calls_.open(open.call, *place.provider, place.tool->name, 0, open.input, accepted_, now);
    if (options_.on_call) options_.on_call(record);
    Result<Value> answer = std::move(from_->answers[i]);
    if (answer) {
      settle({open.call, *std::move(answer)}, now);
    } else {
      settle({open.call, std::unexpected(failure_of(answer.error()))}, now);
    }
  }
  return {};
}

bool ExecutionState::doze() { return guest_ != nullptr && guest_->doze().has_value(); }

// Nothing is on its way but calls that it is to sleep on. Others are waited for: what would answer
// them does not outlive this process.
bool ExecutionState::is_to_sleep() const {
  if (text_.is_to_prepare) return is_service_ && calls_.open_count() == 0;
  return !asleep_calls_.empty() && calls_.open_count() == asleep_calls_.size();
}

void ExecutionState::finish_asleep() {
  Result<js::Image> image = text_.is_to_prepare ? guest_->capture_to_share() : guest_->capture();
  if (!image) {
    finish(internal_error(image.error().detail));
    return;
  }
  GuestTable table{options_.name, options_.values, namespaces_, std::exchange(asleep_calls_, {})};
  Report report;
  report.ok = true;
  if (text_.is_to_prepare) {
    prepared_ = std::make_shared<const PreparedModule>(
        std::make_shared<const js::Image>(*std::move(image)), std::move(table), functions_);
  } else {
    const Result<Bytes> beside = write_table(table);
    Result<Bytes> file =
        beside ? js::write_image(*image, *beside) : Result<Bytes>(cordon::fail(beside.error()));
    if (!file) {
      finish(internal_error(file.error().detail));
      return;
    }
    report.asleep = Sleeping{*std::move(file), pending_calls(table)};
  }
  finish(std::move(report));
}

}  // namespace cordon::host
