#pragma once

// TypeScript for the executions of one engine: the module is loaded when the first of them needs
// it. Any thread.

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "cordon/base/instant.h"
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
  Result<std::unique_ptr<js::StripJob>> begin(std::string_view source);

  // One slice of a job, with its clock ticking.
  std::optional<Result<js::Stripped>> run(js::StripJob& job, Instant until,
                                          const std::atomic<bool>& interrupt);

  // The whole of it, on a thread of its own: a guest that imports a module waits on a small stack.
  // What is no TypeScript comes back as it is.
  Result<js::Stripped> strip(std::string_view name, std::string_view source,
                             std::optional<Instant> deadline);

 private:
  std::mutex mutex_;
  std::unique_ptr<js::TypeScript> module_;
  std::unique_ptr<Ticker> ticker_;
};

}  // namespace cordon::host
