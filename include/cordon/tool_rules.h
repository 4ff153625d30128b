#pragma once

// ToolRules: what a tool may be given and may give, and how much of it one execution may use.
//
//   const Result<> added = shop.add("price", price,
//                                   {.description = "The price of an amount, in cents.",
//                                    .input = amount_schema,
//                                    .timeout = 500ms,
//                                    .max_calls = 20,
//                                    .read_only = true});
//
// A call passes in this order: its input matches the schema, the execution has calls left, one of
// the places that may run at once is free. Then the function runs, for as long as it may, and its
// result is checked. A call that ends early, because it is late or its execution is over, frees its
// place at once; the function's stop token says that nobody waits for it any more.

#include "cordon/needs_cxx23.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "cordon/value.h"

namespace cordon {

struct ToolRules {
  std::string description = {};  // for who calls it
  // JSON Schemas, draft 2020-12. No argument, and no result, is null to them. A value that does not
  // match ends the call with `validation_error`; the message names the place and not the value.
  std::optional<Value> input = {};
  std::optional<Value> output = {};
  std::optional<std::chrono::milliseconds> timeout = {};  // of one call, while it runs
  std::optional<std::size_t> max_calls = {};              // that one execution may make
  std::optional<std::size_t> concurrency = {};            // calls that run at once; others wait
  bool read_only = false;                                 // it changes nothing: Provider::read_only
};

}  // namespace cordon
