#include "cordon/server/call_figures.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace cordon::server {

void CallFigures::set_names(const std::vector<std::string>& names) {
  std::map<std::string, std::unique_ptr<Counters>, std::less<>> next;
  const std::unique_lock lock(mutex_);
  for (const std::string& name : names) {
    const auto found = counters_.find(name);
    // A name may be there twice.
    if (found != counters_.end() && found->second != nullptr) {
      next.emplace(name, std::move(found->second));
    } else {
      next.try_emplace(name, std::make_unique<Counters>());
    }
  }
  counters_ = std::move(next);
}

bool CallFigures::count(std::string_view name, CallEnd end, std::chrono::microseconds took) {
  const std::shared_lock lock(mutex_);
  const auto found = counters_.find(name);
  if (found == counters_.end()) return false;
  Counters& counters = *found->second;
  counters.calls.fetch_add(1, std::memory_order_relaxed);
  if (end == CallEnd::failed) counters.errors.fetch_add(1, std::memory_order_relaxed);
  counters.microseconds.fetch_add(
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, took.count())),
      std::memory_order_relaxed);
  return true;
}

void CallFigures::write(MetricsText& text, const Names& names) const {
  const std::shared_lock lock(mutex_);
  if (counters_.empty()) return;
  const std::string by = ", by " + std::string(names.label) + ".";
  text.head(names.errors, "counter", "Calls that failed" + by);
  for (const auto& [name, counters] : counters_) {
    text.line(names.errors, label(names.label, name),
              counters->errors.load(std::memory_order_relaxed));
  }
  const std::string duration(names.duration);
  text.head(duration, "summary", "Calls and what they took" + by);
  for (const auto& [name, counters] : counters_) {
    const std::string labels = label(names.label, name);
    const auto took = counters->microseconds.load(std::memory_order_relaxed);
    text.line(duration + "_sum", labels, static_cast<double>(took) / 1e6);
    text.line(duration + "_count", labels, counters->calls.load(std::memory_order_relaxed));
  }
}

}  // namespace cordon::server
