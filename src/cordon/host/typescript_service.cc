#include "cordon/host/typescript_service.h"

#include <thread>
#include <utility>

namespace cordon::host {

bool is_typescript_name(std::string_view name) {
  return name.ends_with(".ts") || name.ends_with(".mts") || name.ends_with(".cts");
}

bool is_typescript_language(std::string_view language) {
  return language == "ts" || language == "typescript" || language == "mts" || language == "cts" ||
         language == "TypeScript";
}

Result<std::unique_ptr<js::StripJob>> TypeScriptService::begin(std::string_view source) {
  {
    const std::lock_guard lock(mutex_);
    if (module_ == nullptr) {
      module_ = CORDON_TRY(js::TypeScript::create());
      ticker_ = std::make_unique<Ticker>(module_->engine());
    }
  }
  constexpr std::uint64_t memory_bytes = std::uint64_t{512} << 20;
  return js::StripJob::create(*module_, std::string(source), memory_bytes);
}

std::optional<Result<js::Stripped>> TypeScriptService::run(js::StripJob& job, Instant until,
                                                           const std::atomic<bool>& interrupt) {
  const Ticker::Running running(*ticker_);
  return job.run(until, interrupt);
}

Result<js::Stripped> TypeScriptService::strip(std::string_view name, std::string_view source,
                                              std::optional<Instant> deadline) {
  std::optional<Result<js::Stripped>> done;
  std::thread([&] {
    const std::atomic<bool> never = false;
    const Result<std::unique_ptr<js::StripJob>> job = begin(source);
    done = job ? run(**job, deadline.value_or(Instant::max()), never)
               : Result<js::Stripped>(fail(job.error()));
  }).join();
  if (!done) return fail(Errc::timeout, "stripping the types of " + std::string(name));
  const auto* refusal = *done ? std::get_if<js::StripRefusal>(&**done) : nullptr;
  if (refusal != nullptr && refusal->kind == js::StripRefusal::Kind::invalid)
    return js::Stripped(std::string(source));
  return *std::move(done);
}

}  // namespace cordon::host
