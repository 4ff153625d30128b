#pragma once

// Calls by name: how many, how many failed, how long they took. Only names that are known
// beforehand are counted, so that nobody outside can make the figures grow.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/server/metrics_text.h"

namespace cordon::server {

enum class CallEnd : std::uint8_t { ok, failed };

// Any thread.
class CallFigures {
 public:
  // The names from now on. Those that were there before keep their counts.
  void set_names(const std::vector<std::string>& names);

  // False where the name is none of them.
  bool count(std::string_view name, CallEnd end, std::chrono::microseconds took);

  // Errors are a counter. The duration is a summary without quantiles, whose count is that of all
  // calls. Writes nothing if there are no names.
  struct Names {
    std::string_view errors;
    std::string_view duration;
    std::string_view label;
  };
  void write(MetricsText& text, const Names& names) const;

 private:
  struct Counters {
    std::atomic<std::uint64_t> calls = 0;
    std::atomic<std::uint64_t> errors = 0;
    std::atomic<std::uint64_t> microseconds = 0;
  };

  mutable std::shared_mutex mutex_;  // of the names, which change with a reload
  std::map<std::string, std::unique_ptr<Counters>, std::less<>> counters_;
};

}  // namespace cordon::server
