#include "cordon/tunnels/client_request.h"

#include <array>
#include <chrono>
#include <unordered_set>
#include <utility>

#include "cordon/base/ascii.h"
#include "cordon/base/bytes.h"
#include "cordon/base/random.h"
#include "cordon/protocol/tunnel/request_id.h"
#include "cordon/transport/http/body_sources.h"

namespace cordon::tunnels {
namespace {

namespace http = transport::http;

// Asks before bytes of a source are sent.
class MeteredSource : public ByteSource, public std::enable_shared_from_this<MeteredSource> {
 public:
  MeteredSource(std::shared_ptr<ByteSource> source, std::function<bool(std::size_t)> spend)
      : source_(std::move(source)), spend_(std::move(spend)) {}

  void read(Next next) override {
    source_->read([self = shared_from_this(), next = std::move(next)](Result<Bytes> piece) {
      if (piece && !piece->empty() && !self->spend_(piece->size()))
        piece = fail(ErrorCode::too_large, "the request has more bytes than the call may spend");
      next(std::move(piece));
    });
  }
  void close() override { source_->close(); }

 private:
  const std::shared_ptr<ByteSource> source_;
  const std::function<bool(std::size_t)> spend_;
};

tunnel::ClientCall::Target target_of(TunnelTarget target) {
  using Target = tunnel::ClientCall::Target;
  switch (target) {
    case TunnelTarget::task:
      return Target::task;
    case TunnelTarget::event:
      return Target::event;
    case TunnelTarget::discovery:
      break;
  }
  return Target::discovery;
}

Result<std::string> random_boundary() {
  std::array<std::uint8_t, 16> random{};
  CORDON_TRY(fill_with_randomness(random));
  return "cordon-" + tunnel::uuid_text(random);
}

// The ids of all placeholders of files in a value, which may contain itself.
std::unordered_set<std::string_view> ids_in(const Value& value) {
  std::unordered_set<std::string_view> ids;
  std::unordered_set<const void*> seen;
  std::vector<ValueView> left = {value};
  while (!left.empty()) {
    const ValueView node = left.back();
    left.pop_back();
    if (node.identity() == nullptr || !seen.insert(node.identity()).second) continue;
    if (node.is_object() && node.find("$runnerFile") == "File")
      ids.insert(node.find("id").as_string());
    for (const ValueView item : node.items()) left.push_back(item);
    for (const Member& member : node.members()) left.push_back(member.value);
    for (const Entry& entry : node.entries()) {
      left.push_back(entry.key);
      left.push_back(entry.value);
    }
    for (const Member& field : node.error_fields()) left.push_back(field.value);
  }
  return ids;
}

Result<http::HttpBodyPart> part_of(ClientCore& core, TunnelFile& file) {
  if (auto* const bytes = std::get_if<Bytes>(&file.content))
    return http::HttpBodyPart(std::string(as_text(*bytes)));
  if (const auto* const path = std::get_if<TunnelFile::Path>(&file.content)) {
    Result<http::SourcePart> opened = http::file_part(core.io(), path->path);
    if (!opened)
      return fail(opened.error().code, "the file " + file.name + ": " + opened.error().message);
    return http::HttpBodyPart(*std::move(opened));
  }
  std::shared_ptr<ByteSource>& source = std::get<std::shared_ptr<ByteSource>>(file.content);
  if (source == nullptr)
    return fail(ErrorCode::invalid_argument, "the file " + file.name + " has no content");
  return http::HttpBodyPart(http::SourcePart{std::move(source), file.bytes});
}

std::optional<std::uint64_t> size_of(const http::HttpBodyPart& part) {
  if (const auto* const text = std::get_if<std::string>(&part)) return text->size();
  return std::get<http::SourcePart>(part).bytes;
}

// What is sent for each FileBytes of the session's body.
Result<std::vector<http::HttpBodyPart>> open_files(ClientCore& core, TunnelInput& input,
                                                   tunnel::ClientCall& call) {
  std::vector<http::HttpBodyPart> parts;
  if (input.stream != nullptr) {
    if (!input.value.is_undefined() || !input.files().empty())
      return fail(ErrorCode::invalid_argument, "an input is a stream or a value, not both");
    call.input = tunnel::OctetBody{input.stream_bytes};
    parts.emplace_back(http::SourcePart{input.stream, input.stream_bytes});
    return parts;
  }
  if (input.files().empty()) {
    call.input = input.value;
    return parts;
  }
  if (call.target != tunnel::ClientCall::Target::task)
    return fail(ErrorCode::invalid_argument, "an event has no files");
  tunnel::FormBody form{.input = input.value, .boundary = CORDON_TRY(random_boundary())};
  const std::unordered_set<std::string_view> placed = ids_in(input.value);
  for (const TunnelInput::Added& added : input.files()) {
    if (!placed.contains(added.id))
      return fail(ErrorCode::invalid_argument,
                  "the file " + added.file.name + " has no place in the input");
    TunnelFile file = added.file;
    http::HttpBodyPart part = CORDON_TRY(part_of(core, file));
    form.files.push_back(
        {.id = added.id, .name = added.file.name, .type = added.file.type, .bytes = size_of(part)});
    parts.push_back(std::move(part));
  }
  call.input = std::move(form);
  return parts;
}

void add_headers(std::vector<HttpHeader>& headers, const std::vector<TunnelHeader>& more) {
  for (const TunnelHeader& header : more) {
    std::erase_if(headers, [&](const HttpHeader& other) {
      return equals_in_any_case(other.name, header.name);
    });
    headers.push_back({header.name, header.value});
  }
}

}  // namespace

Result<http::HttpRequest> request_of(ClientCore& core, tunnel::ClientSession& session,
                                     TunnelClient::Call& call) {
  const TunnelCallOptions& options = call.options;
  tunnel::ClientCall described{.target = target_of(call.target),
                               .id = call.id,
                               .returns_payload = call.returns_payload,
                               .request_id = options.request_id,
                               .traceparent = options.traceparent,
                               .contexts = options.contexts};
  std::vector<http::HttpBodyPart> files = CORDON_TRY(open_files(core, call.input, described));
  tunnel::OutgoingRequest outgoing = CORDON_TRY(session.request(described));
  http::HttpRequest request{.method = std::move(outgoing.method),
                            .target = std::move(outgoing.target),
                            .headers = std::move(outgoing.headers)};
  add_headers(request.headers, core.options().headers);
  add_headers(request.headers, options.headers);

  std::optional<std::string_view> text;
  if (outgoing.body.size() == 1 && std::holds_alternative<std::string>(outgoing.body[0]))
    text = std::get<std::string>(outgoing.body[0]);
  const TunnelRequest shown{
      .target = call.target, .id = call.id, .body = text, .request_id = options.request_id};
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::optional<TunnelHeader> signature = CORDON_TRY(core.lanes().sign(shown, now));
  if (signature) add_headers(request.headers, {*signature});
  if (core.options().on_request)
    add_headers(request.headers, CORDON_TRY(core.options().on_request(shown)));
  for (tunnel::BodyPart& part : outgoing.body) {
    if (auto* const bytes = std::get_if<std::string>(&part)) {
      request.body.emplace_back(std::move(*bytes));
    } else {
      request.body.push_back(std::move(files[std::get<tunnel::FileBytes>(part).file]));
    }
  }
  if (options.spend) {
    for (http::HttpBodyPart& part : request.body) {
      if (auto* const source = std::get_if<http::SourcePart>(&part))
        source->source = std::make_shared<MeteredSource>(std::move(source->source), options.spend);
    }
  }
  return request;
}

}  // namespace cordon::tunnels
