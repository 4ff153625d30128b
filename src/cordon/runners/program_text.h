#pragma once

// A program as a runner gets it that knows less than our own engine does: without types, with its
// input, and with the call of a program that is one function.

#include <optional>
#include <string>
#include <string_view>

#include "cordon/engine.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::runners {

struct ProgramToSend {
  std::string_view code;
  std::string_view file = {};  // by whose name it may be TypeScript
  std::optional<Value> input = {};
};

// Lines stay where they are. `engine` reads the text and runs none of it. Text that is no program
// is sent as it is: the runner says what is wrong with it. Fails where types cannot be stripped.
Result<std::string> text_for_runner(const ProgramToSend& program, Engine& engine);

}  // namespace cordon::runners
