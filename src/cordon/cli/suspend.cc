#include "cordon/cli/suspend.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "cordon/base/utf8.h"
#include "cordon/cli/arguments.h"
#include "cordon/cli/terminal.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/tools/global_names.h"
#include "cordon/tools/safe_name.h"

namespace cordon::cli {
namespace {

constexpr std::size_t max_shown_chars = 200;
constexpr std::size_t min_key_bytes = 16;
constexpr std::size_t max_key_bytes = 4096;
// What an image has beside its guest's memory, with some for its frames.
constexpr std::size_t max_other_image_bytes = std::size_t{160} << 20;

std::unexpected<Error> failed(const std::string& what, const std::string& path, int error) {
  return fail(ErrorCode::io,
              "cannot " + what + " " + path + ": " + std::generic_category().message(error));
}

Result<Bytes> read_file(const std::string& path, std::size_t max_bytes) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed("read", path, errno);
  struct stat found{};
  const bool is_folder = fstat(file, &found) == 0 && S_ISDIR(found.st_mode);
  const Result<std::string> content = read_up_to(file, max_bytes + 1);
  close(file);
  if (!content) return failed("read", path, is_folder ? EISDIR : EIO);
  if (content->size() > max_bytes) {
    return fail(ErrorCode::too_large,
                fmt::format("{} is too large: more than {} bytes", path, max_bytes));
  }
  return Bytes(content->begin(), content->end());
}

bool has_tool(const Provider& provider, std::string_view tool) {
  return static_cast<bool>(provider.find(tool));
}

void refuse_call(const Value&, Reply reply) {
  reply(fail(ErrorCode::tool_error, "nothing is behind this tool: an execution sleeps on it"));
}

// As its program wrote it, or its beginning.
std::string call_text(const PendingCall& call) {
  std::string input = call.input.is_undefined() ? "" : json::encode(call.input).value_or("…");
  if (input.size() > max_shown_chars) {
    input.resize(valid_utf8_prefix(input.substr(0, max_shown_chars)));
    input += "…";
  }
  return visible(call.provider + "." + call.tool + "(" + input + ")", Lines::escaped);
}

std::string calls_text(const std::vector<PendingCall>& calls) {
  std::string text;
  for (const PendingCall& call : calls) text += (text.empty() ? "" : ", ") + call_text(call);
  return text;
}

}  // namespace

Result<> add_sleep_tool(std::vector<Provider>& providers, const std::string& name) {
  const std::size_t dot = name.find('.');
  const bool has_provider = dot != std::string::npos;
  const std::string provider = has_provider ? name.substr(0, dot) : "tools";
  const std::string tool = has_provider ? name.substr(dot + 1) : name;
  if (!tools::is_identifier(provider) || !tools::is_identifier(tool)) {
    return fail(ErrorCode::invalid_argument,
                "--sleep-on: '" + name + "' is not PROVIDER.TOOL or TOOL");
  }
  if (tools::is_guest_global(provider)) {
    return fail(ErrorCode::invalid_argument, "--sleep-on: '" + provider +
                                                 "' is a name that programs have already; write " +
                                                 "another, such as tools." + tool);
  }
  for (const Provider& there : providers)
    if ((!has_provider || there.name() == provider) && has_tool(there, tool)) return {};
  auto found =
      std::ranges::find_if(providers, [&](const Provider& p) { return p.name() == provider; });
  if (found == providers.end()) found = providers.insert(found, Provider(provider));
  found->add_async(tool, refuse_call);
  return {};
}

Result<> check_writable(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return failed("write", path, EISDIR);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) return failed("write", path, errno);
  return {};
}

// Writes to a file beside it first, so that no reader finds half of one. It may hold anything that
// the program knew, so only its owner may read it.
Result<> save_image(const std::string& path, BytesView image) {
  const std::string beside = path + "." + std::to_string(getpid()) + ".tmp";
  const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return failed("write", path, errno);
  const bool written = write_all(file, {reinterpret_cast<const char*>(image.data()), image.size()});
  const int error = errno;
  const bool closed = close(file) == 0;
  if (written && closed && rename(beside.c_str(), path.c_str()) == 0) return {};
  const int last = !written ? error : errno;
  unlink(beside.c_str());
  return failed("write", path, last);
}

Result<SavedImage> read_saved(const std::string& path, const std::vector<std::string>& results,
                              const Limits& limits, BytesView key) {
  const std::size_t most =
      2 * static_cast<std::size_t>(limits.memory_bytes) + max_other_image_bytes;
  Result<Bytes> image = read_file(path, most);
  if (!image) return fail(image.error().code, "--resume: " + image.error().message);
  SavedImage saved{*std::move(image), {}};

  const auto calls = Engine::pending_calls(saved.image, limits, key);
  if (!calls) return fail(calls.error().code, "--resume: " + path + ": " + calls.error().message);
  if (calls->size() != results.size()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--result: {} waits for {} call{}, so give that many: {}", path,
                            calls->size(), calls->size() == 1 ? "" : "s", calls_text(*calls)));
  }
  for (const std::string& result : results) {
    Result<Value> value = json::decode(result);
    if (!value) return fail(value.error().code, "--result: " + value.error().message);
    saved.answers.push_back(std::move(value));
  }
  return saved;
}

Result<Bytes> read_image_key(const std::string& path) {
  Result<Bytes> key = read_file(path, max_key_bytes);
  if (!key) return key;
  if (key->size() < min_key_bytes) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} has {} bytes, and a key has {} at least", path, key->size(),
                            min_key_bytes));
  }
  struct stat found{};
  if (stat(path.c_str(), &found) == 0 && (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    write_all(STDERR_FILENO, fmt::format("cordon run: --image-key: others may use {0} too; "
                                         "`chmod 600 {0}` makes it yours alone\n",
                                         path));
  }
  return key;
}

std::string saved_text(const Suspended& suspended, const std::string& path) {
  return fmt::format("saved {} ({:.1f} KiB): it waits for {}\n", path,
                     static_cast<double>(suspended.image.size()) / 1024,
                     calls_text(suspended.calls));
}

Value saved_as_value(const Suspended& suspended, const std::string& path) {
  std::vector<Value> calls;
  for (const PendingCall& call : suspended.calls) {
    std::vector<Value::Field> fields = {
        {"id", call.id}, {"provider", call.provider}, {"tool", call.tool}};
    if (!call.input.is_undefined()) fields.push_back({"input", call.input});
    calls.push_back(Value::object_from(fields));
  }
  return Value::object(
      {{"file", path}, {"bytes", suspended.image.size()}, {"pending", Value::array_from(calls)}});
}

}  // namespace cordon::cli
