#include "cordon/cli/tunnel_job.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "cordon/base/ascii.h"
#include "cordon/base/descriptor.h"
#include "cordon/base/random.h"
#include "cordon/base/utf8.h"
#include "cordon/cli/arguments.h"
#include "cordon/cli/input_place.h"
#include "cordon/cli/media_type.h"
#include "cordon/protocol/tunnel/outgoing_form.h"
#include "cordon/protocol/tunnel/request_id.h"
#include "cordon/transport/http/body_sources.h"
#include "cordon/transport/http/proxy_settings.h"

namespace cordon::cli {
namespace {

namespace http = transport::http;

constexpr std::string_view socket_scheme = "unix:";
constexpr std::string_view usual_base_path = "/__runner";
constexpr std::size_t max_token_bytes = std::size_t{16} << 10;
constexpr std::size_t max_input_bytes = std::size_t{64} << 20;

std::unexpected<Error> wrong_usage(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

bool is_socket(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

// `cordon serve` prints unix:SOCKET, so the base path that it has by itself may be left out; and it
// may stand right behind the socket. In full it is unix:SOCKET:/PATH.
std::string full_socket_url(const std::string& url) {
  const std::string path = url.substr(socket_scheme.size());
  if (path.contains(':')) return url;
  std::size_t end = path.size();
  while (end > 0 && end != path.npos && !is_socket(path.substr(0, end)))
    end = path.rfind('/', end - 1);
  if (end == 0 || end == path.npos) end = path.size();
  const std::string base = path.substr(end);
  const bool has_base = base.find_first_not_of('/') != base.npos;
  return std::string(socket_scheme) + path.substr(0, end) + ":" +
         (has_base ? base : std::string(usual_base_path));
}

// Nothing where none is asked for.
Result<std::string> token_of(const TunnelArguments& arguments) {
  std::string token;
  if (!arguments.token_env.empty()) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment.
    const char* const value = std::getenv(arguments.token_env.c_str());
    if (value == nullptr || *value == '\0')
      return wrong_usage("--token-env: the variable " + arguments.token_env +
                         " is not set, or is empty");
    token = value;
  } else if (!arguments.token_file.empty()) {
    Result<std::string> text = read_text(arguments.token_file, max_token_bytes);
    if (!text) return wrong("--token-file", text.error());
    token = *std::move(text);
    if (token.ends_with('\n')) token.pop_back();
    if (token.ends_with('\r')) token.pop_back();
    if (token.empty()) return wrong_usage("--token-file: the file is empty");
  }
  const bool is_text = std::ranges::all_of(
      token, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 0x7F; });
  if (!is_text) return wrong_usage("the token has control characters");
  return token;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Result<HttpHeader> header_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos)
    return wrong_usage("--header: '" + std::string(text) + "' is no 'NAME: VALUE'");
  HttpHeader header{std::string(text.substr(0, colon)),
                    std::string(without_blanks(text.substr(colon + 1)))};
  if (const Result<> checked = tunnel::check_own_header(header); !checked)
    return wrong("--header", checked.error());
  return header;
}

Result<std::string> json_text_of(const std::string& argument, std::optional<Instant> until) {
  if (argument == "-") return read_text("-", max_input_bytes, until);
  if (argument.starts_with('@')) {
    if (argument.size() == 1) return wrong_usage("@ names no file");
    return read_text(argument.substr(1), max_input_bytes, until);
  }
  return argument;
}

Result<Value> value_of(const std::string& argument, std::optional<Instant> until,
                       const rich::Serializer& serializer) {
  const Result<std::string> text = json_text_of(argument, until);
  if (!text) return wrong("JSON", text.error());
  Result<Value> value = serializer.parse(*text);
  if (!value) return wrong("JSON", value.error());
  return value;
}

// Standard input as it is: with its place, where it is a file.
Result<http::SourcePart> standard_input(boost::asio::io_context& io) {
  Descriptor own(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  struct stat status{};
  if (!own || fstat(own.number(), &status) != 0) return wrong_usage("standard input is closed");
  if (S_ISDIR(status.st_mode)) return wrong_usage("standard input is a folder");
  if ((fcntl(own.number(), F_GETFL) & O_ACCMODE) == O_WRONLY)
    return wrong_usage("standard input cannot be read");
  http::SourcePart part;
  part.bytes = http::known_length(own.number());
  part.source = http::descriptor_source(io, std::move(own));
  return part;
}

Result<http::SourcePart> open_file(boost::asio::io_context& io, const std::string& option,
                                   const std::string& path) {
  Result<http::SourcePart> part = http::file_part(io, path);
  if (!part) return wrong_usage(option + ": cannot read '" + path + "': " + part.error().message);
  return part;
}

Result<std::string> random_uuid() {
  std::array<std::uint8_t, 16> random{};
  CORDON_TRY(fill_with_randomness(random));
  return tunnel::uuid_text(random);
}

Result<> add_files(TunnelJob& job, const std::vector<std::string>& files, Value&& input,
                   boost::asio::io_context& io) {
  tunnel::FormBody form{.boundary = "cordon-" + CORDON_TRY(random_uuid())};
  std::vector<PlacedValue> placed;
  for (const std::string& text : files) {
    Result<FileAtPlace> both = parse_file_at_place(text);
    if (!both) return wrong("--file", both.error());
    http::SourcePart part = CORDON_TRY(open_file(io, "--file", both->file));
    // The input may have ids of its own.
    const tunnel::OutgoingFile file{.id = CORDON_TRY(random_uuid()),
                                    .name = to_utf8_lossy(file_name_of(both->file)),
                                    .type = std::string(media_type_of(both->file)),
                                    .bytes = part.bytes};
    placed.push_back({std::move(both->place), file_placeholder(file)});
    form.files.push_back(file);
    job.sources.push_back(std::move(part));
  }
  Result<Value> whole = with_values_at(std::move(input), placed);
  if (!whole) return wrong("--file", whole.error());
  form.input = *std::move(whole);
  job.call.input = std::move(form);
  return {};
}

}  // namespace

rich::Options serializer_options(const TunnelArguments& arguments) {
  rich::Options options;
  const std::size_t max_bytes = arguments.max_response_bytes;
  options.max_input_bytes = std::max(options.max_input_bytes, max_bytes);
  // What comes as a graph may be written as a tree.
  options.max_output_bytes = std::max(options.max_output_bytes, max_bytes);
  return options;
}

Result<TunnelJob> tunnel_job(const TunnelArguments& arguments) {
  TunnelJob job;
  const bool is_socket_url = arguments.url.starts_with(socket_scheme);
  Result<http::Origin> origin =
      http::Origin::parse(is_socket_url ? full_socket_url(arguments.url) : arguments.url);
  // Without the URL, in which there may be a password.
  if (!origin) return wrong("the URL of the tunnel", origin.error());
  job.origin = *std::move(origin);
  const auto proxy = CORDON_TRY(http::ProxySettings::from_environment().proxy_for(job.origin));
  job.is_seen_by_proxy = proxy && !job.origin.is_tls;
  job.options.base_path = job.origin.path;
  job.options.token = CORDON_TRY(token_of(arguments));
  job.options.max_answer_bytes = arguments.max_response_bytes;
  job.timeout = arguments.timeout;
  job.started = std::chrono::steady_clock::now();
  job.json = arguments.json;
  for (const std::string& text : arguments.headers) {
    HttpHeader header = CORDON_TRY(header_of(text));
    if (!job.options.token.empty() && equals_in_any_case(header.name, job.options.token_header)) {
      return wrong_usage("--header: " + header.name + " is the token's, which is given already");
    }
    job.call.headers.push_back(std::move(header));
  }
  return job;
}

Result<> add_input(TunnelJob& job, const TunnelInput& input, const rich::Serializer& serializer,
                   boost::asio::io_context& io) {
  if (!input.stream.empty()) {
    if (input.json) return wrong_usage("--stream-in is all of the input: leave JSON out");
    http::SourcePart part = CORDON_TRY(
        input.stream == "-" ? standard_input(io) : open_file(io, "--stream-in", input.stream));
    job.call.input = tunnel::OctetBody{part.bytes};
    job.sources.push_back(std::move(part));
    return {};
  }
  Value value;
  if (input.json) value = CORDON_TRY(value_of(*input.json, job.deadline(), serializer));
  if (!input.files.empty()) return add_files(job, input.files, std::move(value), io);
  job.call.input = std::move(value);
  return {};
}

}  // namespace cordon::cli
