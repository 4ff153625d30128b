#include "cordon/cli/guest.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "cordon/base/bytes.h"
#include "cordon/cli/arguments.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/options.h"
#include "cordon/cli/usage.h"
#include "cordon/sandbox/code_cache.h"

namespace cordon::cli {
namespace {

using sandbox::max_module_bytes;

constexpr std::string_view name_of_command = "guest";

Result<int> read_lifeline(const std::string& text) {
  const std::uint64_t number = CORDON_TRY(positive(text));
  if (number <= STDERR_FILENO || number > INT_MAX || fcntl(static_cast<int>(number), F_GETFD) < 0) {
    return fail(ErrorCode::invalid_argument, text + " is no descriptor past the streams");
  }
  return static_cast<int>(number);
}

Result<std::string> read_folder(const std::string& text) {
  if (text.starts_with('/')) return text;
  return fail(ErrorCode::invalid_argument, "'" + text + "' is not absolute");
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

}  // namespace

void bind_guest(CLI::App& command, GuestArguments& arguments) {
  sandbox::CommandOptions& options = arguments.options;
  command.add_option("plugin", arguments.file, "a WASI preview 1 command module")
      ->type_name("PLUGIN.wasm")
      ->required();
  begin_group(command, "Limits");
  add_memory(command, "--memory", options.memory_bytes,
             "the most linear memory, in bytes or as 64MiB");
  add_number(command, "--fuel", options.fuel,
             "how much the plugin may compute, about one for each WebAssembly instruction");
  add_milliseconds(command, "--timeout", options.timeout,
                   "milliseconds until the plugin is ended, compiling included");
  begin_group(command, "Compiling");
  add_milliseconds(command, "--compile-timeout", options.compile.timeout,
                   "milliseconds that compiling may take");
  add_bytes(command, "--compile-memory", options.compile.memory_bytes,
            "the memory that compiling may take");
  add_read(command, "--cache", arguments.cache, read_folder,
           "the folder for compiled code, absolute (default: cordon/plugins in the user's cache "
           "folder)")
      .type_name("FOLDER");
  command.add_flag("--no-cache", arguments.no_cache, "compile the plugin every time");
  begin_group(command, "Process");
  add_read(command, "--lifeline", options.lifeline, read_lifeline,
           "a descriptor: the plugin is killed when its other end is closed")
      .type_name("FD");
  refuse_empty_options(command);
}

int guest(const GuestArguments& arguments) {
  sandbox::CommandOptions options = arguments.options;
  if (!arguments.no_cache) {
    options.cache_folder =
        arguments.cache.empty() ? sandbox::default_code_cache_folder() : arguments.cache;
  }
  const Result<std::string> module = read_module(arguments.file);
  if (!module) return failed(name_of_command, module.error(), exit_usage);
  const Result<sandbox::CommandEnd> end = sandbox::run_command(as_bytes(*module), options);
  int code = exit_violated;
  if (!end) {
    failed(name_of_command, "'" + arguments.file + "' is refused: " + end.error().message, code);
  } else {
    code = end->exit_code;
    if (!end->complaint.empty()) failed(name_of_command, end->complaint, code);
  }
  // The system frees a process's memory more quickly than the process does, and the jail has no
  // room for what others do at the end of a process.
  _exit(code);
}

}  // namespace cordon::cli
