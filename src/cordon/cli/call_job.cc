#include "cordon/cli/call_job.h"

#include <cerrno>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "cordon/cli/arguments.h"
#include "cordon/codec/json/plain.h"
#include "cordon/limits.h"
#include "cordon/providers/guest_command.h"
#include "cordon/providers/plugin_link.h"

namespace cordon::cli {
namespace {

constexpr std::size_t max_text_bytes = std::size_t{64} << 20;
constexpr std::uint64_t max_frame_bytes = std::uint64_t{1} << 30;

std::string own_program() {
  std::string path(4096, '\0');
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return path.empty() ? "cordon" : path;
}

Result<std::vector<std::string>> command_of(const CallArguments& arguments,
                                            std::vector<std::string>& words) {
  if (arguments.has_command) {
    const auto command = providers::split_words(arguments.command);
    if (!command) return wrong("--command", command.error());
    if (command->empty())
      return fail(ErrorCode::invalid_argument, "--command: it names no program");
    return command;
  }
  if (words.empty()) return fail(ErrorCode::invalid_argument, "no TARGET and no --command");
  const std::string target = words.front();
  words.erase(words.begin());
  struct stat status{};
  int error = access(target.c_str(), R_OK) == 0 ? 0 : errno;
  if (stat(target.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
  if (error != 0) {
    return fail(ErrorCode::io,
                "cannot read '" + target + "': " + std::generic_category().message(error));
  }
  providers::GuestCommand command{.cordon = own_program(), .wasm = target};
  if (!arguments.memory.empty()) {
    const auto memory = byte_size(arguments.memory);
    if (!memory) return wrong("--memory", memory.error());
    if (*memory > max_memory_bytes) {
      return fail(ErrorCode::too_large, "--memory: a guest may have 4GiB at most");
    }
    command.memory_bytes = *memory;
  }
  if (!arguments.compile_timeout.empty()) {
    const auto timeout = milliseconds(arguments.compile_timeout);
    if (!timeout) return wrong("--compile-timeout", timeout.error());
    command.compile.timeout = *timeout;
  }
  if (!arguments.compile_memory.empty()) {
    const auto memory = byte_size(arguments.compile_memory);
    if (!memory) return wrong("--compile-memory", memory.error());
    command.compile.memory_bytes = *memory;
  }
  return words_of(command);
}

}  // namespace

Result<CallJob> call_job_of(const CallArguments& arguments) {
  CallJob job;
  const std::pair<const char*, bool> of_tunnels[] = {
      {"--token-env", !arguments.token_env.empty()},
      {"--token-file", !arguments.token_file.empty()},
      {"--runner", arguments.runner}};
  for (const auto& [name, is_given] : of_tunnels) {
    if (is_given) return fail(ErrorCode::invalid_argument, std::string(name) + " is for tunnels");
  }
  std::vector<std::string> words = {arguments.first, arguments.second, arguments.third};
  words.resize(arguments.count);
  job.command = CORDON_TRY(command_of(arguments, words));
  if (words.empty()) return fail(ErrorCode::invalid_argument, "no FUNCTION to call");
  if (words.size() > 2) {
    return fail(ErrorCode::invalid_argument, "'" + words[2] + "' is one argument too many");
  }
  job.function = words[0];
  if (words.size() == 2) {
    Result<Value> params = json::decode_plain(words[1]);
    if (!params) return wrong("JSON", params.error());
    job.params = *std::move(params);
  }
  if (!arguments.stream.empty() && !job.params.is_undefined() && !job.params.is_object()) {
    return fail(ErrorCode::invalid_argument, "--stream: the JSON argument is not an object");
  }
  const auto timeout = milliseconds(arguments.timeout);
  if (!timeout) return wrong("--timeout", timeout.error());
  job.timeout = *timeout;
  if (!arguments.max_frame.empty()) {
    const auto bytes = byte_size(arguments.max_frame);
    if (!bytes) return wrong("--max-frame", bytes.error());
    if (*bytes > max_frame_bytes) return fail(ErrorCode::too_large, "--max-frame: 1GiB at most");
    job.limits.frame_bytes = *bytes;
  }
  if (!arguments.callbacks.empty()) {
    Result<std::string> module = read_text(arguments.callbacks, max_text_bytes);
    if (!module) return wrong("--callbacks", module.error());
    job.callbacks = *std::move(module);
  }
  return job;
}

}  // namespace cordon::cli
