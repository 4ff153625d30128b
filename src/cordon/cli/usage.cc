#include "cordon/cli/usage.h"

#include <cerrno>
#include <string>
#include <system_error>
#include <unistd.h>

#include "cordon/cli/exit_codes.h"
#include "cordon/cli/terminal.h"

namespace cordon::cli {
namespace {

std::string title(std::string_view command) {
  return command.empty() ? "cordon" : "cordon " + std::string(command);
}

}  // namespace

int usage_error(std::string_view command, std::string_view message) {
  const std::string help = " (see `" + title(command) + " --help`)";
  return failed(command, std::string(message) + help, exit_usage);
}

int failed(std::string_view command, std::string_view message, int code) {
  write_all(STDERR_FILENO, title(command) + ": " + visible(message, Lines::escaped) + "\n");
  return code;
}

int cannot_write(std::string_view command) {
  const std::string why = std::generic_category().message(errno);
  return failed(command, "cannot write to standard output: " + why, exit_internal);
}

}  // namespace cordon::cli
