#pragma once

// How the end of an execution is reported: codes and sentences.

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
// For a text whose first line is line `first_line` of the program.
ExecutionError error_of(const js::StripRefusal& refusal, const std::string& file,
                        std::uint32_t first_line);
ExecutionError error_of(js::GuestEnd end, const std::string& text, const Limits& limits);

// The sandbox could not be made or given its program.
ExecutionError error_of_start(const Error& error);

// The error for callers that load a module, or call one that is kept, when it has ended. It names
// the place in the text. Its code is timeout, or `otherwise`.
Error told_outside(const ExecutionError& error, ErrorCode otherwise);

// The message with what was refused and where, if a value was: people and programs look for it
// there.
std::string message_with_place(const ExecutionError& error);
// The same with the hint, for the caller of the tool whose value was refused.
std::string tool_refusal_text(const ExecutionError& error);

// For a program or module whose types were to be stripped.
ExecutionError types_past_memory_limit(const std::string& name, const Limits& limits);
ExecutionError timed_out();
ExecutionError cancelled();
ExecutionError overloaded(std::string message);
// The guest did what our own code in it never does, or its interpreter crashed.
ExecutionError sandbox_error(std::string message);
ExecutionError internal_error(std::string message);

}  // namespace cordon::host
