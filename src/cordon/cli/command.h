#pragma once

// The commands of the program, as one table. Parsing, help and completions all read it, so that a
// command is added by one row.

#include <memory>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace cordon::cli {

// One command with the arguments that it was given.
class Invocation {
 public:
  virtual ~Invocation() = default;
  // Tells the parser of its options. What they say is written to this object.
  virtual void bind(CLI::App& command) = 0;
  // Once the command line is read. The exit code.
  virtual int run() = 0;
};

struct Command {
  std::string_view name;
  std::string_view group;  // in `cordon --help`
  std::string_view summary;
  std::string_view usage;       // what follows "cordon NAME", a line for each form
  std::string_view notes;       // what the options do not say
  std::string_view exit_codes;  // a line for each: the code, two blanks, what it means
  std::string_view examples;    // a line for each, as in a shell
  std::unique_ptr<Invocation> (*make)();
};

// In the order of the help.
std::span<const Command> commands();
// Null if there is no command of this name.
const Command* find_command(std::string_view name);

// For a command that is two functions and what they share.
template <class Arguments, auto bind_options, auto run_with>
std::unique_ptr<Invocation> make_invocation() {
  class Made final : public Invocation {
   public:
    void bind(CLI::App& command) override { bind_options(command, arguments_); }
    int run() override { return run_with(arguments_); }

   private:
    Arguments arguments_;
  };
  return std::make_unique<Made>();
}

}  // namespace cordon::cli
