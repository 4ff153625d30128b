#pragma once

// The program's command line: finds the command, reads its options, says what is wrong with them in
// our words, and runs it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/error.h"

namespace CLI {
class App;
}

namespace cordon::cli {

// The words after "cordon". The exit code.
int run_command_line(std::vector<std::string> words);

// What stands on the command line of one command, before the values are read.
struct WordCheck {
  bool wants_help = false;
  std::optional<std::string> mistake = {};  // the first one
  bool is_unknown_name = false;             // whether that one says already where names are listed
};
// Compares the words with the options and arguments that `command` has: names that are not there,
// values that are missing, arguments too many or too few, options that exclude or need others.
WordCheck check_words(const CLI::App& command, std::string_view name,
                      std::span<const std::string> words);

// What to say of a word that is no command.
std::string unknown_command_text(const std::string& word);

}  // namespace cordon::cli
