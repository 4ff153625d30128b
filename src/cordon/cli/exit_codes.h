#pragma once

// What the program's exit code says, the same for every command, and which failure gives which.

#include "cordon/base/error_table.h"
#include "cordon/error.h"

namespace cordon::cli {

enum ExitCode : int {
  exit_done = 0,
  exit_failed = 1,     // the guest or the function failed, timeout and memory included
  exit_violated = 2,   // the protocol or the sandbox was violated
  exit_usage = 64,     // wrong usage: an option, an unreadable file, bad JSON in an argument
  exit_internal = 70,  // our own fault
  exit_interrupted = 130,
};

// The exit codes for a program of `cordon run`, and for a function of `cordon call`. The process of
// a call is ended if it takes too long, sends too much, or goes away, so those are violations
// there.
struct ExitCodes {
  ExitCode program;
  ExitCode call;
};

inline constexpr auto exit_codes = error_table<ExitCodes>({{
    {ErrorCode::none, {exit_done, exit_done}},
    {ErrorCode::invalid_argument, {exit_failed, exit_usage}},
    {ErrorCode::not_found, {exit_failed, exit_failed}},
    {ErrorCode::already_exists, {exit_failed, exit_failed}},
    {ErrorCode::type_mismatch, {exit_failed, exit_failed}},
    {ErrorCode::unsupported, {exit_failed, exit_failed}},
    {ErrorCode::malformed, {exit_failed, exit_failed}},
    {ErrorCode::truncated, {exit_failed, exit_failed}},
    {ErrorCode::invalid_utf8, {exit_failed, exit_failed}},
    {ErrorCode::too_large, {exit_failed, exit_violated}},
    {ErrorCode::too_deep, {exit_failed, exit_failed}},
    {ErrorCode::cyclic, {exit_failed, exit_failed}},
    {ErrorCode::protocol_violation, {exit_failed, exit_violated}},
    {ErrorCode::bad_frame, {exit_failed, exit_violated}},
    {ErrorCode::bad_version, {exit_failed, exit_violated}},
    {ErrorCode::bad_message, {exit_failed, exit_violated}},
    {ErrorCode::unauthorized_callback, {exit_failed, exit_violated}},
    {ErrorCode::unknown_id, {exit_failed, exit_violated}},
    {ErrorCode::syntax_error, {exit_failed, exit_failed}},
    {ErrorCode::runtime_error, {exit_failed, exit_failed}},
    {ErrorCode::tool_error, {exit_failed, exit_failed}},
    {ErrorCode::validation_error, {exit_failed, exit_failed}},
    {ErrorCode::serialization_error, {exit_failed, exit_failed}},
    {ErrorCode::timeout, {exit_failed, exit_violated}},
    {ErrorCode::memory_limit, {exit_failed, exit_failed}},
    {ErrorCode::stack_overflow, {exit_failed, exit_failed}},
    {ErrorCode::cancelled, {exit_failed, exit_failed}},
    {ErrorCode::sandbox_error, {exit_violated, exit_failed}},
    {ErrorCode::overloaded, {exit_internal, exit_failed}},
    {ErrorCode::unavailable, {exit_failed, exit_usage}},
    {ErrorCode::permission_denied, {exit_failed, exit_failed}},
    {ErrorCode::io, {exit_failed, exit_failed}},
    {ErrorCode::closed, {exit_failed, exit_failed}},
    {ErrorCode::exited, {exit_failed, exit_violated}},
    {ErrorCode::runner_error, {exit_violated, exit_failed}},
    {ErrorCode::internal_error, {exit_internal, exit_internal}},
}});

inline ExitCode exit_code_of_program(const Error& error) { return exit_codes[error.code].program; }
inline ExitCode exit_code_of_call(const Error& error) { return exit_codes[error.code].call; }

}  // namespace cordon::cli
