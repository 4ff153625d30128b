#pragma once

// What a program has left open when its result was decided, as the guest tells it (guest/abi.h,
// EMIT_LOOSE_ENDS). It is shown to people and decides nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/reader.h"
#include "cordon/js/outcome.h"
#include "cordon/result.h"

namespace cordon::js {

// Why the result is undefined although the program computed something.
enum class NoResult : std::uint8_t {
  as_meant,  // or there is a result
  variable,  // the last statement declares a variable
  function,  // or a function that nobody calls
  exported,  // the program only exports
  block,     // a value is a statement in the last condition, loop or `try`
};

// Calls of one tool.
struct LooseCalls {
  std::uint32_t tool = 0;
  std::string name = {};  // of a function of an open namespace
  std::uint32_t count = 0;
  std::optional<Location> first = {};
};

struct LooseEnds {
  NoResult no_result = NoResult::as_meant;
  std::string result_name = {};            // what the program ends in; empty if it has no name
  std::vector<LooseCalls> unawaited = {};  // nobody waited for them
  std::vector<LooseCalls> left = {};       // the result did not wait for them
  std::vector<LooseCalls> extra_arguments = {};  // made with more than one argument
};

Result<LooseEnds> read_loose_ends(Reader& in);

}  // namespace cordon::js
