#pragma once

// Values in the form that guest/abi.h gives them. The reader takes bytes that a hostile guest
// wrote.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cordon/base/budget.h"
#include "cordon/base/reader.h"
#include "cordon/base/writer.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::js {

enum class WireKinds : std::uint8_t {
  plain,  // JSON's, and undefined
  rich,   // all of Value's, shared references and cycles
};

struct WireLimits {
  std::size_t depth = 1000;
  std::size_t elements = 8 * 1024 * 1024;
  std::size_t bytes = std::size_t{64} << 20;
  WireKinds kinds = WireKinds::plain;
  // What the values that are read may take of the host's memory, for as long as they are kept.
  std::shared_ptr<Budget> budget = {};
};

// Reads one value; what follows it is left to the caller. ErrorCode::memory_limit where the budget
// does not cover it: the value is well formed as far as it was read.
Result<Value> read_value(Reader& in, const WireLimits& limits);

// ErrorCode::serialization_error where the value has what a guest may not be given: with
// WireKinds::plain bigints, dates, cycles and other kinds beyond JSON's, numbers that are not
// finite; undefined members are then left out, and undefined elements null. So is a value that is
// larger than limits.bytes when it is written out; no more than that is written.
Result<> write_value(Writer& out, ValueView value, const WireLimits& limits);

}  // namespace cordon::js
