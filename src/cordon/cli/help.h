#pragma once

// What `cordon --help` and `cordon COMMAND --help` print, made of the table of commands and of the
// options that they have.

#include <string>

#include "cordon/cli/command.h"
#include "cordon/cli/terminal.h"

namespace cordon::cli {

// All commands in their groups, with a first example.
std::string overview_text(const Terminal& terminal);
// One command, whose options `app` has.
std::string help_text(const Command& command, const CLI::App& app, const Terminal& terminal);

// Gives `app` the options of a command, with the one for help.
void bind(CLI::App& app, Invocation& invocation);

// `cordon help [COMMAND]`.
struct HelpArguments {
  std::string command;
};
void bind_help(CLI::App& command, HelpArguments& arguments);
int help(const HelpArguments& arguments);

}  // namespace cordon::cli
