#pragma once

// Where the places that a runner tells are in the program as it was written. The runner has another
// text: with something in front of its first line, and without types.

#include <cstdint>
#include <optional>
#include <string>

#include "cordon/bytes.h"
#include "cordon/execution.h"

namespace cordon::runners {

struct WrittenPlaces {
  std::string file = {};     // as stacks and locations show it
  std::string written = {};  // the program's text
  // UTF-16 units that the runner's text has in front of the first line of the program.
  std::uint64_t units_before = 0;
  Bytes runs = {};          // js::WrittenRuns of what follows them, if types were stripped
  std::uint32_t lines = 0;  // of the program, in the runner's text; what follows is the host's

  // Puts a location and a stack right, and adds the lines around the location, and the function. A
  // place that the program does not have, since the host wrote that text, is left out.
  void put_right(ExecutionError& error) const;

 private:
  std::optional<SourceLocation> find(std::uint32_t line, std::uint32_t column) const;
  std::string put_right(const std::string& stack, const std::string& their_file) const;
};

}  // namespace cordon::runners
