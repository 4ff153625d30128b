#pragma once

// Cordon's side of each measurement, through the public API alone. bench/peers/peer.mjs is its
// counterpart.

#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::bench {

// `request` has the member `measure` and what that one needs; the result is an object of numbers,
// times in seconds. Each measurement wants a process of its own, so that none meets the heap
// another one left.
Result<Value> measure(const Value& request);

}  // namespace cordon::bench
