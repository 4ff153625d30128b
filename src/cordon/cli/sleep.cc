#include "cordon/cli/sleep.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "cordon/base/utf8.h"
#include "cordon/cli/terminal.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/tools/safe_name.h"

namespace cordon::cli {
namespace {

// More than the image of any guest that a run may have.
constexpr std::uintmax_t most_image_bytes = std::uintmax_t{8} << 30;
constexpr std::size_t most_shown_chars = 200;

std::unexpected<Error> failed(const std::string& what, const std::string& path, int error) {
  return fail(Errc::io,
              "cannot " + what + " " + path + ": " + std::generic_category().message(error));
}

bool has_tool(const Provider& provider, std::string_view tool) {
  return static_cast<bool>(provider.find(tool));
}

void refuse_call(const Value&, Reply reply) {
  reply(fail(Errc::tool_error, "nothing is behind this tool: an execution sleeps on it"));
}

// As its program wrote it, or its beginning.
std::string call_text(const PendingCall& call) {
  std::string input = call.input.is_undefined() ? "" : json::encode(call.input).value_or("…");
  if (input.size() > most_shown_chars) {
    input.resize(valid_utf8_prefix(input.substr(0, most_shown_chars)));
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
    return fail(Errc::invalid_argument, "--sleep-on: '" + name + "' is not PROVIDER.TOOL or TOOL");
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

// Beside it first, so that nobody ever finds half of one. Its content may be anything that the
// program knew, so it is its owner's alone.
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

Result<SavedImage> read_saved(const std::string& path, const std::vector<std::string>& results) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return fail(Errc::io, "--resume: cannot read " + path + ": " + error.message());
  if (size > most_image_bytes) return fail(Errc::too_large, "--resume: " + path + " is too large");
  std::ifstream file(path, std::ios::binary);
  if (!file) return failed("read", path, errno);
  SavedImage saved;
  saved.image.assign(std::istreambuf_iterator<char>(file), {});

  const auto calls = Engine::pending_calls(saved.image);
  if (!calls) return fail(calls.error().code, "--resume: " + path + ": " + calls.error().detail);
  if (calls->size() != results.size()) {
    return fail(Errc::invalid_argument,
                fmt::format("--result: {} waits for {} call{}, so give that many: {}", path,
                            calls->size(), calls->size() == 1 ? "" : "s", calls_text(*calls)));
  }
  for (const std::string& result : results) {
    Result<Value> value = json::decode(result);
    if (!value) return fail(value.error().code, "--result: " + value.error().detail);
    saved.answers.push_back(std::move(value));
  }
  return saved;
}

std::string saved_text(const Sleeping& asleep, const std::string& path) {
  return fmt::format("saved {} ({:.1f} KiB): it waits for {}\n", path,
                     static_cast<double>(asleep.image.size()) / 1024, calls_text(asleep.calls));
}

Value saved_as_value(const Sleeping& asleep, const std::string& path) {
  std::vector<Value> calls;
  for (const PendingCall& call : asleep.calls) {
    std::vector<Value::Field> fields = {
        {"id", call.id}, {"provider", call.provider}, {"tool", call.tool}};
    if (!call.input.is_undefined()) fields.push_back({"input", call.input});
    calls.push_back(Value::object_from(fields));
  }
  return Value::object(
      {{"file", path}, {"bytes", asleep.image.size()}, {"pending", Value::array_from(calls)}});
}

}  // namespace cordon::cli
