#include "cordon/cli/command_line.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>

#include "cordon/cli/command.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/help.h"
#include "cordon/cli/options.h"
#include "cordon/cli/terminal.h"
#include "cordon/cli/usage.h"
#include "cordon/config/spelling.h"
#include "cordon/version.h"

namespace cordon::cli {
namespace {

struct Synonym {
  std::string_view written;
  std::string_view meant;
};

// What other programs call these, spelled too differently to be found by their letters.
constexpr Synonym option_synonyms[] = {
    {"port", "listen"},
    {"host", "listen"},
    {"bind", "listen"},
    {"address", "listen"},
    {"verbose", "trace"},
    {"debug", "trace"},
    {"v", "trace"},
    {"watch", "dev"},
    {"reload", "dev"},
    {"schema", "print-schema"},
    {"c", "config"},
    {"p", "listen"},
    {"tool", "provider"},
    {"tools", "provider"},
    {"args", "input"},
    {"i", "input"},
    {"time", "timeout"},
    {"t", "timeout"},
    {"m", "memory"},
    {"mem", "memory"},
    {"pretty-print", "pretty"},
};
constexpr Synonym command_synonyms[] = {
    {"exec", "run"},    {"eval", "run"},     {"execute", "run"},          {"start", "serve"},
    {"invoke", "call"}, {"check", "doctor"}, {"complete", "completions"},
};

std::string meant_by(std::span<const Synonym> synonyms, std::string_view written) {
  const auto found = std::ranges::find(synonyms, written, &Synonym::written);
  return found == synonyms.end() ? std::string() : std::string(found->meant);
}

std::string title_of(std::string_view name) {
  return name.empty() ? "cordon" : "cordon " + std::string(name);
}

// `word` as it was written, without a value behind an equals sign.
std::string unknown_option_text(const CLI::App& command, std::string_view name,
                                const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  const std::string bare = word.substr(word.find_first_not_of('-'));
  std::optional<std::string> near;
  // A single letter is near to nothing.
  if (word.starts_with("--")) near = config::nearest(bare, names);
  const std::string meant = meant_by(option_synonyms, bare);
  if (!near && std::ranges::find(names, meant) != names.end()) near = meant;
  std::string text = "unknown option " + word + ";";
  if (near) text += " did you mean --" + *near + "?";
  return text + " `" + title_of(name) + " --help` lists them";
}

// Reads words in the parser's own order, with the parser's own idea of what an option is. It only
// looks: the values are read by the parser, once all words have their place.
class WordReader {
 public:
  WordReader(const CLI::App& command, std::string_view name, std::span<const std::string> words)
      : command_(command), name_(name), words_(words) {
    for (const CLI::Option* option : command.get_options()) {
      if (option->get_positional()) arguments_.push_back(option);
    }
  }

  WordCheck read() {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (only_arguments_ || !is_option(word)) {
        read_argument(word);
      } else if (word == "--") {
        only_arguments_ = true;
      } else if (word.starts_with("--")) {
        read_long(word);
      } else {
        read_short(word);
      }
    }
    if (!check_.mistake) check_relations();
    return std::move(check_);
  }

 private:
  // "-" is an argument, and so is a negative number.
  bool is_option(const std::string& word) const {
    if (word.size() < 2 || word.front() != '-') return false;
    const auto next = static_cast<unsigned char>(word[1]);
    return std::isdigit(next) == 0 || find(word.substr(0, 2)) != nullptr;
  }

  const CLI::Option* find(const std::string& name) const {
    return command_.get_option_no_throw(name);
  }

  void complain(std::string text) {
    if (!check_.mistake) check_.mistake = std::move(text);
  }

  void complain_of_name(const std::string& name) {
    if (!check_.mistake) check_.is_unknown_name = true;
    complain(unknown_option_text(command_, name_, name));
  }

  void read_argument(const std::string& word) {
    if (next_argument_ == arguments_.size()) {
      return complain("'" + word + "' is one argument too many");
    }
    given_.push_back(arguments_[next_argument_++]);
  }

  void read_long(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const CLI::Option* option = find(name);
    if (option == nullptr) return complain_of_name(name);
    const bool has_value = equals != std::string::npos;
    if (is_flag(*option)) {
      if (has_value)
        complain(name + " takes no value; write it without '" + word.substr(equals) + "'");
    } else if (has_value && equals + 1 == word.size()) {
      complain(name + ": there is no value behind the '='");
    } else if (!has_value) {
      skip_value(*option, name);
    }
    note(*option);
  }

  void read_short(const std::string& word) {
    const std::string name = word.substr(0, 2);
    const CLI::Option* option = find(name);
    if (option == nullptr) return complain_of_name(name);
    if (is_flag(*option)) {
      if (word.size() > 2) read_short("-" + word.substr(2));
    } else if (word.size() == 2) {
      skip_value(*option, name);
    }
    note(*option);
  }

