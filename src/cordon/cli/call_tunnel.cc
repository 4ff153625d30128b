#include "cordon/cli/call_tunnel.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <unistd.h>
#include <utility>

#include "cordon/base/bytes.h"
#include "cordon/cli/arguments.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/interrupt.h"
#include "cordon/cli/terminal.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/codec/json/plain.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/host/payload_regexps.h"
#include "cordon/protocol/tunnel/client_session.h"
#include "cordon/transport/http/client.h"

namespace cordon::cli {
namespace {

namespace http = transport::http;

constexpr std::size_t max_token_bytes = std::size_t{16} << 10;

struct Job {
  http::Origin origin;
  tunnel::ClientOptions options;
  tunnel::ClientCall call;
  std::chrono::milliseconds timeout{};
};

// Nothing where none is asked for.
Result<std::string> token_of(const CallArguments& arguments) {
  std::string token;
  if (!arguments.token_env.empty()) {
    const char* const value = std::getenv(arguments.token_env.c_str());
    if (value == nullptr || *value == '\0') {
      return fail(ErrorCode::not_found, "--token-env: there is no variable " + arguments.token_env);
    }
    token = value;
  } else if (!arguments.token_file.empty()) {
    Result<std::string> text = read_text(arguments.token_file, max_token_bytes);
    if (!text) return wrong("--token-file", text.error());
    token = *std::move(text);
    if (token.ends_with('\n')) token.pop_back();
    if (token.ends_with('\r')) token.pop_back();
    if (token.empty()) return fail(ErrorCode::invalid_argument, "--token-file: the file is empty");
  }
  const bool is_text = std::ranges::all_of(
      token, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 0x7F; });
  if (!is_text) return fail(ErrorCode::invalid_argument, "the token has control characters");
  return token;
}

Result<Job> job_of(const CallArguments& arguments) {
  Job job;
  Result<http::Origin> origin = http::Origin::parse(arguments.first);
  // Without the URL, in which there may be a password.
  if (!origin) return wrong("the URL of the tunnel", origin.error());
  job.origin = *std::move(origin);
  if (arguments.count < 2 || arguments.second.empty()) {
    return fail(ErrorCode::invalid_argument, "no TASK to call");
  }
  job.timeout = arguments.timeout;
  job.options.base_path = job.origin.path;
  job.options.token = CORDON_TRY(token_of(arguments));
  if (arguments.json) job.options.streams = tunnel::ClientOptions::Streams::collected;
  job.call.id = arguments.second;
  if (arguments.count > 2) {
    // It goes as it stands: Runner's typed records ({"__type": "Date", …}) are JSON too.
    const Result<Value> input = json::decode(arguments.third);
    if (!input) return wrong("JSON", input.error());
    job.call.input = tunnel::InputText{arguments.third};
  }
  return job;
}

// A call that came to nothing: how the program ends, and an object with `code` and `message`.
struct Failure {
  int exit_code = exit_violated;
  Value error = {};
};

Failure failure(int exit_code, std::string_view code, std::string_view message) {
  return {exit_code, Value::object({{"code", code}, {"message", message}})};
}

// As `cordon convert --from runner --to json`.
Result<std::string> json_text(const ValueView& value) {
  return json::encode(
      value, {.key_order = KeyOrder::javascript, .error_names = json::ErrorNames::written});
}

class TunnelCall {
 public:
  TunnelCall(const CallArguments& arguments, Interrupt& interrupt, Job job)
      : arguments_(arguments), interrupt_(interrupt), job_(std::move(job)) {}

  int go() {
    const std::optional<Failure> failed = run();
    interrupt_.on_signal({});
    if (interrupt_.was_signalled()) return exit_interrupted;
    if (failed) print_failure(*failed);
    if (!cannot_write_) return failed ? failed->exit_code : exit_done;
    write_all(STDERR_FILENO, "cordon call: cannot write to standard output\n");
    return exit_internal;
  }

 private:
  using Next = tunnel::ClientSession::Next;

  std::optional<Failure> run() {
    const Instant deadline = std::chrono::steady_clock::now() + job_.timeout;
    const Result<http::ClientRequest> request = request_of();
    if (!request) return failure(exit_usage, "invalid_argument", request.error().message);
    http::Client client(job_.origin);
    interrupt_.on_signal([&client] { client.stop(); });
    const http::Client::Reader reader{
        .on_head = [this](const HttpResponseHead& head) { return take_head(head); },
        .on_piece = [this](std::string_view piece) { return take_piece(piece); }};
    const auto done = client.post(*request, reader, deadline);
    interrupt_.on_signal({});
    if (cannot_write_) return failure(exit_internal, "io", "standard output");
    // What was refused was refused by the session, which knows why.
    if (!done && done.error().why != http::ClientFailure::refused) return failure_of(done.error());
    return shown(session_.on_end());
  }

  Result<http::ClientRequest> request_of() {
    tunnel::OutgoingRequest outgoing = CORDON_TRY(session_.request(job_.call));
    http::ClientRequest request{.target = std::move(outgoing.target),
                                .headers = std::move(outgoing.headers)};
    for (const tunnel::BodyPart& part : outgoing.body) request.body += std::get<std::string>(part);
    return request;
  }

