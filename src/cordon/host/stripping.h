#pragma once

// One text whose types are stripped as part of an execution's turns: it waits for a place, and has
// a sandbox after that. One thread at a time, not always the same one.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "cordon/base/instant.h"
#include "cordon/host/strip_places.h"
#include "cordon/host/typescript_service.h"
#include "cordon/js/typescript.h"
#include "cordon/result.h"

namespace cordon::host {

class Stripping {
 public:
  // What any text may have, so that a small guest can import a small module: the smallest takes 2.6
  // MiB, and 1,000 lines of 100 characters take 5.4.
  static constexpr std::uint64_t min_memory_bytes = std::uint64_t{8} << 20;

  // Asks for a place. `memory_bytes` are what the execution has left of its limit; the text and the
  // sandbox it is stripped in may take that much. `service` outlives this.
  Stripping(TypeScriptService& service, std::string source, std::uint64_t memory_bytes,
            StripPlaces::Offer offer);

  // Then there is nothing to run until take_place().
  bool waits_for_place() const { return std::holds_alternative<StripPlaces::Waiting>(place_); }
  void take_place(StripPlaces::Place place) { place_ = std::move(place); }

  // Until it is done, or as StripJob::run. Errors as those of StripJob.
  std::optional<Result<js::Stripped>> run(Instant until, const std::atomic<bool>& interrupt);

 private:
  TypeScriptService& service_;
  std::string source_;  // until there is a job
  const std::uint64_t memory_bytes_;
  std::variant<StripPlaces::Place, StripPlaces::Waiting> place_;
  std::unique_ptr<js::StripJob> job_;  // gone before the place is
};

}  // namespace cordon::host