  void skip_value(const CLI::Option& option, const std::string& name) {
    if (at_ == words_.size()) {
      return complain(name + " needs a value: " + name + " " + option.get_type_name());
    }
    ++at_;
  }

  void note(const CLI::Option& option) {
    if (&option == command_.get_help_ptr()) check_.wants_help = true;
    const bool is_repeated = std::ranges::find(given_, &option) != given_.end();
    if (is_repeated && !is_flag(option) && !is_list(option)) {
      complain(shown_name(option) + " is given twice; give it once");
    }
    given_.push_back(&option);
  }

  bool is_given(const CLI::Option* option) const {
    return std::ranges::find(given_, option) != given_.end();
  }

  void check_relations() {
    for (const CLI::Option* option : command_.get_options()) {
      if (!is_given(option)) {
        if (option->get_required()) complain(missing_text(*option));
        continue;
      }
      for (const CLI::Option* other : option->get_excludes()) {
        if (!is_given(other)) continue;
        complain(shown_name(*option) + " and " + shown_name(*other) +
                 " do not go together; give one of them");
      }
      for (const CLI::Option* other : option->get_needs()) {
        if (is_given(other)) continue;
        complain(shown_name(*option) + " needs " + shown_name(*other) +
                 " beside it: " + shown_name(*other) + " " + other->get_type_name());
      }
    }
  }

  static std::string missing_text(const CLI::Option& option) {
    const std::string name = shown_name(option);
    if (option.get_positional()) return name + " is missing: " + option.get_description();
    return name + " is missing; write " + name + " " + option.get_type_name();
  }

  const CLI::App& command_;
  std::string_view name_;
  std::span<const std::string> words_;
  std::size_t at_ = 0;
  bool only_arguments_ = false;
  std::vector<const CLI::Option*> arguments_;  // without names
  std::size_t next_argument_ = 0;
  std::vector<const CLI::Option*> given_;
  WordCheck check_;
};

int run_command(const Command& command, std::vector<std::string> words) {
  const std::unique_ptr<Invocation> invocation = command.make();
  CLI::App app;
  bind(app, *invocation);
  const WordCheck check = check_words(app, command.name, words);
  if (check.wants_help) {
    const bool shown =
        write_all(STDOUT_FILENO, help_text(command, app, Terminal::of(STDOUT_FILENO)));
    return shown ? exit_done : cannot_write(command.name);
  }
  if (check.mistake) {
    if (check.is_unknown_name) return failed(command.name, *check.mistake, exit_usage);
    return usage_error(command.name, *check.mistake);
  }
  try {
    std::ranges::reverse(words);  // as the parser wants them
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return usage_error(command.name, error.what());
  }
  return invocation->run();
}

// What stands before a command, or in its place.
int run_top_level(const std::string& word) {
  if (word == "--version" || word == "--help" || word == "-h") {
    const std::string text =
        word == "--version" ? CORDON_VERSION "\n" : overview_text(Terminal::of(STDOUT_FILENO));
    return write_all(STDOUT_FILENO, text) ? exit_done : cannot_write({});
  }
  std::string text = "unknown option " + word + ";";
  const std::string bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  const std::vector<std::string> names = {"help", "version"};
  if (word == "-v" || word == "-V") {
    text += " did you mean --version?";
  } else if (const auto near = config::nearest(bare, names); near && word.starts_with("--")) {
    text += " did you mean --" + *near + "?";
  } else if (word == "-e" || word == "--eval") {
    text += " did you mean `cordon run " + word + "`?";
  }
  return failed({}, text + " `cordon --help` lists the commands", exit_usage);
}

}  // namespace

WordCheck check_words(const CLI::App& command, std::string_view name,
                      std::span<const std::string> words) {
  return WordReader(command, name, words).read();
}

std::string unknown_command_text(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  std::string text = "unknown command '" + word + "';";
  std::optional<std::string> near = config::nearest(word, names);
  if (const std::string meant = meant_by(command_synonyms, word); !near && !meant.empty()) {
    near = meant;
  }
  const bool is_program =
      std::ranges::any_of(std::to_array<std::string_view>({".js", ".mjs", ".ts"}),
                          [&](std::string_view ending) { return word.ends_with(ending); });
  if (is_program) {
    text += " did you mean `cordon run " + word + "`?";
  } else if (word == "version") {
    text += " did you mean --version?";
  } else if (near) {
    text += " did you mean " + *near + "?";
  }
  return text + " `cordon --help` lists them";
}

int run_command_line(std::vector<std::string> words) {
  if (words.empty()) {
    write_all(STDERR_FILENO, overview_text(Terminal::of(STDERR_FILENO)));
    return exit_usage;
  }
  const std::string word = std::move(words.front());
  words.erase(words.begin());
  if (word.starts_with('-')) return run_top_level(word);
  const Command* command = find_command(word);
  if (command == nullptr) return failed({}, unknown_command_text(word), exit_usage);
  return run_command(*command, std::move(words));
}

}  // namespace cordon::cli
