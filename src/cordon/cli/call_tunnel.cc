#include "cordon/cli/call_tunnel.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
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
#include "cordon/transport/http/client.h"

namespace cordon::cli {
namespace {

namespace http = transport::http;

constexpr std::size_t max_answer_bytes = std::size_t{64} << 20;
constexpr std::size_t max_token_bytes = std::size_t{16} << 10;

struct Job {
  http::Origin origin;
  http::ClientRequest request;
  std::chrono::milliseconds timeout{};
};

// As encodeURIComponent writes it, so that a slash in an id stays in it.
std::string encoded(std::string_view id) {
  constexpr std::string_view kept = "-_.!~*'()";
  constexpr char digits[] = "0123456789ABCDEF";
  std::string text;
  for (const char c : id) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || kept.contains(c);
    if (is_plain) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += '%';
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

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
  job.request.target = job.origin.path + "/task/" + encoded(arguments.second);
  // A body without the key would be the input itself.
  job.request.body = R"({"input":{"__type":"Undefined","value":null}})";
  if (arguments.count > 2) {
    // It goes as it stands: Runner's typed records ({"__type": "Date", …}) are JSON too.
    const Result<Value> input = json::decode(arguments.third);
    if (!input) return wrong("JSON", input.error());
    job.request.body = "{\"input\":" + arguments.third + "}";
  }
  job.request.headers = {{"content-type", "application/json; charset=utf-8"},
                         {"accept", "application/json, application/octet-stream"}};
  const std::string token = CORDON_TRY(token_of(arguments));
  if (!token.empty()) job.request.headers.emplace_back("x-runner-token", token);
  return job;
}

// How a call came out, or what it is about to be.
struct Outcome {
  int exit_code = exit_done;
  Value error = {};  // an object with `code` and `message`, unless it is done
};

Outcome failure(int exit_code, std::string_view code, std::string_view message) {
  return {exit_code, Value::object({{"code", code}, {"message", message}})};
}

class TunnelCall {
 public:
  TunnelCall(const CallArguments& arguments, Interrupt& interrupt, Job job)
      : arguments_(arguments), interrupt_(interrupt), job_(std::move(job)) {}

  int go() {
    const Outcome outcome = run();
    interrupt_.on_signal({});
    if (interrupt_.was_signalled()) return exit_interrupted;
    if (outcome.exit_code != exit_done) print_failure(outcome);
    if (!cannot_write_) return outcome.exit_code;
    write_all(STDERR_FILENO, "cordon call: cannot write to standard output\n");
    return exit_internal;
  }

 private:
  Outcome run() {
    const Instant deadline = std::chrono::steady_clock::now() + job_.timeout;
    http::Client client(job_.origin);
    interrupt_.on_signal([&client] { client.stop(); });
    const http::Client::Reader reader{
        .on_head = [this](const http::ClientAnswer& head) { return take_head(head); },
        .on_piece = [this](std::string_view piece) { return take_piece(piece); }};
    const auto done = client.post(job_.request, reader, deadline);
    interrupt_.on_signal({});
    if (!done) return failure_of(done.error());
    if (!is_stream_) return show_envelope();
    if (arguments_.json) print("{\"ok\":true,\"result\":" + bytes_text() + "}\n");
    return {};
  }

  Outcome failure_of(const http::ClientError& error) const {
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
    return refused_.exit_code == exit_done ? failure(exit_internal, "internal_error", error.message)
                                           : refused_;
  }

  // JSON is an envelope. Anything else that comes with 200 is what the task streams.
  bool take_head(const http::ClientAnswer& head) {
    status_ = head.status;
    if (head.content_type == "application/json") return true;
    is_stream_ = head.status == 200;
    if (is_stream_) return true;
    refused_ = failure(exit_violated, "bad_answer",
                       "status " + std::to_string(head.status) + ", and no envelope: is " +
                           arguments_.first + " the base of a tunnel?");
    return false;
  }

