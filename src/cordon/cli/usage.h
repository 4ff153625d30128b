#pragma once

// How every command says that it cannot continue: "cordon run: what is wrong", on standard error.

#include <string_view>

#include "cordon/error.h"

namespace cordon::cli {

// Wrong usage, with a pointer to the help of the command. The exit code, 64.
int usage_error(std::string_view command, std::string_view message);
inline int usage_error(std::string_view command, const Error& error) {
  return usage_error(command, error.message);
}

// Any other end, which the help would not prevent. Gives `code` back.
int failed(std::string_view command, std::string_view message, int code);
inline int failed(std::string_view command, const Error& error, int code) {
  return failed(command, error.message, code);
}
// The same where standard output does not take what was written. Uses errno.
int cannot_write(std::string_view command);

}  // namespace cordon::cli
