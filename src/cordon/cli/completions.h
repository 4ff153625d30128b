#pragma once

// `cordon completions SHELL`: what a shell needs to complete our command lines, made of the table
// of commands and of their options.

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace cordon::cli {

enum class Shell : std::uint8_t { bash, zsh, fish };

std::string completions_text(Shell shell);

struct CompletionsArguments {
  Shell shell = Shell::bash;
};
void bind_completions(CLI::App& command, CompletionsArguments& arguments);
int completions(const CompletionsArguments& arguments);

}  // namespace cordon::cli
