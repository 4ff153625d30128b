#include "cordon/providers/guest_command.h"

#include "cordon/providers/guest_process.h"

namespace cordon::providers {

std::vector<std::string> words_of(const GuestCommand& command) {
  std::vector<std::string> words = {command.cordon, "guest",
                                    "--lifeline=" + std::to_string(lifeline_descriptor)};
  const auto add = [&](const char* option, auto number) {
    words.push_back(std::string(option) + "=" + std::to_string(number));
  };
  if (command.memory_bytes) add("--memory", *command.memory_bytes);
  add("--compile-timeout", command.compile.timeout.count());
  add("--compile-memory", command.compile.memory_bytes);
  words.emplace_back("--");
  words.push_back(command.wasm);
  return words;
}

}  // namespace cordon::providers
