#pragma once

// The result of making JavaScript from TypeScript.

#include <cstdint>
#include <string>
#include <variant>

#include "cordon/base/bytes.h"

namespace cordon::js {

// A part of a text that was made from another, and where the same part stands in the text as it was
// written. Lines and columns count from 0, and columns and lengths are UTF-16 units. A run lies in
// one line. One without a length is only the place where something begins.
struct WrittenRun {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t written_line = 0;
  std::uint32_t written_column = 0;
  std::uint32_t length = 0;
  friend bool operator==(const WrittenRun&, const WrittenRun&) = default;
};

struct JavaScript {
  std::string text;
  // WrittenRuns by line and column, as the guest reads them (written_runs.h). Empty where all is as
  // it was written.
  Bytes runs = {};
};

// Why there is no JavaScript.
struct StripRefusal {
  enum class Kind {
    unsupported,  // TypeScript that has no meaning here: `import x = require(…)`
    invalid,      // not TypeScript
    unread,       // nobody knows: it is nested too deeply for its parser
  };
  Kind kind = Kind::invalid;
  std::string message;
  // Counts from 1; 0 means unknown.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

using Stripped = std::variant<JavaScript, StripRefusal>;

}  // namespace cordon::js
