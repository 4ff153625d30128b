#pragma once

// How an execution's end is told: the codes and sentences.

#include <string>

#include "cordon/execution.h"
#include "cordon/host/call_ledger.h"
#include "cordon/js/guest.h"
#include "cordon/js/outcome.h"
#include "cordon/js/typescript.h"
#include "cordon/result.h"

namespace cordon::host {

// The code that a guest sees of a tool's failure, and that the execution ends with if it is not
// caught.
Error failure_of(Error error);

ExecutionError error_of(const js::Thrown& thrown, const CallLedger& calls);
ExecutionError error_of(const js::Unserializable& refused);
// Of a text whose first line is `first_line` of what was handed in.
ExecutionError error_of(const js::StripRefusal& refusal, const std::string& file,
                        std::uint32_t first_line);
ExecutionError error_of(js::GuestEnd end, const std::string& text, const Limits& limits);

// The sandbox could not be made or given its program.
ExecutionError error_of_start(const Error& error);

// What those who load a module or call one that stays are told of its end: with its place in the
// text, as a timeout or else as `otherwise`.
Error told_outside(const ExecutionError& error, ErrorCode otherwise);

// Of a program or module whose types were to be stripped.
ExecutionError types_past_memory_limit(const std::string& name, const Limits& limits);
ExecutionError timed_out();
ExecutionError cancelled();
ExecutionError overloaded(std::string message);
// The guest did what our own shim never does, or its interpreter broke.
ExecutionError sandbox_error(std::string message);
ExecutionError internal_error(std::string message);

}  // namespace cordon::host
