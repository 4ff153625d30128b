#include "cordon/host/stripping.h"

#include <algorithm>
#include <utility>

namespace cordon::host {

Stripping::Stripping(TypeScriptService& service, std::string source, std::uint64_t memory_bytes,
                     StripPlaces::Offer offer)
    : service_(service),
      source_(std::move(source)),
      memory_bytes_(std::max(memory_bytes, min_memory_bytes)),
      place_(service.places().ask(std::move(offer))) {}

std::optional<Result<js::Stripped>> Stripping::run(Instant until,
                                                   const std::atomic<bool>& interrupt) {
  if (job_ == nullptr) {
    Result<std::unique_ptr<js::StripJob>> job = service_.begin(std::move(source_), memory_bytes_);
    if (!job) return fail(job.error());
    job_ = *std::move(job);
  }
  return service_.run(*job_, until, interrupt);
}

}  // namespace cordon::host
