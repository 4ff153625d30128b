#pragma once

// Options that are read into what they mean while the command line is read. What is wrong with one
// is told with its name: "--timeout: '5s' is no number of milliseconds; …". Each function adds one
// option to a command and returns it, for its group or its relations.

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cordon/cli/arguments.h"
#include "cordon/limits.h"
#include "cordon/value.h"

namespace cordon::cli {

// What follows belongs to this group, in the help.
inline void begin_group(CLI::App& command, const std::string& name) {
  command.option_defaults()->group(name);
}

// An option whose text `read` turns into a Result of what `into` takes. `into` may be an optional.
template <class Target, class Read>
CLI::Option& add_read(CLI::App& command, const std::string& name, Target& into, Read read,
                      const std::string& about) {
  return *command.add_option_function<std::string>(
      name,
      [&into, name, read = std::move(read)](const std::string& text) {
        auto value = read(text);
        if (!value) throw CLI::ValidationError(name, value.error().message);
        into = *std::move(value);
      },
      about);
}

template <class Target>
CLI::Option& add_milliseconds(CLI::App& command, const std::string& name, Target& into,
                              const std::string& about) {
  CLI::Option& option = add_read(command, name, into, milliseconds, about);
  option.type_name("MS");
  if constexpr (requires { into.count(); }) option.default_str(std::to_string(into.count()));
  return option;
}

// A size in bytes, `most` at most.
template <class Target>
CLI::Option& add_bytes(CLI::App& command, const std::string& name, Target& into,
                       const std::string& about, std::uint64_t most = UINT64_MAX) {
  const auto read = [most](const std::string& text) -> Result<std::uint64_t> {
    const std::uint64_t bytes = CORDON_TRY(byte_size(text));
    if (bytes <= most) return bytes;
    return fail(ErrorCode::too_large, "'" + text + "' is more than " + size_text(most));
  };
  CLI::Option& option = add_read(command, name, into, read, about);
  option.type_name("SIZE");
  if constexpr (std::integral<Target>) option.default_str(size_text(into));
  return option;
}

// What the memory of one sandbox may be.
template <class Target>
CLI::Option& add_memory(CLI::App& command, const std::string& name, Target& into,
                        const std::string& about) {
  return add_bytes(command, name, into, about, max_memory_bytes);
}

// A positive whole number, `most` at most.
template <class Target>
CLI::Option& add_number(CLI::App& command, const std::string& name, Target& into,
                        const std::string& about, std::uint64_t most = UINT64_MAX) {
  const auto read = [most](const std::string& text) -> Result<std::uint64_t> {
    const std::uint64_t number = CORDON_TRY(positive(text));
    if (number <= most) return number;
    return fail(ErrorCode::too_large, "'" + text + "' is more than " + std::to_string(most));
  };
  CLI::Option& option = add_read(command, name, into, read, about);
  option.type_name("N");
  return option;
}

// One of a few words.
template <class Target>
CLI::Option& add_choice(CLI::App& command, const std::string& name, Target& into,
                        const std::vector<std::pair<std::string, Target>>& choices,
                        const std::string& about) {
  const auto read = [choices](const std::string& text) -> Result<Target> {
    std::vector<std::string> words;
    for (const auto& [word, meaning] : choices) {
      if (word == text) return meaning;
      words.push_back(word);
    }
    return fail(ErrorCode::invalid_argument, no_choice_text(text, words));
  };
  CLI::Option& option = add_read(command, name, into, read, about);
  std::string words;
  for (const auto& [word, meaning] : choices) words += (words.empty() ? "" : "|") + word;
  option.type_name(words);
  return option;
}

// A list that gets one element each time that the option is given.
CLI::Option& add_list(CLI::App& command, const std::string& name, std::vector<std::string>& into,
                      const std::string& about);

// JSON text, as values of JavaScript.
CLI::Option& add_json(CLI::App& command, const std::string& name, std::optional<Value>& into,
                      const std::string& about);

// An option that is given must have a text. A shell makes an empty one of a variable that is not
// set, and that never means "no limit" or "no token".
void refuse_empty_options(CLI::App& command);
void refuse_empty(CLI::Option& option);

// As a user writes it and reads about it: "--timeout", or FILE of an argument without a name.
std::string shown_name(const CLI::Option& option);
// Whether it stands for itself, without a value.
bool is_flag(const CLI::Option& option);
bool is_list(const CLI::Option& option);

// The name of an option of the group that was given; empty where none was.
std::string given_of_group(const CLI::App& command, std::string_view group);

}  // namespace cordon::cli
