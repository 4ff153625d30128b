#pragma once

// TypeScript for the executions of one engine: the module is loaded when the first of them needs
// it. Any thread.

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

// By its name: .ts, .mts or .cts.
bool is_typescript_name(std::string_view name);
// By what a Markdown fence says: ts, typescript, mts or cts.
bool is_typescript_language(std::string_view language);

class TypeScriptService {
 public:
  // So many texts may be stripped at once, or as many as there are threads to do it: more would
  // take more memory and be no quicker.
  static constexpr std::size_t min_places = 4;

  explicit TypeScriptService(std::size_t threads) : places_(std::max(threads, min_places)) {}

  StripPlaces& places() { return places_; }

  // By somebody who has a place. As StripJob::create.
  Result<std::unique_ptr<js::StripJob>> begin(std::string source, std::uint64_t memory_bytes);

  // One slice of a job, with its clock ticking.
  std::optional<Result<js::Stripped>> run(js::StripJob& job, Instant until,
                                          const std::atomic<bool>& interrupt);

 private:
  StripPlaces places_;
  std::mutex mutex_;
  std::unique_ptr<js::TypeScript> module_;
  std::unique_ptr<Ticker> ticker_;
};

}  // namespace cordon::host
