#include <algorithm>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cordon/cli/call.h"
#include "cordon/cli/convert.h"
#include "cordon/cli/doctor.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/guest.h"
#include "cordon/cli/run.h"
#include "cordon/cli/runner.h"
#include "cordon/cli/serve.h"
#include "cordon/cli/terminal.h"
#include "cordon/version.h"

namespace {

using namespace cordon::cli;

int parse_and_run(int argc, char** argv) {
  CLI::App app(
      "Cordon runs code you did not write, and lets it call only the functions you hand it.",
      "cordon");
  app.set_version_flag("--version", CORDON_VERSION);
  app.require_subcommand(1);
  app.footer("Each command has --help with an example.");
  RunArguments run_arguments;
  ConvertArguments convert_arguments;
  DoctorArguments doctor_arguments;
  RunnerArguments runner_arguments;
  GuestArguments guest_arguments;
  CallArguments call_arguments;
  ServeArguments serve_arguments;
  // A plugin's process starts often, and wants to know of no other command.
  const bool is_guest = argc > 1 && std::string_view(argv[1]) == "guest";
  if (!is_guest) {
    add_run(app, run_arguments);
    add_convert(app, convert_arguments);
    add_runner(app, runner_arguments);
    add_serve(app, serve_arguments);
    add_call(app, call_arguments);
  }
  add_guest(app, guest_arguments);
  if (!is_guest) add_doctor(app, doctor_arguments);

  if (argc < 2) {
    write_all(STDERR_FILENO, app.help());
    return exit_usage;
  }
  const std::string command = argv[1];
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });
  const bool known =
      std::ranges::any_of(all, [&](const CLI::App* one) { return one->get_name() == command; });
  if (!command.starts_with('-') && !known) {
    write_all(STDERR_FILENO, "cordon: there is no command '" + visible(command, Lines::escaped) +
                                 "' (see `cordon --help`)\n");
    return exit_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_done : exit_usage;
  }
  if (app.got_subcommand("guest")) return guest(guest_arguments);
  if (app.got_subcommand("run")) return run(run_arguments);
  if (app.got_subcommand("convert")) return convert(convert_arguments);
  if (app.got_subcommand("runner")) return runner(runner_arguments);
  if (app.got_subcommand("serve")) return serve(serve_arguments);
  if (app.got_subcommand("call")) return call(call_arguments);
  return doctor(doctor_arguments);
}

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
  // A reader that went away is an error of write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  keep_standard_numbers();
  try {
    return parse_and_run(argc, argv);
  } catch (const std::exception& error) {
    write_all(STDERR_FILENO, std::string("cordon: internal error: ") + error.what() + "\n");
    return exit_internal;
  }
}
