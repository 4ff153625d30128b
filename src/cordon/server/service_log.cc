#include "cordon/server/service_log.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cordon/base/date_text.h"
#include "cordon/base/utf8.h"
#include "cordon/codec/json/encode.h"
#include "cordon/value.h"

namespace cordon::server {
namespace {

constexpr std::size_t max_text_bytes = 8192;

std::string now_text() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  DateBuffer buffer;
  return std::string(date_to_text(static_cast<double>(ms), buffer));
}

double milliseconds_of(std::chrono::steady_clock::duration duration) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  return static_cast<double>(micros) / 1000;
}

// Text from outside cannot end its line or move a cursor.
std::string shown(std::string_view text) {
  std::string safe;
  for (const char c : text.substr(0, max_text_bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte != 0x7f) {
      safe += c;
      continue;
    }
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\x%02x", byte);
    safe += c == '\n' ? "\\n" : escape;
  }
  return safe;
}

// A target's query may have secrets in it.
std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

std::string_view name_of_level(ServiceLog::Level level) {
  switch (level) {
    case ServiceLog::Level::debug:
      return "debug";
    case ServiceLog::Level::info:
      return "info";
    case ServiceLog::Level::warn:
      return "warn";
    case ServiceLog::Level::error:
      return "error";
  }
  std::unreachable();
}

ServiceLog::Level level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return ServiceLog::Level::debug;
    case LogLevel::log:
    case LogLevel::info:
      return ServiceLog::Level::info;
    case LogLevel::warn:
      return ServiceLog::Level::warn;
    case LogLevel::error:
      return ServiceLog::Level::error;
  }
  std::unreachable();
}

