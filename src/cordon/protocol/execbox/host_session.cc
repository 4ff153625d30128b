#include "cordon/protocol/execbox/host_session.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>
#include <utility>

#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/protocol/execbox/envelope.h"
#include "cordon/protocol/execbox/failure_codes.h"

namespace cordon::execbox {
namespace {

constexpr std::string_view unserializable = "the tool returned a non-serializable value: ";

// The code of a runner's end: one of the seven.
ErrorCode end_code(std::string_view code) {
  const Error known = read_error(code, {});
  const bool is_known = known.own_code.empty() && !code.empty();
  return is_known ? known.code : ErrorCode::runtime_error;
}

// An array or object whose parts a walk goes through. The walks below take no stack.
struct Open {
  ValueView container;
  std::size_t next = 0;

  bool at_end() const { return next == container.size(); }
  ValueView take() {
    const std::size_t at = next++;
    return container.is_array() ? container.items()[at] : container.members()[at].value;
  }
};

// Whether more levels of arrays and objects lie within each other than this.
bool is_deeper(ValueView value, std::size_t levels) {
  std::vector<Open> open;
  const auto enter = [&](ValueView part) {
    if (part.is_array() || part.is_object()) open.push_back({part});
    return open.size() <= levels;
  };
  if (!enter(value)) return true;
  while (!open.empty()) {
    if (open.back().at_end()) {
      open.pop_back();
    } else if (!enter(open.back().take())) {
      return true;
    }
  }
  return false;
}

// What of a value is no JSON; undefined as a whole is no result. Empty where nothing is.
std::string complaint_about(ValueView value) {
  switch (value.kind()) {
    case Kind::null:
    case Kind::boolean:
    case Kind::string:
    case Kind::array:
    case Kind::object:
      return {};
    case Kind::number:
      return std::isfinite(value.as_number()) ? "" : "a number that is not finite";
    case Kind::bigint:
      return "a bigint";
    default:
      return "a " + std::string(name_of(value.kind()));
  }
}

struct Complaint {
  std::string what;
  std::string place;
};

std::optional<Complaint> first_complaint(ValueView root) {
  std::vector<Open> open;
  const auto place = [&] {
    std::string text;
    for (const Open& one : open) {
      if (one.container.is_array()) {
        append_path(text, one.next - 1);
      } else {
        append_path(text, one.container.members()[one.next - 1].key());
      }
    }
    return text;
  };
  std::string what = complaint_about(root);
  if (!what.empty()) return Complaint{std::move(what), {}};
  if (root.is_array() || root.is_object()) open.push_back({root});
  constexpr std::size_t max_depth = 1000;
  while (!open.empty()) {
    if (open.back().at_end()) {
      open.pop_back();
      continue;
    }
    const ValueView part = open.back().take();
    what = complaint_about(part);
    if (!what.empty()) return Complaint{std::move(what), place()};
    if (!part.is_array() && !part.is_object()) continue;
    if (open.size() == max_depth) return Complaint{"too many levels", {}};
    open.push_back({part});
  }
  return std::nullopt;
}

Result<std::string> line_of(const Value& message, std::size_t max_bytes) {
  std::string line =
      CORDON_TRY(json::encode(message, {.max_bytes = max_bytes, .max_depth = max_nesting}));
  line += '\n';
  return line;
}

// Into an object, as its last member.
Result<> add_providers(std::string& line, const std::vector<WrittenManifest>& providers,
                       std::size_t max_bytes) {
  constexpr std::string_view member = ",\"providers\":[";
  std::size_t size = line.size() + member.size() + 2;
  for (const WrittenManifest& manifest : providers) size += manifest.json().size() + 1;
  if (size > max_bytes) return fail(ErrorCode::too_large, "JSON text past its limit");
  line.reserve(size);
  line.pop_back();
  line += member;
  for (const WrittenManifest& manifest : providers) {
    if (&manifest != providers.data()) line += ',';
    line += manifest.json();
  }
  line += "]}\n";
  return {};
}

}  // namespace

HostSession::HostSession(HostExecute execute, const HostLimits& limits)
    : limits_(limits), execute_(std::move(execute)), budget_(new_budget()) {
  for (std::size_t i = 0; i < execute_.providers.size(); ++i)
    providers_[execute_.providers[i].name()].push_back(i);
}

// The last tool of a name counts.
std::optional<std::pair<std::size_t, std::size_t>> HostSession::find_tool(
    std::string_view provider, std::string_view tool) const {
  const auto found = providers_.find(provider);
  if (found == providers_.end()) return std::nullopt;
  for (const std::size_t at : std::views::reverse(found->second)) {
    if (const auto position = execute_.providers[at].safe_names().find(tool))
      return std::pair(at, *position);
  }
  return std::nullopt;
}

Result<HostSession> HostSession::create(HostExecute execute, const HostLimits& limits) {
  const Options& options = execute.options;
  const Value message =
      Value::object({{"type", "execute"},
                     {"id", execute.id},
                     {"code", std::exchange(execute.code, {})},
                     {"options", Value::object({{"timeoutMs", options.timeout.count()},
                                                {"memoryLimitBytes", options.memory_limit_bytes},
                                                {"maxLogLines", options.max_log_lines},
                                                {"maxLogChars", options.max_log_chars}})}});
  std::string line =
      CORDON_TRY(json::encode(message, {.max_bytes = limits.line_bytes, .max_depth = max_nesting}));
  CORDON_TRY(add_providers(line, execute.providers, limits.line_bytes));
  HostSession session(std::move(execute), limits);
  session.output_ = std::move(line);
  return session;
}

std::shared_ptr<Budget> HostSession::new_budget() const {
  return std::make_shared<Budget>(
      Budget::Limits{.bytes = std::max(4 * limits_.line_bytes, Budget::min_message_bytes)});
}

void HostSession::sent(std::size_t bytes) {
  sent_ += bytes;
  // Moving the rest costs no more than sending what was before it.
  if (sent_ * 2 < output_.size()) return;
  output_.erase(0, sent_);
  sent_ = 0;
}

void HostSession::on_bytes(std::string_view bytes) {
  while (!is_over_ && !bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() > limits_.line_bytes)
      return break_off("the runner sent a line of more than " + std::to_string(limits_.line_bytes) +
                       " bytes");
    if (end == std::string_view::npos) {
      line_ += part;
      return;
    }
    bytes.remove_prefix(end + 1);
    if (line_.empty()) {
      on_line(part);
    } else {
      const std::string line = std::exchange(line_, {}).append(part);
      on_line(line);
    }
  }
}

