#include "cordon/protocol/tunnel/client_session.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "cordon/base/ascii.h"
#include "cordon/builder.h"
#include "cordon/protocol/tunnel/answer_head.h"
#include "cordon/protocol/tunnel/limits.h"
#include "cordon/protocol/tunnel/percent.h"
#include "cordon/protocol/tunnel/request_id.h"

namespace cordon::tunnel {
namespace {

constexpr std::string_view octet_type = "application/octet-stream";
// Longer waits are no hint any more.
constexpr std::chrono::seconds max_retry_after = std::chrono::hours(24);

// "Text/Plain; charset=utf-8" -> "text/plain"
std::string media_type(std::string_view text) {
  text = text.substr(0, text.find(';'));
  std::string type;
  for (const char c : text) {
    if (c != ' ' && c != '\t') type += ascii_lower(c);
  }
  return type;
}

// A date is no hint: there is no clock here to compare it with.
std::optional<std::chrono::seconds> seconds_of(std::string_view text) {
  std::int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): its end is given.
  const auto read = std::from_chars(text.data(), end, seconds);
  if (read.ec != std::errc() || read.ptr != end || seconds < 0) return std::nullopt;
  return std::min(std::chrono::seconds(seconds), max_retry_after);
}

bool is_header_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 0x7F);
  });
}

bool is_header_name(std::string_view text) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') ||
           others.contains(c);
  });
}

// What the connection and the session write by themselves, and what would change how the request is
// framed.
bool is_framing(std::string_view name) {
  constexpr std::string_view names[] = {
      "connection", "content-encoding",  "content-length", "content-type", "expect",
      "host",       "http2-settings",    "keep-alive",     "te",           "proxy-connection",
      "trailer",    "transfer-encoding", "upgrade"};
  return std::ranges::find(names, name) != std::end(names);
}

bool is_success(unsigned status) { return status >= 200 && status <= 299; }

bool is_json(std::string_view type) {
  return type == "application/json" || type == "text/json" || type.ends_with("+json");
}

bool is_page(std::string_view type) {
  return type == "text/html" || type == "application/xhtml+xml";
}

// 304 and its like are no redirects, unless they say where to.
bool is_redirect(unsigned status, std::string_view location) {
  constexpr unsigned statuses[] = {301, 302, 303, 307, 308};
  if (status < 300 || status > 399) return false;
  return !location.empty() || std::ranges::find(statuses, status) != std::end(statuses);
}

std::string_view header_of(const HttpResponseHead& head, std::string_view name) {
  const auto found = std::ranges::find_if(head.headers, [&](const HttpHeader& header) {
    return equals_in_any_case(header.name, name);
  });
  return found == head.headers.end() ? std::string_view() : std::string_view(found->value);
}

// The caller's own headers, which replace those of the session.
Result<> add_headers(std::vector<HttpHeader>& headers, const std::vector<HttpHeader>& own) {
  const auto session_headers = static_cast<std::ptrdiff_t>(headers.size());
  for (const HttpHeader& header : own) {
    CORDON_TRY(check_own_header(header));
    headers.push_back({ascii_lower_case(header.name), header.value});
  }
  const auto replaced = std::ranges::remove_if(
      headers.begin(), headers.begin() + session_headers, [&](const HttpHeader& written) {
        return std::ranges::any_of(own, [&](const HttpHeader& header) {
          return equals_in_any_case(header.name, written.name);
        });
      });
  headers.erase(replaced.begin(), replaced.end());
  return {};
}

// {"input":…}, as a tree, or as a graph where the input contains itself.
Result<std::string> wrapped(const rich::Serializer& serializer, std::string_view key,
                            const Value& value, bool returns_payload) {
  const std::string_view rest = returns_payload ? R"(,"returnPayload":true})" : "}";
  std::string text = "{\"" + std::string(key) + "\":";
  const Result<> written = serializer.stringify_to(text, value);
  if (written) return text += rest;
  if (written.error().code != ErrorCode::cyclic) return fail(written.error());
  Builder builder;
  std::vector<Builder::Field> fields = {{key, builder.part(value)}};
  if (returns_payload) fields.push_back({"returnPayload", ValueView(true)});
  return serializer.serialize(builder.finish(builder.object(fields)));
}

Result<std::string> context_header(const rich::Serializer& serializer,
                                   const std::vector<std::pair<std::string, Value>>& contexts) {
  Builder builder;
  std::vector<Builder::Field> fields;
  for (const auto& [id, value] : contexts) {
    Result<std::string> text = serializer.stringify(value);
    if (!text && text.error().code == ErrorCode::cyclic) text = serializer.serialize(value);
    if (!text) return fail(text.error());
    fields.push_back({id, builder.string(*text)});
  }
  std::string header = CORDON_TRY(serializer.stringify(builder.finish(builder.object(fields))));
  // Servers ignore a larger one without a word.
  if (header.size() > max_context_bytes)
    return fail(ErrorCode::too_large, "the contexts have more than 64 KiB");
  return header;
}

