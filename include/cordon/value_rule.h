#pragma once

// What may leave a sandbox, as a result or as a tool's input.

#include "cordon/needs_cxx23.h"

#include <cstdint>

namespace cordon {

// Under `json` and `rich`, every kind of Value may also enter, as `input` or as a tool's answer.
// Their numbers are those of guest/abi.h.
enum class ValueRule : std::uint8_t {
  strict,  // null, booleans, finite numbers, strings, arrays, plain objects
  // What JSON.stringify makes of it: toJSON is called, a Date becomes text, an instance of a class
  // its own members. What would be lost, such as a Map, an error or NaN, is refused, but not in
  // programs of ProgramRule::execbox: there it is JSON.stringify alone that decides.
  json,
  // Every kind of Value: Dates, Maps, Sets, bigints, bytes, errors, shared references and cycles.
  rich,
};

}  // namespace cordon
