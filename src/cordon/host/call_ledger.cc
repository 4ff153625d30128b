#include "cordon/host/call_ledger.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cordon/base/utf8.h"

namespace cordon::host {
namespace {

std::chrono::microseconds since(Instant start, Instant now) {
  return std::chrono::duration_cast<std::chrono::microseconds>(now - start);
}

std::size_t bytes_of(const CallLedger::Failure& failure) {
  return failure.told.own_code.size() + failure.told.message.size() + failure.call.provider.size() +
         failure.call.tool.size() + failure.call.input.size();
}

std::string cut_short(std::string text) {
  constexpr std::size_t max_units = 120;
  if (text.size() <= max_units) return text;
  std::string first = first_utf16_units(to_wtf8_lossy(text), max_units);
  if (first.size() == text.size()) return text;
  if (!text.ends_with("…") || first.size() + 3 < text.size()) first += "…";
  return first;
}

// A short form of debug_text(), which looks at no more of a value than it shows.
std::string short_text(const ValueView& input) {
  return input.is_undefined() ? std::string() : cut_short(debug_text(input));
}

std::string text_of(const std::variant<Value, std::string>& input) {
  const auto* const text = std::get_if<std::string>(&input);
  return text != nullptr ? *text : short_text(std::get<Value>(input));
}

}  // namespace

CallRecord CallLedger::open(std::uint64_t call, std::string provider, std::string tool,
                            std::size_t bytes, const Value& input, Instant start, Instant now,
                            std::uint32_t number) {
  ++count_;
  CallRecord record{.provider = std::move(provider),
                    .tool = std::move(tool),
                    .started = since(start, now),
                    .input_bytes = bytes};
  constexpr std::size_t max_kept_bytes = 1024;
  Open opened{record, now, records_.size(), {}, number};
  if (bytes <= max_kept_bytes) {
    opened.input = input;
  } else {
    opened.input = short_text(input);
  }
  open_.insert_or_assign(call, std::move(opened));
  if (records_.size() < max_records) records_.push_back(record);
  return record;
}

std::uint32_t CallLedger::tool_of(std::uint64_t call) const {
  const auto found = open_.find(call);
  return found == open_.end() ? js::no_tool : found->second.number;
}

std::optional<CallRecord> CallLedger::close(std::uint64_t call, std::size_t answer_bytes,
                                            const Error* failure, Instant now) {
  const auto found = open_.find(call);
  if (found == open_.end()) return std::nullopt;
  Open opened = std::move(found->second);
  open_.erase(found);
  opened.record.took = since(opened.since, now);
  opened.record.answered = true;
  opened.record.ok = failure == nullptr;
  opened.record.answer_bytes = answer_bytes;
  if (failure != nullptr) {
    opened.record.error = cut_short(to_string(*failure));
    remember(call, {*failure, {opened.record.provider, opened.record.tool, text_of(opened.input)}});
  }
  if (opened.index < records_.size()) records_[opened.index] = opened.record;
  return opened.record;
}

std::vector<CallLedger::OpenTool> CallLedger::open_by_tool(std::size_t max) const {
  std::map<std::uint64_t, const CallRecord*> in_order;
  for (const auto& [call, open] : open_) in_order.emplace(call, &open.record);
  std::vector<OpenTool> tools;
  for (const auto& [call, record] : in_order) {
    const auto same = std::ranges::find_if(tools, [&](const OpenTool& known) {
      return known.tool == record->tool && known.provider == record->provider;
    });
    if (same != tools.end()) {
      ++same->calls;
    } else if (tools.size() < max) {
      tools.push_back({record->provider, record->tool, 1});
    }
  }
  return tools;
}

void CallLedger::remember(std::uint64_t call, Failure failure) {
  // A report has code and message. The data of a typed failure is the guest's alone, and large.
  failure.told.typed.reset();
  // Only one of the failures can end the execution. Of endless failures the latest are kept.
  failure_bytes_ += bytes_of(failure);
  while (!failure_order_.empty() &&
         (failure_order_.size() >= max_failures || failure_bytes_ > max_failure_bytes)) {
    forget_oldest_failure();
  }
  failures_.insert_or_assign(call, std::move(failure));
  failure_order_.push_back(call);
}

void CallLedger::forget_oldest_failure() {
  const auto oldest = failures_.find(failure_order_.front());
  failure_order_.pop_front();
  if (oldest == failures_.end()) return;
  failure_bytes_ -= bytes_of(oldest->second);
  failures_.erase(oldest);
}

const CallLedger::Failure* CallLedger::failure_of(std::uint64_t call) const {
  const auto found = failures_.find(call);
  return found == failures_.end() ? nullptr : &found->second;
}

}  // namespace cordon::host