  Failure failure_of(const http::ClientError& error) const {
    switch (error.why) {
      case http::ClientFailure::unreachable:
        return failure(exit_violated, "unreachable",
                       job_.origin.authority() + ": " + error.message);
      case http::ClientFailure::timeout:
        return failure(exit_violated, "timeout",
                       "it took longer than " + std::to_string(job_.timeout.count()) + " ms");
      case http::ClientFailure::broken:
        return failure(exit_violated, "bad_answer", error.message);
      case http::ClientFailure::refused:
      case http::ClientFailure::stopped:
        break;
    }
    return failure(exit_internal, "internal_error", error.message);
  }

  bool take_head(const HttpResponseHead& head) {
    const Next next = session_.on_head(head);
    is_passed_on_ = next == Next::pass_on;
    return next != Next::stop;
  }

  bool take_piece(std::string_view piece) {
    // If standard output is closed, the rest of the stream is not needed.
    return is_passed_on_ ? print(piece) : session_.on_piece(piece) != Next::stop;
  }

  std::optional<Failure> shown(const tunnel::ClientOutcome& outcome) {
    if (const auto* const result = std::get_if<tunnel::TaskResult>(&outcome))
      return show_result(result->value);
    if (const auto* const failed = std::get_if<tunnel::AnsweredFailure>(&outcome))
      return told_failure(*failed);
    if (const auto* const bad = std::get_if<tunnel::BadAnswer>(&outcome)) return bad_answer(*bad);
    if (const auto* const redirect = std::get_if<tunnel::Redirect>(&outcome))
      return failure(exit_violated, "redirect", redirect->message());
    if (arguments_.json) {
      const std::string& bytes = std::get<tunnel::StreamedAnswer>(outcome).bytes;
      const std::string text = json::encode_plain(Value::bytes(as_bytes(bytes))).value_or("null");
      print("{\"ok\":true,\"result\":" + text + "}\n");
    }
    return std::nullopt;
  }

  Failure bad_answer(const tunnel::BadAnswer& bad) const {
    switch (bad.why) {
      case tunnel::BadAnswer::Why::no_envelope:
        return failure(exit_violated, "bad_answer",
                       bad.message + ": is " + arguments_.first + " the base of a tunnel?");
      case tunnel::BadAnswer::Why::malformed:
        return failure(exit_violated, "bad_answer", bad.message);
      case tunnel::BadAnswer::Why::too_large:
        return failure(exit_violated, "too_large", bad.message);
    }
    std::unreachable();
  }

  // What the server says: its code or the typed error's id, its message and data, and the status.
  static Failure told_failure(const tunnel::AnsweredFailure& told) {
    const std::string_view code = !told.code.empty() ? std::string_view(told.code)
                                  : told.id          ? std::string_view(*told.id)
                                                     : std::string_view("error");
    Failure failed = failure(exit_failed, code, told.message);
    failed.error = failed.error.with("status", static_cast<double>(told.status));
    if (told.id) failed.error = failed.error.with("id", Value(*told.id));
    if (!told.data.is_undefined() && json_text(told.data))
      failed.error = failed.error.with("data", told.data);
    return failed;
  }

  std::optional<Failure> show_result(const Value& result) {
    if (result.is_undefined() && !arguments_.runner) {
      if (arguments_.json) print("{\"ok\":true}\n");
      return std::nullopt;
    }
    Result<std::string> text =
        arguments_.runner ? serializer_.stringify(result) : json_text(result);
    if (arguments_.runner && !text) text = serializer_.serialize(result);
    if (!text) {
      return failure(exit_failed, "serialization_error",
                     "the result cannot be written as JSON (" + text.error().message +
                         "); --runner prints it as Runner text");
    }
    print(arguments_.json ? "{\"ok\":true,\"result\":" + *text + "}\n" : *text + "\n");
    return std::nullopt;
  }

  bool print(std::string_view text) {
    if (!write_all(STDOUT_FILENO, text)) cannot_write_ = true;
    return !cannot_write_;
  }

  void print_failure(const Failure& failed) {
    if (arguments_.json) {
      const Value whole = Value::object({{"ok", false}, {"error", failed.error}});
      print(json_text(whole).value_or("{\"ok\":false}") + "\n");
      return;
    }
    const ValueView id = failed.error.find("id");
    const ValueView code = id.is_string() ? id : failed.error.find("code");
    const std::string text = std::string(code.as_string()) + ": " +
                             std::string(failed.error.find("message").as_string());
    write_all(STDERR_FILENO, "cordon call: " + visible(text, Lines::escaped) + "\n");
  }

  const CallArguments& arguments_;
  Interrupt& interrupt_;
  const Job job_;
  const host::SandboxRegExps known_;
  const host::PayloadRegExps regexps_{known_};
  const rich::Serializer serializer_{{}, regexps_};
  tunnel::ClientSession session_{job_.options, serializer_};
  bool is_passed_on_ = false;
  bool cannot_write_ = false;
};

}  // namespace

bool names_tunnel(const CallArguments& arguments) {
  return !arguments.has_command &&
         (arguments.first.starts_with("http://") || arguments.first.starts_with("https://"));
}

int call_tunnel(const CallArguments& arguments) {
  Interrupt interrupt;  // before any other thread
  Result<Job> job = job_of(arguments);
  if (!job) return wrong_call(job.error());
  return TunnelCall(arguments, interrupt, *std::move(job)).go();
}

}  // namespace cordon::cli
