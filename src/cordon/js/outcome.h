#pragma once

// How a program, or a call of one of its functions, ended, as the guest reports it. Only the host
// decides whether a limit was hit.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cordon/base/reader.h"
#include "cordon/js/value_wire.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::js {

struct ErrorText {
  std::string name;
  std::string message;
  std::string stack;
};

// Why a value may not leave the sandbox.
enum class RefusedAs : std::uint8_t {
  bigint,
  function,
  symbol,
  number,  // that is not finite
  cycle,
  object,  // of one of the language's classes
  depth,
  size,
  getter,    // reading it threw
  instance,  // of a class of the program's own
  other,
};

// A value that may not leave the sandbox.
struct Unserializable {
  std::string reason;  // "a function"
  std::string place;   // "a[1].deep"; empty for the value itself
  RefusedAs why = RefusedAs::other;
  std::string class_name = {};  // of an object
  bool has_members = false;     // of an instance: it has enumerable members of its own
};

struct Thrown {
  bool is_syntax_error = false;   // the text did not parse: no guest code ran
  std::uint64_t failed_call = 0;  // the host's call that failed, if the guest names one
  bool is_refused_input = false;  // a tool's input could not leave the sandbox
  ErrorText error;
  std::vector<ErrorText> causes;  // nearest first
  Unserializable refused_input;   // what was refused, if is_refused_input
  // A property that does not exist, or empty for any other error; and names that do exist.
  std::string unknown_name;
  bool is_in_promise = false;   // it was looked for in a promise
  bool is_in_list = false;      // in an array
  bool is_in_text = false;      // in a string
  bool is_global = false;       // it was looked for as a variable, or on the global object
  bool names_are_near = false;  // or just those that exist
  std::vector<std::string> names;
};

using Outcome = std::variant<Value, Thrown, Unserializable>;

// Reads u8 enum Outcome and what follows to the end of the message.
Result<Outcome> read_outcome(Reader& in, const WireLimits& limits);
// Reads what follows OUTCOME_THROWN, to the end of the message.
Result<Thrown> read_thrown(Reader& in);

struct Location {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function = {};  // empty if it has no name
  friend bool operator==(const Location&, const Location&) = default;
};

// The innermost frame of the engine's stack that names a line of a file. Texts that a program makes
// itself, for `eval` or `JSON.parse`, do not count.
std::optional<Location> location_of(std::string_view stack);

}  // namespace cordon::js
