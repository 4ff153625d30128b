#pragma once

// One text whose types are stripped in the turns of an execution. It waits for a place and then
// gets a sandbox. One thread at a time may use it, not always the same one.

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
  // Every text may use this much, so that a small guest can import a small module. The smallest
  // text takes 2.6 MiB, and 1,000 lines of 100 characters take 5.4 MiB.
  static constexpr std::uint64_t min_memory_bytes = std::uint64_t{8} << 20;

  // Asks for a place. `memory_bytes` is what the execution has left of its limit; the text and its
  // sandbox may take that much. `service` must outlive this object.
  Stripping(TypeScriptService& service, std::string source, std::uint64_t memory_bytes,
            StripPlaces::Offer offer);

  // If so, there is nothing to run until take_place().
  bool waits_for_place() const { return std::holds_alternative<StripPlaces::Waiting>(place_); }
  void take_place(StripPlaces::Place place) { place_ = std::move(place); }

  // Runs until it is done or as StripJob::run does. Fails as StripJob does.
  std::optional<Result<js::Stripped>> run(Instant until, const std::atomic<bool>& interrupt);

 private:
  TypeScriptService& service_;
  std::string source_;  // the text, until there is a job
  const std::uint64_t memory_bytes_;
  std::variant<StripPlaces::Place, StripPlaces::Waiting> place_;
  std::unique_ptr<js::StripJob> job_;  // destroyed before the place
};

}  // namespace cordon::host
