#include "cordon/host/typescript_service.h"

#include <utility>

namespace cordon::host {

bool is_typescript_name(std::string_view name) {
  return name.ends_with(".ts") || name.ends_with(".mts") || name.ends_with(".cts");
}

bool is_typescript_language(std::string_view language) {
  return language == "ts" || language == "typescript" || language == "mts" || language == "cts" ||
         language == "TypeScript";
}

Result<std::unique_ptr<js::StripJob>> TypeScriptService::begin(std::string source,
                                                               std::uint64_t memory_bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (module_ == nullptr) {
      module_ = CORDON_TRY(js::TypeScript::create());
      ticker_ = std::make_unique<Ticker>(module_->engine());
    }
  }
  return js::StripJob::create(*module_, std::move(source), memory_bytes);
}

std::optional<Result<js::Stripped>> TypeScriptService::run(js::StripJob& job, Instant until,
                                                           const std::atomic<bool>& interrupt) {
  const Ticker::Running running(*ticker_);
  return job.run(until, interrupt);
}

}  // namespace cordon::host
