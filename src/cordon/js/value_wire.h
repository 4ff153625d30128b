#pragma once

// Values in the form that guest/abi.h describes. The reader takes bytes that a hostile guest wrote.

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
  // Pays for the memory of the values that are read, for as long as they are kept.
  std::shared_ptr<Budget> budget = {};
};

// Reads one value and leaves what follows it to the caller. Fails with ErrorCode::memory_limit if
// the budget does not cover the value, which is well formed as far as it was read.
Result<Value> read_value(Reader& in, const WireLimits& limits);

// Fails with ErrorCode::serialization_error if a guest may not be given the value. With
// WireKinds::plain these are bigints, dates, cycles, other kinds beyond JSON's, and numbers that
// are not finite; undefined members are left out, and undefined elements become null. A value that
// is larger than limits.bytes when written out fails too, and no more than that is written.
Result<> write_value(Writer& out, ValueView value, const WireLimits& limits);

}  // namespace cordon::js
