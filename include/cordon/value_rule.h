#pragma once

// What may leave a sandbox, as a result or as a tool's input.

#include "cordon/needs_cxx23.h"

#include <cstdint>

namespace cordon {

// Their numbers are those of guest/abi.h.
enum class ValueRule : std::uint8_t {
  strict,  // null, booleans, finite numbers, strings, arrays, plain objects
  json,    // what JSON.stringify makes of it: a Date becomes text, NaN becomes null
  // Every kind of Value: Dates, Maps, Sets, bigints, bytes, errors, shared references and cycles.
  // Only this rule also lets them enter, as `input` or as a tool's answer.
  rich,
};

}  // namespace cordon
