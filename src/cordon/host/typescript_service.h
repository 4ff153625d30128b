#pragma once

// TypeScript for the executions of one engine. The module is loaded when one of them first needs
// it. Any thread may use it.

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/base/instant.h"
#include "cordon/host/strip_places.h"
#include "cordon/host/ticker.h"
#include "cordon/js/typescript.h"
#include "cordon/result.h"

namespace cordon::host {

// Whether the file is TypeScript by its name: .ts, .mts or .cts.
bool is_typescript_name(std::string_view name);
// Whether a Markdown fence names TypeScript: ts, typescript, mts or cts.
bool is_typescript_language(std::string_view language);

class TypeScriptService {
 public:
  // This many texts may be stripped at once, or one per worker if there are more workers. More
  // would take more memory and not be faster.
  static constexpr std::size_t min_places = 4;

  explicit TypeScriptService(std::size_t threads) : places_(std::max(threads, min_places)) {}

  StripPlaces& places() { return places_; }

  // Only for an execution that has a place. See StripJob::create.
  Result<std::unique_ptr<js::StripJob>> begin(std::string source, std::uint64_t memory_bytes);

  // Runs one slice of a job while its epoch ticks.
  std::optional<Result<js::Stripped>> run(js::StripJob& job, Instant until,
                                          const std::atomic<bool>& interrupt);

 private:
  StripPlaces places_;
  std::mutex mutex_;
  std::unique_ptr<js::TypeScript> module_;
  std::unique_ptr<Ticker> ticker_;
};

}  // namespace cordon::host