std::optional<std::uint64_t> length_of(const std::vector<BodyPart>& body,
                                       const std::vector<OutgoingFile>& files) {
  std::uint64_t length = 0;
  for (const BodyPart& part : body) {
    if (const auto* const text = std::get_if<std::string>(&part)) {
      length += text->size();
      continue;
    }
    const std::optional<std::uint64_t>& bytes = files[std::get<FileBytes>(part).file].bytes;
    if (!bytes) return std::nullopt;
    length += *bytes;
  }
  return length;
}

}  // namespace

// Requests.

Result<> check_own_header(const HttpHeader& header) {
  if (!is_header_name(header.name))
    return fail(ErrorCode::invalid_argument, "'" + header.name + "' is no name of a header");
  const std::string name = ascii_lower_case(header.name);
  if (is_framing(name))
    return fail(ErrorCode::invalid_argument, "the header " + name + " is not the caller's to set");
  if (!is_header_value(header.value))
    return fail(ErrorCode::invalid_argument, name + " has control characters");
  return {};
}

Result<OutgoingRequest> ClientSession::request(const ClientCall& call) {
  using Target = ClientCall::Target;
  target_ = call.target;
  needs_result_ =
      call.target == Target::discovery || (call.target == Target::event && call.returns_payload);
  OutgoingRequest out;
  if (!options_.token.empty()) {
    const bool is_bearer = equals_in_any_case(options_.token_header, "authorization");
    out.headers.push_back({options_.token_header, (is_bearer ? "Bearer " : "") + options_.token});
  }
  if (!call.request_id.empty()) {
    if (!is_request_id(call.request_id))
      return fail(ErrorCode::invalid_argument,
                  "a request id has 1 to 128 letters, digits, or one of .:_-");
    out.headers.push_back({"x-runner-request-id", call.request_id});
  }
  if (!call.traceparent.empty()) out.headers.push_back({"traceparent", call.traceparent});
  if (!call.contexts.empty()) {
    out.headers.push_back(
        {"x-runner-context", CORDON_TRY(context_header(serializer_, call.contexts))});
  }
  out.headers.push_back({"accept", "application/json, application/octet-stream"});
  CORDON_TRY(add_headers(out.headers, call.headers));
  for (const HttpHeader& header : out.headers) {
    if (!is_header_value(header.value))
      return fail(ErrorCode::invalid_argument, header.name + " has control characters");
  }
  if (call.target == Target::discovery) {
    out.method = "GET";
    out.target = options_.base_path + "/discovery";
    out.content_length = 0;
    return out;
  }
  if (call.id.empty()) return fail(ErrorCode::invalid_argument, "a task or an event has an id");
  if (call.id.size() > max_id_bytes)
    return fail(ErrorCode::invalid_argument, "an id has 4096 bytes at most");
  const bool is_event = call.target == Target::event;
  out.target = options_.base_path + (is_event ? "/event/" : "/task/") + percent_encoded(call.id);
  const auto* const value = std::get_if<Value>(&call.input);
  const auto* const text = std::get_if<InputText>(&call.input);
  if (is_event && value == nullptr && text == nullptr)
    return fail(ErrorCode::invalid_argument, "an event has no body but its payload");
  if (const auto* const octets = std::get_if<OctetBody>(&call.input)) {
    out.headers.push_back({"content-type", std::string(octet_type)});
    out.body.emplace_back(FileBytes{});
    out.content_length = octets->bytes;
    return out;
  }
  if (const auto* const form = std::get_if<FormBody>(&call.input)) {
    std::string manifest = CORDON_TRY(wrapped(serializer_, "input", form->input, false));
    out.body = CORDON_TRY(form_of(std::move(manifest), form->files, form->boundary));
    out.headers.push_back({"content-type", "multipart/form-data; boundary=" + form->boundary});
    out.content_length = length_of(out.body, form->files);
    return out;
  }
  const std::string_view key = is_event ? "payload" : "input";
  std::string body;
  if (text != nullptr) {
    body = "{\"" + std::string(key) + "\":" + text->text;
    body += is_event && call.returns_payload ? R"(,"returnPayload":true})" : "}";
  } else {
    body = CORDON_TRY(wrapped(serializer_, key, *value, is_event && call.returns_payload));
  }
  out.headers.push_back({"content-type", std::string(json_type)});
  out.content_length = body.size();
  out.body.emplace_back(std::move(body));
  return out;
}

// Answers.