  bool take_piece(std::string_view piece) {
    if (is_stream_ && !arguments_.json) {
      // Standard output is closed, so the rest of the stream is not needed.
      if (!print(piece)) refused_ = failure(exit_internal, "io", "standard output");
      return !cannot_write_;
    }
    if (piece.size() > max_answer_bytes - body_.size()) {
      refused_ = failure(exit_violated, "too_large", "the answer has more than 64 MiB");
      return false;
    }
    body_ += piece;
    return true;
  }

  std::string bytes_text() const {
    return json::encode_plain(Value::bytes(as_bytes(body_))).value_or("null");
  }

  Outcome show_envelope() {
    const host::SandboxRegExps known;
    const host::PayloadRegExps regexps(known);
    const rich::Serializer serializer({}, regexps);
    const Result<Value> envelope = serializer.parse(body_);
    if (!envelope) return failure(exit_violated, "bad_answer", envelope.error().message);
    const ValueView ok = envelope->find("ok");
    if (!envelope->is_object() || !ok.is_bool()) {
      return failure(exit_violated, "bad_answer", "the answer is no envelope");
    }
    if (!ok.as_bool()) return told_failure(*envelope);
    if (status_ != 200) {
      return failure(exit_violated, "bad_answer",
                     "status " + std::to_string(status_) + " with a result");
    }
    return show_result(serializer, envelope->find("result"));
  }

  // What the server says: its code or the typed error's id, its message and data, and the status.
  Outcome told_failure(const Value& envelope) const {
    const ValueView error = envelope.find("error");
    if (!error.is_object() || !error.find("message").is_string()) {
      return failure(exit_violated, "bad_answer", "the envelope of a failure has no message");
    }
    const ValueView code = error.find("code");
    const ValueView id = error.find("id");
    const std::string_view shown = code.is_string() ? code.as_string()
                                   : id.is_string() ? id.as_string()
                                                    : std::string_view("error");
    Outcome outcome = failure(exit_failed, shown, error.find("message").as_string());
    outcome.error = outcome.error.with("status", static_cast<double>(status_));
    if (id.is_string()) outcome.error = outcome.error.with("id", envelope.share(id));
    const ValueView data = error.find("data");
    if (!data.is_undefined() && json_text(data))
      outcome.error = outcome.error.with("data", envelope.share(data));
    return outcome;
  }

  // As `cordon convert --from runner --to json`.
  static Result<std::string> json_text(const ValueView& value) {
    return json::encode(
        value, {.key_order = KeyOrder::javascript, .error_names = json::ErrorNames::written});
  }

  Outcome show_result(const rich::Serializer& serializer, const ValueView& result) {
    const bool is_nothing = result.is_undefined();
    if (is_nothing && !arguments_.runner) {
      if (arguments_.json) print("{\"ok\":true}\n");
      return {};
    }
    Result<std::string> text = arguments_.runner ? serializer.stringify(result) : json_text(result);
    if (arguments_.runner && !text) text = serializer.serialize(result);
    if (!text) {
      return failure(exit_failed, "serialization_error",
                     "the result cannot be written as JSON (" + text.error().message +
                         "); --runner prints it as Runner text");
    }
    print(arguments_.json ? "{\"ok\":true,\"result\":" + *text + "}\n" : *text + "\n");
    return {};
  }

  bool print(std::string_view text) {
    if (!write_all(STDOUT_FILENO, text)) cannot_write_ = true;
    return !cannot_write_;
  }

  void print_failure(const Outcome& outcome) {
    if (arguments_.json) {
      const Value whole = Value::object({{"ok", false}, {"error", outcome.error}});
      print(json_text(whole).value_or("{\"ok\":false}") + "\n");
      return;
    }
    const ValueView id = outcome.error.find("id");
    const ValueView code = id.is_string() ? id : outcome.error.find("code");
    const std::string text = std::string(code.as_string()) + ": " +
                             std::string(outcome.error.find("message").as_string());
    write_all(STDERR_FILENO, "cordon call: " + visible(text, Lines::escaped) + "\n");
  }

  const CallArguments& arguments_;
  Interrupt& interrupt_;
  Job job_;
  unsigned status_ = 0;
  bool is_stream_ = false;
  std::string body_;
  Outcome refused_;
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
