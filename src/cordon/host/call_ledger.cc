#include "cordon/host/call_ledger.h"

#include <utility>

namespace cordon::host {
namespace {

std::chrono::microseconds since(Instant start, Instant now) {
  return std::chrono::duration_cast<std::chrono::microseconds>(now - start);
}

std::size_t bytes_of(const js::CallFailure& failure) {
  return failure.code.size() + failure.message.size();
}

}  // namespace

CallRecord CallLedger::open(std::uint64_t call, std::string provider, std::string tool,
                            std::size_t bytes, Instant start, Instant now) {
  ++count_;
  CallRecord record{
      .provider = std::move(provider), .tool = std::move(tool), .started = since(start, now)};
  open_.insert_or_assign(call, Open{record, now, records_.size(), bytes});
  open_bytes_ += bytes;
  if (records_.size() < most_records) records_.push_back(record);
  return record;
}

std::optional<CallRecord> CallLedger::close(std::uint64_t call, bool ok, Instant now) {
  const auto found = open_.find(call);
  if (found == open_.end()) return std::nullopt;
  Open opened = std::move(found->second);
  open_.erase(found);
  open_bytes_ -= opened.bytes;
  opened.record.took = since(opened.since, now);
  opened.record.answered = true;
  opened.record.ok = ok;
  if (opened.index < records_.size()) records_[opened.index] = opened.record;
  return opened.record;
}

void CallLedger::remember_failure(std::uint64_t call, const js::CallFailure& failure) {
  // Only one of them can end the execution. A guest that fails without end keeps the latest.
  failure_bytes_ += bytes_of(failure);
  while (!failure_order_.empty() &&
         (failure_order_.size() >= most_failures || failure_bytes_ > most_failure_bytes)) {
    forget_oldest_failure();
  }
  failures_.insert_or_assign(call, failure);
  failure_order_.push_back(call);
}

void CallLedger::forget_oldest_failure() {
  const auto oldest = failures_.find(failure_order_.front());
  failure_order_.pop_front();
  if (oldest == failures_.end()) return;
  failure_bytes_ -= bytes_of(oldest->second);
  failures_.erase(oldest);
}

const js::CallFailure* CallLedger::failure_of(std::uint64_t call) const {
  const auto found = failures_.find(call);
  return found == failures_.end() ? nullptr : &found->second;
}

}  // namespace cordon::host
