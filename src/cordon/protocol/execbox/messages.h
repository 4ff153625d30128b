#pragma once

// The messages of the execbox protocol: those of a host, read into typed structs, and those of a
// runner, each written as a line of JSON.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cordon/protocol/execbox/limits.h"
#include "cordon/result.h"
#include "cordon/value.h"
#include "cordon/value/name_list.h"

namespace cordon::execbox {

// From the host.

// `execute.options`, already lowered to the operator's limits. Any number is accepted.
struct Options {
  std::chrono::milliseconds timeout{};
  std::uint64_t memory_limit_bytes = 0;
  std::size_t max_log_lines = 0;
  std::size_t max_log_chars = 0;
};

// A namespace in the guest. The host chooses the names, and they may be anything.
struct ProviderManifest {
  std::string name;
  NameList safe_names;  // of its tools, without duplicates
};

struct Execute {
  std::string id;
  std::string code;
  Options options;
  std::vector<ProviderManifest> providers;
};

struct Cancel {
  std::string id;
};

struct ToolResult {
  std::string call_id;
  std::variant<Value, Error> outcome;
};

// An `execute` that cannot be run, but has an id to answer.
struct MalformedExecute {
  std::string id;
  std::string reason;
};

// Any other message: another type, or a field that is missing or has the wrong type.
struct Noise {};

using HostMessage = std::variant<Noise, Execute, Cancel, ToolResult, MalformedExecute>;

HostMessage read_message(const Value& message, const Ceilings& ceilings);

// From the runner. Each appends one line.

// What is known about a failure beside its code and message. The specification does not have these
// members, and its hosts pass them on. Texts are cut short when they are written.
struct Diagnostics {
  struct Cause {
    std::string name = {};
    std::string message = {};
    std::string stack = {};
  };
  std::string name = {};
  std::string file = {};   // with line and column: where it happened
  std::uint32_t line = 0;  // from 1; 0 if the place is not known
  std::uint32_t column = 0;
  std::string hint = {};
  std::string reason = {};  // what may not leave: "an object of class Date"
  std::string place = {};   // of it, in the value
  std::string stack = {};
  std::vector<std::string> suggestions = {};
  std::vector<Cause> causes = {};  // each is that of the one before it
};

// Reads the error of a `done`. What is no diagnostic is left out, and texts are cut short.
Diagnostics read_diagnostics(ValueView error);

struct Done {
  std::string id;
  std::chrono::milliseconds duration{};
  std::vector<std::string> logs;
  std::variant<Value, Error> outcome;
  Diagnostics diagnostics = {};  // of an Error
};

void write_started(std::string& out, std::string_view id);
// Fails if the input cannot be written; `out` is then as before.
Result<> write_tool_call(std::string& out, std::string_view call_id, std::string_view provider_name,
                         std::string_view safe_tool_name, const ValueView& input);
// A result that cannot be written becomes a serialization_error.
void write_done(std::string& out, const Done& done);

inline constexpr std::string_view timed_out_text = "Execution timed out";
inline constexpr std::string_view not_serializable_text =
    "Guest code returned a non-serializable value";

}  // namespace cordon::execbox