void HostSession::on_end_of_input(std::string_view why) {
  if (is_over_) return;
  const std::string last = std::exchange(line_, {});
  if (!last.empty()) on_line(last);
  if (!is_over_) break_off(std::string(why));
}

void HostSession::on_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const json::DecodeOptions options{
      .max_bytes = limits_.line_bytes, .max_depth = max_nesting, .budget = budget_};
  Result<Value> message = json::decode(line, options);
  if (!message) {
    if (message.error().is(ErrorCode::malformed) || message.error().is(ErrorCode::truncated))
      return;  // no JSON
    EnvelopeScanner scanner;
    scanner.feed(line);
    const auto envelope = scanner.finish();
    if (!envelope) return;
    // Inputs of calls that are under way may have used up the budget, and the end needs none of it.
    if (envelope->type == "done" && message.error().is(ErrorCode::too_large)) {
      json::DecodeOptions alone = options;
      alone.budget = new_budget();
      message = json::decode(line, alone);
    }
    if (!message) return on_unreadable(line, message.error().code);
  }
  const ValueView type = message->find("type");
  if (type == "tool_call") {
    on_tool_call(*message, line.size());
  } else if (type == "done" && message->find("id") == std::string_view(execute_.id)) {
    on_done(*message);
  }
}

void HostSession::on_unreadable(std::string_view line, ErrorCode why) {
  EnvelopeScanner scanner;
  scanner.feed(line);
  const auto envelope = scanner.finish();
  if (!envelope) return;
  if (envelope->type == "tool_call" && envelope->call_id) {
    if (is_cancelled_ || !remember(*envelope->call_id)) return;
    refuse_call(
        *envelope->call_id,
        why == ErrorCode::too_large
            ? Error{ErrorCode::runtime_error, "Too much data in pending tool calls"}
            : Error{ErrorCode::serialization_error, "Tool call refused: it cannot be read"});
  } else if (envelope->type == "done" && envelope->id == execute_.id) {
    if (why == ErrorCode::too_deep)
      return finish({Error{ErrorCode::serialization_error, std::string(not_serializable_text)}});
    break_off("the runner sent a done that cannot be read");
  }
}

bool HostSession::remember(std::string_view call_id) {
  if (used_ids_.size() >= limits_.calls) {
    break_off("the runner made more than " + std::to_string(limits_.calls) + " tool calls");
    return false;
  }
  return used_ids_.insert(std::hash<std::string_view>()(call_id)).second;
}

void HostSession::on_tool_call(const Value& message, std::size_t bytes) {
  const ValueView call_id = message.find("callId");
  if (is_cancelled_ || !call_id.is_string() || !remember(call_id.as_string())) return;
  begin_call(std::string(call_id.as_string()), message, bytes);
}

