#include "cordon/cli/call_job.h"

#include <cerrno>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "cordon/cli/arguments.h"
#include "cordon/codec/json/plain.h"
#include "cordon/providers/guest_command.h"
#include "cordon/providers/plugin_link.h"

namespace cordon::cli {
namespace {

constexpr std::size_t max_text_bytes = std::size_t{64} << 20;

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
  if (words.empty())
    return fail(ErrorCode::invalid_argument,
                "there is nothing to call; give a tunnel's URL, a plugin, or --command");
  const std::string target = words.front();
  words.erase(words.begin());
  struct stat status{};
  int error = access(target.c_str(), R_OK) == 0 ? 0 : errno;
  if (stat(target.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
  if (error != 0) {
    return fail(ErrorCode::io,
                "cannot read '" + target + "': " + std::generic_category().message(error));
  }
  const providers::GuestCommand command{.cordon = own_program(),
                                        .wasm = target,
                                        .memory_bytes = arguments.memory_bytes,
                                        .compile = arguments.compile};
  return words_of(command);
}

}  // namespace

Result<CallJob> call_job_of(const CallArguments& arguments) {
  CallJob job;
  std::vector<std::string> words = {arguments.first, arguments.second, arguments.third};
  words.resize(arguments.count);
  job.command = CORDON_TRY(command_of(arguments, words));
  if (words.empty()) return fail(ErrorCode::invalid_argument, "there is no FUNCTION to call");
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
  if (!arguments.callbacks.empty()) {
    Result<std::string> module = read_text(arguments.callbacks, max_text_bytes);
    if (!module) return wrong("--callbacks", module.error());
    job.callbacks = *std::move(module);
  }
  return job;
}

}  // namespace cordon::cli
