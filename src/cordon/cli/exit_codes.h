#pragma once

// What the program's exit code says, the same for every command.

namespace cordon::cli {

enum ExitCode : int {
  exit_done = 0,
  exit_failed = 1,     // the guest or the function failed, timeout and memory included
  exit_violated = 2,   // the protocol or the sandbox was violated
  exit_usage = 64,     // wrong usage: an option, an unreadable file, bad JSON in an argument
  exit_internal = 70,  // our own fault
  exit_interrupted = 130,
};

}  // namespace cordon::cli
