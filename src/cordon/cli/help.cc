#include "cordon/cli/help.h"

#include <algorithm>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "cordon/cli/command_line.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/options.h"
#include "cordon/cli/usage.h"

namespace cordon::cli {
namespace {

constexpr std::size_t line_width = 80;
constexpr std::size_t about_column = 26;
constexpr std::size_t summary_column = 15;
constexpr const char* help_group = "Help";

// Breaks `text` at blanks so that no line goes past the width, each line after the first indented.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (column > indent && column + 1 + word.size() > line_width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

// A name and what is said about it, which begins on the next line where the name is long.
std::string row(const std::string& name, std::string_view about,
                std::size_t column = about_column) {
  std::string line = "  " + name;
  if (line.size() + 2 > column) {
    line += "\n" + std::string(column, ' ');
  } else {
    line += std::string(column - line.size(), ' ');
  }
  return line + wrapped(about, column) + "\n";
}

std::string heading(const Terminal& terminal, std::string_view text) {
  return "\n" + terminal.styled(Style::bold, text) + ":\n";
}

std::string indented(std::string_view lines, std::string_view before) {
  std::string text;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    text += std::string(before) + std::string(line) + "\n";
  }
  return text;
}

std::string names_of(const CLI::Option& option) {
  std::string names = option.get_snames().empty() ? "    " : "-" + option.get_snames().front();
  if (!option.get_lnames().empty()) {
    names += (option.get_snames().empty() ? "--" : ", --") + option.get_lnames().front();
  }
  return is_flag(option) ? names : names + " " + option.get_type_name();
}

std::string list_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(shown_name(*option));
  std::ranges::sort(names);  // a set of pointers has no order to show
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string about_of(const CLI::Option& option) {
  std::vector<std::string> remarks;
  if (option.get_required() && !option.get_positional()) remarks.emplace_back("needed");
  if (!option.get_default_str().empty()) remarks.push_back("default: " + option.get_default_str());
  if (!option.get_needs().empty()) remarks.push_back("with " + list_of(option.get_needs()));
  if (!option.get_excludes().empty()) {
    remarks.push_back("not with " + list_of(option.get_excludes()));
  }
  std::string about = option.get_description();
  for (const std::string& remark : remarks) {
    about += (&remark == &remarks.front() ? " (" : "; ") + remark;
  }
  return remarks.empty() ? about : about + ")";
}

}  // namespace

void bind(CLI::App& app, Invocation& invocation) {
  app.set_help_flag();
  begin_group(app, "Options");
  invocation.bind(app);
  begin_group(app, help_group);
  app.set_help_flag("-h,--help", "print this help and end");
}

std::string overview_text(const Terminal& terminal) {
  std::string text =
      "Cordon runs code you did not write, and lets it call only the functions you hand\n"
      "it.\n\n" +
      terminal.styled(Style::bold, "Usage") + ": cordon COMMAND [OPTIONS] [ARGUMENTS]\n";
  text += heading(terminal, "A first example");
  text += "  cordon run -e '[1, 2, 3].map((x) => x * 2)'\n";
  std::string_view group;
  for (const Command& command : commands()) {
    if (command.group != group) text += heading(terminal, command.group);
    group = command.group;
    text += row(std::string(command.name), command.summary, summary_column);
  }
  text += heading(terminal, "Options");
  text += row("-h, --help", "print this help and end; `cordon COMMAND --help` is about a command",
              summary_column + 2);
  text += row("    --version", "print the version and end", summary_column + 2);
  text += heading(terminal, "Exit codes");
  text +=
      "  0    done\n"
      "  1    the program or the function failed, its time and memory limits included\n"
      "  2    the protocol or the sandbox was violated\n"
      "  64   wrong usage: an option, a file that cannot be read, JSON that is none\n"
      "  70   a fault of our own\n"
      "  130  after Ctrl-C or SIGTERM\n";
  return text;
}

std::string help_text(const Command& command, const CLI::App& app, const Terminal& terminal) {
  const std::string title = "cordon " + std::string(command.name);
  std::string text = wrapped(command.summary, 0) + "\n";
  text += heading(terminal, "Usage") + indented(command.usage, "  " + title + " ");
  std::vector<std::string> groups;
  std::string arguments;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      arguments += row(shown_name(*option), about_of(*option));
    } else if (std::ranges::find(groups, option->get_group()) == groups.end()) {
      groups.push_back(option->get_group());
    }
  }
  if (!arguments.empty()) text += heading(terminal, "Arguments") + arguments;
  for (const std::string& group : groups) {
    text += heading(terminal, group);
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional() || option->get_group() != group) continue;
      text += row(names_of(*option), about_of(*option));
    }
  }
  if (!command.notes.empty()) text += "\n" + std::string(command.notes) + "\n";
  text += heading(terminal, "Exit codes") + indented(command.exit_codes, "  ");
  text += heading(terminal, "Examples") + indented(command.examples, "  ");
  return text;
}

void bind_help(CLI::App& command, HelpArguments& arguments) {
  command
      .add_option("command", arguments.command, "the command to explain; all of them unless given")
      ->type_name("COMMAND");
}

int help(const HelpArguments& arguments) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::string text;
  if (arguments.command.empty()) {
    text = overview_text(terminal);
  } else {
    const Command* command = find_command(arguments.command);
    if (command == nullptr) {
      return failed("help", unknown_command_text(arguments.command), exit_usage);
    }
    const std::unique_ptr<Invocation> invocation = command->make();
    CLI::App app;
    bind(app, *invocation);
    text = help_text(*command, app, terminal);
  }
  return write_all(STDOUT_FILENO, text) ? exit_done : cannot_write("help");
}

}  // namespace cordon::cli