ClientSession::Next ClientSession::on_head(const HttpResponseHead& head) {
  status_ = head.status;
  content_type_ = header_of(head, "content-type");
  retry_after_ = seconds_of(header_of(head, "retry-after"));
  const std::string_view request_id = header_of(head, "x-runner-request-id");
  if (is_request_id(request_id)) request_id_ = request_id;
  const std::string_view location = header_of(head, "location");
  if (is_redirect(status_, location)) {
    stopped_ = Redirect{status_, std::string(location), request_id_};
    return Next::stop;
  }
  // Nothing was said of what we would understand.
  const std::string_view coding = header_of(head, "content-encoding");
  if (!coding.empty() && !equals_in_any_case(coding, "identity"))
    return stop(BadAnswer::Why::malformed,
                "the answer is compressed (" + std::string(coding) + "), which nobody asked for");
  const std::string type = media_type(content_type_);
  if (status_ == 204) return stop_without_envelope("");
  // JSON is an envelope, whatever the status. Anything else that comes with success is what the
  // task streams, unless it is a page that somebody in between shows.
  if (is_json(type)) return Next::read_on;
  if (!is_success(status_)) return stop_without_envelope("");
  if (type.empty()) return stop_without_envelope("no content type");
  if (is_page(type)) return stop_without_envelope("a page of HTML");
  if (target_ != ClientCall::Target::task) return stop_without_envelope(type);
  is_stream_ = true;
  return options_.streams == ClientOptions::Streams::collected ? Next::read_on : Next::pass_on;
}

ClientSession::Next ClientSession::on_piece(std::string_view piece) {
  if (stopped_) return Next::stop;
  if (is_stream_ && options_.streams == ClientOptions::Streams::passed_on) return Next::pass_on;
  if (piece.size() > options_.max_answer_bytes - body_.size()) {
    // Shows the limit in MiB, or in bytes if it is not a whole number of MiB.
    const std::size_t limit = options_.max_answer_bytes;
    const bool is_even = limit % (std::size_t{1} << 20) == 0;
    return stop(BadAnswer::Why::too_large,
                "the answer has more than " + (is_even ? std::to_string(limit >> 20) + " MiB"
                                                       : std::to_string(limit) + " bytes"));
  }
  body_ += piece;
  return Next::read_on;
}

ClientSession::Next ClientSession::stop(BadAnswer::Why why, std::string message) {
  stopped_ = BadAnswer{why, status_, std::move(message), request_id_};
  return Next::stop;
}

ClientSession::Next ClientSession::stop_without_envelope(std::string_view why) {
  std::string message = "status " + std::to_string(status_) + ", ";
  if (!why.empty()) message += std::string(why) + ", ";
  return stop(BadAnswer::Why::no_envelope, message + "and no envelope");
}

ClientOutcome ClientSession::on_end() {
  if (stopped_) return *stopped_;
  if (status_ == 0) return bad("there was no answer");
  if (is_stream_) return StreamedAnswer{content_type_, std::move(body_)};
  return read_envelope();
}

ClientOutcome ClientSession::bad(std::string message) const {
  return BadAnswer{BadAnswer::Why::malformed, status_, std::move(message), request_id_};
}

ClientOutcome ClientSession::read_envelope() const {
  const Result<Value> envelope = serializer_.parse(body_, {.regexps = regexps_});
  if (!envelope) return bad(envelope.error().message);
  const ValueView ok = envelope->find("ok");
  if (!envelope->is_object() || !ok.is_bool()) return bad("the answer is no envelope");
  if (!ok.as_bool()) return read_failure(*envelope);
  if (!is_success(status_)) return bad("status " + std::to_string(status_) + " with a result");
  return result_of(*envelope);
}

ClientOutcome ClientSession::result_of(const Value& envelope) const {
  // Undefined has a record of its own, so what is not there was not sent.
  if (needs_result_ && !envelope.contains("result")) return bad("the envelope has no result");
  return TaskResult{envelope.share(envelope.find("result"))};
}

ClientOutcome ClientSession::read_failure(const Value& envelope) const {
  const ValueView error = envelope.find("error");
  const ValueView message = error.find("message");
  if (!error.is_object() || !message.is_string())
    return bad("the envelope of a failure has no message");
  AnsweredFailure failure{.status = status_,
                          .code = std::string(error.find("code").as_string()),
                          .message = std::string(message.as_string()),
                          .data = envelope.share(error.find("data")),
                          .request_id = request_id_,
                          .may_be_repeated = status_ == 503,
                          .retry_after = retry_after_};
  const ValueView id = error.find("id");
  if (id.is_string()) failure.id = std::string(id.as_string());
  const double http_code = error.find("httpCode").as_number();
  if (http_code >= 100 && http_code <= 999) failure.http_code = static_cast<unsigned>(http_code);
  return failure;
}

std::string Redirect::message() const {
  const std::string where = location.empty() ? "nowhere" : location;
  return "status " + std::to_string(status) + " to " + where + ", and redirects are not followed";
}

}  // namespace cordon::tunnel
