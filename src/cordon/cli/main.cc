#include <csignal>
#include <exception>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "cordon/cli/command_line.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/terminal.h"

namespace {

// A standard stream that is not there stays so: its number would go to the next file that is
// opened, and what is meant for the stream would be written there. Reading and writing fail as
// before.
void keep_standard_numbers() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    // The lowest number that is free, which is this one.
    (void)open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cordon::cli;
  // A reader that went away is an error of write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  keep_standard_numbers();
  try {
    return run_command_line(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& error) {
    write_all(STDERR_FILENO, std::string("cordon: internal error: ") + error.what() + "\n");
    return exit_internal;
  }
}
