#include "cordon/cli/runner.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cordon/cli/arguments.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/terminal.h"
#include "cordon/server/stdio_runner.h"

namespace cordon::cli {
namespace {

constexpr std::uint64_t most_memory_bytes = std::uint64_t{4} << 30;
constexpr std::uint64_t most_message_bytes = std::uint64_t{1} << 30;

// Writes what an option says to `place`, where it was given.
template <class T, class Read>
Result<> set(T& place, const std::string& text, const char* option, Read read,
             std::uint64_t most = UINT64_MAX) {
  if (text.empty()) return {};
  const auto number = read(text);
  if (!number) return fail(number.error().code, std::string(option) + ": " + number.error().detail);
  if constexpr (std::integral<T>) {
    if (*number > most) {
      return fail(Errc::too_large,
                  std::string(option) + ": '" + text + "' is more than " + std::to_string(most));
    }
  }
  place = *number;
  return {};
}

Result<server::RunnerSettings> settings_of(const RunnerArguments& arguments) {
  server::RunnerSettings settings;
  execbox::Ceilings& ceilings = settings.limits.ceilings;
  CORDON_TRY(set(ceilings.timeout, arguments.max_timeout, "--max-timeout", milliseconds));
  CORDON_TRY(set(ceilings.memory_bytes, arguments.max_memory, "--max-memory", byte_size,
                 most_memory_bytes));
  CORDON_TRY(
      set(ceilings.log_lines, arguments.max_log_lines, "--max-log-lines", positive, 10'000'000));
  CORDON_TRY(set(ceilings.log_chars, arguments.max_log_chars, "--max-log-chars", positive,
                 std::uint64_t{1} << 30));
  CORDON_TRY(set(settings.limits.message_bytes, arguments.max_message, "--max-message", byte_size,
                 most_message_bytes));
  settings.values = arguments.values == "json" ? ValueRule::json : ValueRule::strict;
  return settings;
}

int failed(const Error& error, int code) {
  const char* hint = code == exit_usage ? "(see `cordon runner --help`)\n" : "";
  write_all(STDERR_FILENO, "cordon runner: " + error.detail + "\n" + hint);
  return code;
}

}  // namespace

void add_runner(CLI::App& app, RunnerArguments& arguments) {
  CLI::App* command = app.add_subcommand(
      "runner", "the execbox runner: one execution on stdin and stdout, a JSON message a line");
  command
      ->add_option("--max-timeout", arguments.max_timeout,
                   "lowers a larger timeoutMs of a host to this")
      ->type_name("MS");
  command
      ->add_option("--max-memory", arguments.max_memory,
                   "lowers a larger memoryLimitBytes to this, as 256MiB")
      ->type_name("SIZE");
  command->add_option("--max-log-lines", arguments.max_log_lines, "lowers a larger maxLogLines")
      ->type_name("N");
  command->add_option("--max-log-chars", arguments.max_log_chars, "lowers a larger maxLogChars")
      ->type_name("N");
  command
      ->add_option("--max-message", arguments.max_message,
                   "largest message that is read (64MiB unless given)")
      ->type_name("SIZE");
  command
      ->add_option("--values", arguments.values,
                   "what may leave a guest: `strict` as the specification says, or `json`, what "
                   "JSON.stringify makes of it")
      ->check(CLI::IsMember({"strict", "json"}))
      ->type_name("RULE")
      ->capture_default_str();
  command->footer(
      "Exit codes: 0 once `done` is written, or at the end of the input before an `execute`; 64 "
      "wrong usage; 70 the\n"
      "output cannot be written, or our own fault.\n\n"
      "Example:\n"
      "  echo "
      "'{\"type\":\"execute\",\"id\":\"1\",\"code\":\"6 * "
      "7\",\"options\":{\"timeoutMs\":1000,\"memoryLimitBytes\":67108864,"
      "\"maxLogLines\":100,\"maxLogChars\":64000},\"providers\":[]}' | cordon runner");
}

int runner(const RunnerArguments& arguments) {
  const Result<server::RunnerSettings> settings = settings_of(arguments);
  if (!settings) return failed(settings.error(), exit_usage);
  const Result<> ran = server::run_on_stdio(STDIN_FILENO, STDOUT_FILENO, *settings);
  if (!ran) return failed(ran.error(), exit_internal);
  return exit_done;
}

}  // namespace cordon::cli
