// ExecutionState, as far as it begins from an image or ends as one.

#include <algorithm>
#include <utility>

#include "cordon/host/execution_state.h"
#include "cordon/host/failure.h"
#include "cordon/host/reachable_modules.h"
#include "cordon/host/scheduler.h"
#include "cordon/js/image_file.h"

namespace cordon::host {

namespace {

std::string not_given(const std::string& provider, std::string_view tool) {
  return "the tool " + provider + "." + std::string(tool) + " was not given to this execution";
}

}  // namespace

// The numbers by which the guest knows its tools are those of the execution that it was saved from;
// what is behind them is found by name. What is not there fails when it is called.
void ExecutionState::find_tools_of_image() {
  namespaces_ = image_of(start_)->table.namespaces;
  for (const js::Namespace& space : namespaces_) {
    const auto given = std::ranges::find_if(
        options_.providers, [&](const Provider& p) { return p.name() == space.name; });
    const Provider* const provider = given == options_.providers.end() ? nullptr : &*given;
    for (const std::string& function : space.functions) {
      const Tool* found = nullptr;
      if (provider != nullptr) {
        for (const Tool& tool : provider->tools())
          if (tool.name == function) found = &tool;
      }
      if (found == nullptr) {
        ToolFunction stand_in = provider == nullptr ? ToolFunction() : provider->find(function);
        if (!stand_in) {
          stand_in = [message = not_given(space.name, function)](Value, Reply reply) {
            reply(cordon::fail(Errc::tool_error, message));
          };
        }
        found = &stand_in_tools_.emplace_back(Tool{function, std::move(stand_in), {}});
      }
      tools_.push_back({&space.name, found, nullptr});
    }
    if (!space.is_open) continue;
    // It may be open no more, or have tools by now that it did not list then.
    const AnyToolFunction& any = stand_in_any_.emplace_back(
        [provider, &space](const std::string& tool, Value input, Reply reply) {
          const ToolFunction function = provider == nullptr ? ToolFunction() : provider->find(tool);
          if (!function) return reply(cordon::fail(Errc::tool_error, not_given(space.name, tool)));
          function(std::move(input), std::move(reply));
        });
    tools_.push_back({&space.name, nullptr, &any});
  }
}

void ExecutionState::find_tools_to_sleep_on() {
  if (options_.sleep_on.empty()) return;
  for (const ToolPlace& place : tools_) {
    sleeps_on_.push_back(place.tool != nullptr &&
                         is_in_sleep_on(*place.provider, place.tool->name));
  }
}

bool ExecutionState::is_to_sleep_on(std::uint32_t tool, const std::string& name) const {
  if (sleeps_on_.empty()) return false;
  const ToolPlace& place = tools_[tool];
  return place.tool != nullptr ? sleeps_on_[tool] : is_in_sleep_on(*place.provider, name);
}

bool ExecutionState::is_in_sleep_on(const std::string& provider, const std::string& tool) const {
  const std::string full = provider + "." + tool;
  return std::ranges::any_of(options_.sleep_on,
                             [&](const std::string& name) { return name == full || name == tool; });
}

Result<> ExecutionState::start_from_image() {
  ImageStart& from = *image_of(start_);
  CORDON_TRY(
      guest_->resume(*from.image, rule_of(options_.values), from.how, js::steady_nanoseconds()));
  if (port() != nullptr) {
    CORDON_TRY(guest_->start_task(port()->start()));
  } else if (from.how == js::Guest::Resumed::starts) {
    CORDON_TRY(guest_->invoke(0, "default", options_.input ? *options_.input : Value()));
  }
  const Instant now = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < from.table.calls.size(); ++i) {
    const OpenCall& open = from.table.calls[i];
    const ToolPlace& place = tools_[open.tool];
    const CallRecord record = calls_.open(open.call, *place.provider, place.name_of(open.name), 0,
                                          open.input, accepted_, now);
    if (options_.on_call) options_.on_call(record);
    Result<Value> answer = std::move(from.answers[i]);
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
  if (is_to_prepare()) return is_ready_ && calls_.open_count() == 0;
  return !asleep_calls_.empty() && calls_.open_count() == asleep_calls_.size();
}

void ExecutionState::finish_asleep() {
  Result<js::Image> image = is_to_prepare() ? guest_->capture_to_share() : guest_->capture();
  if (!image) {
    finish(internal_error(image.error().detail));
    return;
  }
  const WrittenText written = written_text();
  const std::string base = import_base();
  GuestTable table{options_.name, options_.values, namespaces_, std::exchange(asleep_calls_, {}),
                   std::make_shared<const ProgramSources>(
                       ProgramSources{std::string(written.text), written.first_line, base,
                                      reachable_modules(module_sources(), base, written.text)})};
  Report report;
  report.ok = true;
  if (is_to_prepare()) {
    prepared_ = std::make_shared<const PreparedModule>(
        std::make_shared<const js::Image>(*std::move(image)), std::move(table), functions_);
  } else {
    const Result<Bytes> beside = write_table(table, table_limits(options_.limits));
    Result<Bytes> file = beside ? js::write_image(*image, *beside, scheduler_->options().image_key)
                                : Result<Bytes>(cordon::fail(beside.error()));
    if (!file) {
      finish(internal_error(file.error().detail));
      return;
    }
    report.asleep = Sleeping{*std::move(file), pending_calls(table)};
  }
  finish(std::move(report));
}

}  // namespace cordon::host