void HostSession::begin_call(const std::string& call_id, const Value& message, std::size_t bytes) {
  const ValueView provider = message.find("providerName");
  const ValueView tool = message.find("safeToolName");
  if (!provider.is_string() || !tool.is_string())
    return refuse_call(
        call_id, {ErrorCode::validation_error, "Invalid tool_call message: it names no tool"});
  const auto found = find_tool(provider.as_string(), tool.as_string());
  if (!found)
    return refuse_call(
        call_id, {ErrorCode::internal_error, "Unknown tool " + std::string(provider.as_string()) +
                                                 "." + std::string(tool.as_string())});
  if (pending_.size() >= limits_.pending_calls)
    return refuse_call(
        call_id, {ErrorCode::runtime_error, "More than " + std::to_string(limits_.pending_calls) +
                                                " tool calls are pending"});
  const ValueView input = message.find("input");
  if (is_deeper(input, limits_.nesting))
    return refuse_call(call_id,
                       {ErrorCode::serialization_error, std::string(not_serializable_text)});
  const auto [provider_at, tool_at] = *found;
  pending_.emplace(++last_call_, call_id);
  calls_.push_back({last_call_, provider_at, tool_at, message.share(input), bytes});
}

void HostSession::on_answer(std::uint64_t call, const Result<Value>& result) {
  const auto found = pending_.find(call);
  if (found == pending_.end()) return;
  const std::string call_id = std::move(found->second);
  pending_.erase(found);
  if (!is_over_ && !is_cancelled_) write_answer(call_id, result);
}

void HostSession::refuse_call(std::string_view call_id, const Error& error) {
  write_answer(call_id, fail(error));
}

void HostSession::write_answer(std::string_view call_id, const Result<Value>& result) {
  std::optional<Error> failure;
  if (!result) failure = result.error();
  if (result && !result->is_undefined()) {
    if (const auto complaint = first_complaint(*result))
      failure = Error{ErrorCode::serialization_error,
                      std::string(unserializable) + complaint->what +
                          (complaint->place.empty() ? "" : " at " + complaint->place)};
  }
  if (!failure && unread() > limits_.unread_bytes)
    failure = Error{ErrorCode::runtime_error, "Too much data in pending tool calls"};
  if (!failure) {
    Value message = Value::object({{"type", "tool_result"}, {"callId", call_id}, {"ok", true}});
    if (!result->is_undefined()) message = message.with("result", *result);
    const Result<std::string> line = line_of(message, limits_.line_bytes);
    if (line) {
      output_ += *line;
      return;
    }
    failure =
        Error{ErrorCode::serialization_error, std::string(unserializable) + "it is larger than " +
                                                  std::to_string(limits_.line_bytes) + " bytes"};
  }
  const Value error =
      Value::object({{"code", code_of_end(failure->code)}, {"message", failure->message}});
  const Value message = Value::object(
      {{"type", "tool_result"}, {"callId", call_id}, {"ok", false}, {"error", error}});
  // Refusals cost a runner little to provoke, so they count as well.
  if (unread() > 2 * limits_.unread_bytes) return break_off("the runner does not read its answers");
  output_ += line_of(message, 2 * limits_.line_bytes).value_or("");
}

void HostSession::on_done(const Value& message) {
  HostEnd end;
  const ValueView logs = message.find("logs");
  const bool has_logs = logs.is_array() && std::ranges::all_of(logs.items(), &ValueView::is_string);
  const ValueView ok = message.find("ok");
  if (!has_logs || !ok.is_bool() || !message.find("durationMs").is_number())
    return break_off("the runner sent a done without ok, logs and durationMs as they must be");
  for (const ValueView line : logs.items()) end.logs.emplace_back(line.as_string());
  if (ok.as_bool()) {
    const ValueView result = message.find("result");
    if (is_deeper(result, limits_.nesting)) {
      end.outcome = Error{ErrorCode::serialization_error, std::string(not_serializable_text)};
    } else {
      end.outcome = message.share(result);
    }
    return finish(std::move(end));
  }
  const ValueView error = message.find("error");
  const ValueView code = error.find("code");
  const ValueView text = error.find("message");
  if (!code.is_string() || !text.is_string())
    return break_off("the runner sent a done that failed, and has no error with code and message");
  end.outcome = Error{end_code(code.as_string()), std::string(text.as_string())};
  end.diagnostics = read_diagnostics(error);
  finish(std::move(end));
}

void HostSession::cancel() {
  if (is_over_ || is_cancelled_) return;
  is_cancelled_ = true;
  calls_.clear();
  pending_.clear();
  output_ += line_of(Value::object({{"type", "cancel"}, {"id", execute_.id}}), limits_.line_bytes)
                 .value_or("");
}

void HostSession::break_off(std::string why) {
  if (!is_over_) finish({Error{ErrorCode::runner_error, std::move(why)}});
}

void HostSession::finish(HostEnd end) {
  is_over_ = true;
  line_ = {};
  calls_.clear();
  pending_.clear();
  output_.clear();
  sent_ = 0;
  end_ = std::move(end);
}

}  // namespace cordon::execbox
