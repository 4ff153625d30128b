#include "cordon/cli/completions.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "cordon/cli/command.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/help.h"
#include "cordon/cli/options.h"
#include "cordon/cli/terminal.h"
#include "cordon/cli/usage.h"

namespace cordon::cli {
namespace {

// An option or an argument as a shell sees it.
struct Entry {
  std::string short_name;  // without the dash; empty: none
  std::string long_name;   // without dashes; empty: an argument
  std::string value;       // what the help calls it; empty: a flag
  std::vector<std::string> choices;
  std::string about;
  bool is_file = false;
  bool is_repeated = false;
};

struct CommandEntries {
  const Command& command;
  std::vector<Entry> options;
  std::vector<Entry> arguments;
};

// The words of "json|msgpack". A placeholder among them, as in "N|Infinity", is left out.
std::vector<std::string> choices_of(std::string_view value) {
  std::vector<std::string> words;
  if (!value.contains('|')) return words;
  while (!value.empty()) {
    const std::string_view word = value.substr(0, value.find('|'));
    value.remove_prefix(std::min(word.size() + 1, value.size()));
    const bool is_placeholder =
        std::ranges::none_of(word, [](unsigned char c) { return std::islower(c) != 0; });
    if (!is_placeholder) words.emplace_back(word);
  }
  return words;
}

Entry entry_of(const CLI::Option& option) {
  Entry entry;
  if (!option.get_snames().empty()) entry.short_name = option.get_snames().front();
  if (!option.get_lnames().empty()) entry.long_name = option.get_lnames().front();
  if (!is_flag(option)) entry.value = option.get_type_name();
  entry.choices = choices_of(entry.value);
  entry.about = option.get_description();
  for (const char* word : {"FILE", "PEM", "FOLDER", ".wasm", "TARGET"}) {
    entry.is_file = entry.is_file || entry.value.contains(word);
  }
  entry.is_repeated = is_list(option);
  return entry;
}

std::vector<CommandEntries> all_entries() {
  std::vector<CommandEntries> all;
  for (const Command& command : commands()) {
    const std::unique_ptr<Invocation> invocation = command.make();
    CLI::App app;
    bind(app, *invocation);
    CommandEntries entries{command, {}, {}};
    for (const CLI::Option* option : app.get_options()) {
      (option->get_positional() ? entries.arguments : entries.options).push_back(entry_of(*option));
    }
    // The commands themselves are what `cordon help` explains.
    if (command.name == "help") {
      for (const Command& other : commands()) {
        entries.arguments.front().choices.emplace_back(other.name);
      }
    }
    all.push_back(std::move(entries));
  }
  return all;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string replaced(std::string_view text, std::string_view special, std::string_view before) {
  std::string result;
  for (const char c : text) {
    if (special.contains(c)) result += before;
    result += c;
  }
  return result;
}

// In single quotes, for any of the three shells.
std::string quoted(std::string_view text, Shell shell) {
  std::string result = "'";
  for (const char c : text) {
    if (shell == Shell::fish && (c == '\'' || c == '\\')) {
      result += '\\';
      result += c;
    } else if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::vector<std::string> spellings(const Entry& entry) {
  std::vector<std::string> names;
  if (!entry.short_name.empty()) names.push_back("-" + entry.short_name);
  names.push_back("--" + entry.long_name);
  return names;
}

// Where nothing is proposed bash completes names of files, so only what is better than these needs
// a word. An equals sign is a word of its own to bash.
std::string bash_text() {
  std::vector<std::string> names = {"--help", "--version"};
  std::string values;
  std::string options;
  for (const CommandEntries& one : all_entries()) {
    const std::string command(one.command.name);
    names.push_back(command);
    std::vector<std::string> words;
    for (const Entry& entry : one.options) {
      for (const std::string& name : spellings(entry)) {
        words.push_back(name);
        if (!entry.choices.empty()) {
          values += "    " + command + ":" + name +
                    ") words=" + quoted(joined(entry.choices), Shell::bash) + " ;;\n";
        } else if (!entry.value.empty()) {
          values += "    " + command + ":" + name + ") return ;;\n";
        }
      }
    }
    options += "      " + command + ")\n        words=" + quoted(joined(words), Shell::bash) + "\n";
    for (const Entry& entry : one.arguments) {
      if (entry.choices.empty()) continue;
      options +=
          "        [[ $word == -* ]] || words=" + quoted(joined(entry.choices), Shell::bash) + "\n";
      break;
    }
    options += "        ;;\n";
  }
  return "# Completions of cordon for bash, made by `cordon completions bash`.\n"
         "_cordon() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  COMPREPLY=()\n"
         "  if [[ $word == = ]]; then\n"
         "    word=\n"
         "  elif [[ $last == = ]] && ((COMP_CWORD > 2)); then\n"
         "    last=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  fi\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W " +
         quoted(joined(names), Shell::bash) +
         " -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]}:$last in\n" +
         values +
         "  esac\n"
         "  if [[ -z $words ]]; then\n"
         "    case ${COMP_WORDS[1]} in\n" +
         options +
         "    esac\n"
         "    # A word without a dash is an argument: a file, unless there are words for it.\n"
         "    [[ $word == -* || $words != -* ]] || return\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o bashdefault -o default -F _cordon cordon\n";
}

// The part of an _arguments specification that follows a name: what the value is, and its words.
std::string zsh_value(const Entry& entry) {
  if (entry.value.empty()) return "";
  const std::string label = replaced(entry.value, ":[]\\", "\\");
  const std::string action = !entry.choices.empty() ? "(" + joined(entry.choices) + ")"
                             : entry.is_file        ? "_files"
                                                    : " ";
  return ":" + label + ":" + action;
}

std::string zsh_text() {
  std::string names;
  std::string cases;
  for (const CommandEntries& one : all_entries()) {
    const std::string command(one.command.name);
    names += "    " +
             quoted(command + ":" + replaced(one.command.summary, ":\\", "\\"), Shell::zsh) + "\n";
    cases += "    " + command + ")\n      _arguments -s \\\n";
    for (const Entry& entry : one.options) {
      const std::vector<std::string> all = spellings(entry);
      for (const std::string& name : all) {
        // One that may come once excludes its other spelling.
        const std::string before = entry.is_repeated ? "*" : "(" + joined(all) + ")";
        const std::string about = "[" + replaced(entry.about, "[]\\:", "\\") + "]";
        cases +=
            "        " + quoted(before + name + about + zsh_value(entry), Shell::zsh) + " \\\n";
      }
    }
    for (std::size_t i = 0; i < one.arguments.size(); ++i) {
      Entry entry = one.arguments[i];
      entry.is_file = true;
      cases += "        " + quoted(std::to_string(i + 1) + zsh_value(entry), Shell::zsh) + " \\\n";
    }
    cases.erase(cases.size() - 3);
    cases += "\n      ;;\n";
  }
  return "#compdef cordon\n"
         "# Completions of cordon for zsh, made by `cordon completions zsh`.\n"
         "_cordon() {\n"
         "  local -a commands=(\n" +
         names +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe -t commands 'command' commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _cordon ]]; then\n"
         "  _cordon \"$@\"\n"
         "else\n"
         "  compdef _cordon cordon\n"
         "fi\n";
}

std::string fish_text() {
  std::string text =
      "# Completions of cordon for fish, made by `cordon completions fish`.\n"
      "complete -c cordon -n __fish_use_subcommand -f -s h -l help -d 'print help and end'\n"
      "complete -c cordon -n __fish_use_subcommand -f -l version -d 'print the version and end'\n";
  for (const CommandEntries& one : all_entries()) {
    const std::string command(one.command.name);
    text += "complete -c cordon -n __fish_use_subcommand -f -a " + command + " -d " +
            quoted(one.command.summary, Shell::fish) + "\n";
    const std::string start = "complete -c cordon -n '__fish_seen_subcommand_from " + command + "'";
    for (const Entry& entry : one.options) {
      text += start;
      if (!entry.short_name.empty()) text += " -s " + entry.short_name;
      text += " -l " + entry.long_name;
      if (!entry.choices.empty()) {
        text += " -x -a " + quoted(joined(entry.choices), Shell::fish);
      } else if (!entry.value.empty()) {
        text += entry.is_file ? " -r" : " -x";
      }
      text += " -d " + quoted(entry.about, Shell::fish) + "\n";
    }
    for (const Entry& entry : one.arguments) {
      if (entry.choices.empty()) continue;
      text += start + " -f -a " + quoted(joined(entry.choices), Shell::fish) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string completions_text(Shell shell) {
  switch (shell) {
    case Shell::bash:
      return bash_text();
    case Shell::zsh:
      return zsh_text();
    case Shell::fish:
      return fish_text();
  }
  std::unreachable();
}

void bind_completions(CLI::App& command, CompletionsArguments& arguments) {
  add_choice(command, "shell", arguments.shell,
             {{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}},
             "the shell that will read them")
      .required();
}

int completions(const CompletionsArguments& arguments) {
  const bool written = write_all(STDOUT_FILENO, completions_text(arguments.shell));
  return written ? exit_done : cannot_write("completions");
}

}  // namespace cordon::cli
