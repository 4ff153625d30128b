#include "cordon/cli/guest.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cordon/base/bytes.h"
#include "cordon/cli/arguments.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/terminal.h"
#include "cordon/limits.h"
#include "cordon/sandbox/code_cache.h"
#include "cordon/sandbox/command.h"

namespace cordon::cli {
namespace {

using sandbox::max_module_bytes;

Result<sandbox::CommandOptions> options_of(const GuestArguments& arguments) {
  sandbox::CommandOptions options;
  const auto memory = byte_size(arguments.memory);
  if (!memory) return wrong("--memory", memory.error());
  if (*memory > max_memory_bytes) {
    return fail(ErrorCode::too_large, "--memory: a guest may have 4GiB at most");
  }
  options.memory_bytes = *memory;
  if (!arguments.fuel.empty()) {
    const auto fuel = positive(arguments.fuel);
    if (!fuel) return wrong("--fuel", fuel.error());
    options.fuel = *fuel;
  }
  if (!arguments.timeout.empty()) {
    const auto timeout = milliseconds(arguments.timeout);
    if (!timeout) return wrong("--timeout", timeout.error());
    options.timeout = *timeout;
  }
  const auto compile_timeout = milliseconds(arguments.compile_timeout);
  if (!compile_timeout) return wrong("--compile-timeout", compile_timeout.error());
  options.compile.timeout = *compile_timeout;
  const auto compile_memory = byte_size(arguments.compile_memory);
  if (!compile_memory) return wrong("--compile-memory", compile_memory.error());
  options.compile.memory_bytes = *compile_memory;
  if (!arguments.lifeline.empty()) {
    const auto lifeline = positive(arguments.lifeline);
    if (!lifeline) return wrong("--lifeline", lifeline.error());
    if (*lifeline <= STDERR_FILENO || *lifeline > INT_MAX ||
        fcntl(static_cast<int>(*lifeline), F_GETFD) < 0) {
      return fail(ErrorCode::invalid_argument,
                  "--lifeline: " + arguments.lifeline + " is no descriptor past the streams");
    }
    options.lifeline = static_cast<int>(*lifeline);
  }
  if (!arguments.cache.empty() && !arguments.cache.starts_with('/')) {
    return fail(ErrorCode::invalid_argument, "--cache: '" + arguments.cache + "' is not absolute");
  }
  if (!arguments.no_cache) {
    options.cache_folder =
        arguments.cache.empty() ? sandbox::default_code_cache_folder() : arguments.cache;
  }
  return options;
}

// A file whose size is known needs no room to grow.
Result<std::string> read_known(int file, std::size_t size) {
  std::string content;
  content.resize_and_overwrite(std::min(size, max_module_bytes + 1),
                               [file](char* into, std::size_t most) {
                                 std::size_t done = 0;
                                 while (done < most) {
                                   const ssize_t got = read(file, into + done, most - done);
                                   if (got < 0 && errno == EINTR) continue;
                                   if (got <= 0) break;
                                   done += static_cast<std::size_t>(got);
                                 }
                                 return done;
                               });
  return content;
}

Result<std::string> read_module(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat found{};
  if (file < 0 || fstat(file, &found) != 0 || S_ISDIR(found.st_mode)) {
    const int error = file >= 0 && S_ISDIR(found.st_mode) ? EISDIR : errno;
    if (file >= 0) close(file);
    return fail(ErrorCode::io,
                "cannot read '" + path + "': " + std::generic_category().message(error));
  }
  Result<std::string> content = S_ISREG(found.st_mode)
                                    ? read_known(file, static_cast<std::size_t>(found.st_size))
                                    : read_up_to(file, max_module_bytes + 1);
  close(file);
  if (content && content->size() > max_module_bytes) {
    return fail(ErrorCode::too_large, "'" + path + "' is larger than 64MiB");
  }
  return content;
}

int failed(const std::string& text, int code) {
  write_all(STDERR_FILENO, "cordon guest: " + visible(text, Lines::escaped) + "\n");
  return code;
}

}  // namespace

void add_guest(CLI::App& app, GuestArguments& arguments) {
  CLI::App* command = app.add_subcommand(
      "guest", "a WebAssembly plugin that speaks duplex-rpc on stdin and stdout, in a jail");
  command->add_option("plugin", arguments.file, "a WASI preview 1 command module")
      ->type_name("PLUGIN.wasm")
      ->required();
  command->add_option("--memory", arguments.memory, "most linear memory, in bytes or as 64MiB")
      ->type_name("SIZE")
      ->capture_default_str();
  command
      ->add_option("--fuel", arguments.fuel,
                   "how much it may compute, about one a WebAssembly instruction")
      ->type_name("N");
  command
      ->add_option("--timeout", arguments.timeout,
                   "milliseconds until it is ended, compiling included")
      ->type_name("MS");
  command
      ->add_option("--compile-timeout", arguments.compile_timeout,
                   "milliseconds that compiling may take")
      ->type_name("MS")
      ->capture_default_str();
  command->add_option("--compile-memory", arguments.compile_memory, "memory that it may take")
      ->type_name("SIZE")
      ->capture_default_str();
  command
      ->add_option("--lifeline", arguments.lifeline,
                   "a descriptor: the plugin is killed when its other end is closed")
      ->type_name("FD");
  command
      ->add_option("--cache", arguments.cache,
                   "folder for compiled code, absolute (cordon/plugins in the user's cache folder)")
      ->type_name("FOLDER");
  command->add_flag("--no-cache", arguments.no_cache, "compile it every time");
  refuse_empty_options(*command);
  command->footer(
      "The plugin has its three streams, a clock and randomness: no files, no network, no "
      "environment, no arguments.\n"
      "Exit codes: the plugin's own; 134 after a trap, 124 when its time is over, 2 for a module "
      "that is refused,\n"
      "64 wrong usage.\n\n"
      "Examples:\n"
      "  cordon guest plugin.wasm\n"
      "  cordon guest --memory 64MiB --timeout 10000 plugin.wasm");
}

int guest(const GuestArguments& arguments) {
  const Result<sandbox::CommandOptions> options = options_of(arguments);
  if (!options) return failed(options.error().message, exit_usage);
  const Result<std::string> module = read_module(arguments.file);
  if (!module) return failed(module.error().message, exit_usage);
  const Result<sandbox::CommandEnd> end = sandbox::run_command(as_bytes(*module), *options);
  int code = exit_violated;
  if (!end) {
    failed("'" + arguments.file + "' is refused: " + end.error().message, code);
  } else {
    code = end->exit_code;
    if (!end->complaint.empty()) failed(end->complaint, code);
  }
  // The system frees a process's memory more quickly than the process does, and the jail has no
  // room for what others do at the end of a process.
  _exit(code);
}

}  // namespace cordon::cli