std::string counted(std::size_t count, std::string_view one) {
  return std::to_string(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

// Undefined members are not written.
Value unless_empty(std::string_view text) { return text.empty() ? Value() : Value(text); }

std::string tool_of(const ExecutionError& error) {
  return error.call ? error.call->provider + "." + error.call->tool : std::string();
}

// The hint of a tool's failure has the call's input, which no line has.
std::string hint_of(const ExecutionError& error) {
  constexpr std::size_t max_bytes = 300;
  if (error.call || error.hint.size() <= max_bytes) return error.call ? std::string() : error.hint;
  return std::string(cut_before(error.hint, max_bytes)) + "…";
}

Value location_of(const ExecutionError& error) {
  if (!error.location) return {};
  return Value::object({{"file", error.location->file},
                        {"line", error.location->line},
                        {"column", error.location->column}});
}

// " error=tool_error at=pay.js:3:9 tool=billing.charge", as far as it is known.
std::string details_of(const ExecutionError& error) {
  std::string text = " error=" + shown(error.code_text());
  if (const auto& at = error.location) {
    text += " at=" + shown(at->file) + ":" + std::to_string(at->line) + ":" +
            std::to_string(at->column);
  }
  if (error.call) text += " tool=" + shown(tool_of(error));
  const std::string hint = hint_of(error);
  return hint.empty() ? text : text + " hint=\"" + shown(hint) + "\"";
}

// What leads from a line of text to the others of its request.
std::string marks_of(std::string_view request_id, std::string_view traceparent) {
  std::string marks;
  if (!request_id.empty()) marks += " request=" + shown(request_id);
  const std::string_view trace = trace_id_of(traceparent);
  if (!trace.empty()) marks += " trace=" + shown(trace);
  return marks;
}

}  // namespace

std::string_view trace_id_of(std::string_view traceparent) {
  // version "-" trace-id "-" parent-id "-" flags
  if (traceparent.size() < 55 || traceparent[2] != '-' || traceparent[35] != '-') return {};
  return traceparent.substr(3, 32);
}

Result<std::unique_ptr<ServiceLog>> ServiceLog::create(ServiceLogOptions options) {
  std::unique_ptr<ServiceLog> log(new ServiceLog(std::move(options)));
  if (log->options_.access.empty()) return log;
  if (log->options_.access == "-") {
    log->requests_ = &log->errors_;
    return log;
  }
  log->access_ =
      open(log->options_.access.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  if (log->access_ < 0) {
    return fail(ErrorCode::invalid_argument,
                log->options_.access +
                    ": the access log cannot be opened: " + std::generic_category().message(errno));
  }
  log->requests_ = &log->access_outlet_.emplace(log->access_);
  return log;
}

ServiceLog::~ServiceLog() {
  tell_left_out(Instant::max());
  if (access_ >= 0) close(access_);
}

void ServiceLog::reopen() {
  if (access_ < 0) return;
  const int opened = open(options_.access.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  if (opened < 0) return say(Level::warn, "the access log cannot be opened anew");
  // The number stays, so that threads that write know nothing of it.
  dup3(opened, access_, O_CLOEXEC);
  close(opened);
}

void ServiceLog::put(LogOutlet& outlet, std::string line) const {
  const std::uint64_t lost = outlet.put(std::move(line));
  if (lost > 0) {
    say(Level::warn, std::to_string(lost) + (lost == 1 ? " log line was" : " log lines were") +
                         " lost: nobody read what came before in time");
  }
}

void ServiceLog::put_json(LogOutlet& outlet, std::vector<Value::Field> fields) const {
  put(outlet, json::encode(Value::object_from(fields)).value_or("{}"));
}

std::string summary_of(const StartRecord& record) {
  std::string text = counted(record.tasks, "task") + " and " + counted(record.events, "event");
  for (const std::string& address : record.addresses)
    text += (&address == record.addresses.data() ? " on " : ", ") + address;
  return text;
}

void ServiceLog::started(const StartRecord& record) const {
  const std::string text = "cordon " + record.version + " serves " + summary_of(record) + "; " +
                           counted(record.threads, "thread") + ", auth: " + record.auth;
  if (!options_.is_json) return say(Level::info, text);
  if (!shows(Level::info)) return;
  const std::vector<Value> addresses(record.addresses.begin(), record.addresses.end());
  put_json(errors_, {{"time", now_text()},
                     {"level", "info"},
                     {"event", "start"},
                     {"message", text},
                     {"version", record.version},
                     {"addresses", Value::array_from(addresses)},
                     {"tasks", record.tasks},
                     {"events", record.events},
                     {"threads", record.threads},
                     {"auth", record.auth}});
}

void ServiceLog::say(Level level, std::string_view text) const {
  if (!shows(level)) return;
  if (!options_.is_json) {
    put(errors_, now_text() + " " + std::string(name_of_level(level)) + " " + shown(text));
    return;
  }
  put_json(errors_, {{"time", now_text()}, {"level", name_of_level(level)}, {"message", text}});
}

void ServiceLog::request(const RequestRecord& record) const {
  if (requests_ != nullptr) access(record);
  if (refusals_.has_left_out()) tell_left_out(std::chrono::steady_clock::now());
  if ((record.status == 401 || record.status == 403) && shows(Level::warn)) refusal(record);
  if (!record.failure.empty()) failure(record);
}

void ServiceLog::tell_left_out(Instant now) const {
  if (const std::uint64_t count = refusals_.left_out(now); count > 0)
    say(Level::warn, std::to_string(count) + " more requests were refused (401 or 403)");
}

// The operator sees in the log that a client tries tokens or tasks. Such clients are not
// authenticated, so they must not decide how long the log gets.
void ServiceLog::refusal(const RequestRecord& record) const {
  if (!refusals_.take(std::chrono::steady_clock::now())) return;
  const std::string_view path = path_of(record.head.target);
  if (options_.is_json) {
    return put_json(errors_, {{"time", now_text()},
                              {"level", "warn"},
                              {"event", "refused"},
                              {"peer", unless_empty(record.head.peer)},
                              {"method", record.head.method},
                              {"path", path},
                              {"status", record.status},
                              {"code", unless_empty(record.code)},
                              {"requestId", record.request_id},
                              {"traceId", unless_empty(trace_id_of(record.traceparent))}});
  }
  std::string line = now_text() + " warn refused " + std::to_string(record.status);
  line += " " + (record.head.peer.empty() ? "-" : record.head.peer);
  line += " \"" + shown(record.head.method) + " " + shown(path) + "\"";
  put(errors_, line + marks_of(record.request_id, record.traceparent));
}

void ServiceLog::access(const RequestRecord& record) const {
  const std::string_view path = path_of(record.head.target);
  const double took = milliseconds_of(record.duration);
  if (options_.is_json) {
    return put_json(*requests_, {{"time", now_text()},
                                 {"level", "info"},
                                 {"event", "request"},
                                 {"peer", unless_empty(record.head.peer)},
                                 {"method", record.head.method},
                                 {"path", path},
                                 {"status", record.status},
                                 {"code", unless_empty(record.code)},
                                 {"id", unless_empty(record.task)},
                                 {"durationMs", took},
                                 {"requestId", record.request_id},
                                 {"traceId", unless_empty(trace_id_of(record.traceparent))}});
  }
  char number[32];
  std::snprintf(number, sizeof number, "%.3f", took);
  std::string line = now_text() + " " + (record.head.peer.empty() ? "-" : record.head.peer);
  line +=
      " \"" + shown(record.head.method) + " " + shown(path) + "\" " + std::to_string(record.status);
  line += " " + std::string(number) + "ms" + marks_of(record.request_id, record.traceparent);
  if (!record.code.empty()) line += " code=" + shown(record.code);
  put(*requests_, std::move(line));
}

void ServiceLog::failure(const RequestRecord& record) const {
  std::string_view stack = options_.shows_stacks ? record.stack : std::string_view();
  if (options_.is_json) {
    const ExecutionError unknown;
    const ExecutionError& error = record.error == nullptr ? unknown : *record.error;
    return put_json(errors_,
                    {{"time", now_text()},
                     {"level", "error"},
                     {"event", "failure"},
                     {"id", unless_empty(record.task)},
                     {"status", record.status},
                     {"code", unless_empty(record.code)},
                     {"message", record.failure.substr(0, max_text_bytes)},
                     {"error", record.error == nullptr ? Value() : Value(error.code_text())},
                     {"location", location_of(error)},
                     {"tool", unless_empty(tool_of(error))},
                     {"hint", unless_empty(hint_of(error))},
                     {"stack", unless_empty(stack)},
                     {"requestId", record.request_id},
                     {"traceId", unless_empty(trace_id_of(record.traceparent))}});
  }
  std::string line = now_text() + " error " + shown(record.task) + ": " + shown(record.failure);
  if (record.error != nullptr) line += details_of(*record.error);
  line += marks_of(record.request_id, record.traceparent);
  // For people at a terminal, a line a frame.
  while (!stack.empty() && line.size() < max_text_bytes) {
    const std::string_view frame = stack.substr(0, stack.find('\n'));
    if (!frame.empty()) line += "\n    " + shown(frame);
    stack.remove_prefix(std::min(stack.size(), frame.size() + 1));
  }
  put(errors_, std::move(line));
}

void ServiceLog::script(std::string_view id, const CallOrigin& origin, const LogLine& line) const {
  if (!shows(level_of(line.level))) return;
  if (options_.is_json) {
    return put_json(errors_, {{"time", now_text()},
                              {"level", name_of(line.level)},
                              {"event", "script"},
                              {"id", id},
                              {"message", line.text},
                              {"requestId", unless_empty(origin.request_id)},
                              {"traceId", unless_empty(trace_id_of(origin.traceparent))}});
  }
  put(errors_, now_text() + " " + std::string(name_of(line.level)) + " " + shown(id) + ": " +
                   shown(line.text) + marks_of(origin.request_id, origin.traceparent));
}

void ServiceLog::plugin(std::string_view name, std::string_view line) const {
  if (!shows(Level::info)) return;
  if (options_.is_json) {
    return put_json(errors_, {{"time", now_text()},
                              {"level", "info"},
                              {"event", "plugin"},
                              {"id", name},
                              {"message", to_wtf8_lossy(line)}});
  }
  put(errors_, now_text() + " info " + shown(name) + ": " + shown(line));
}

}  // namespace cordon::server
