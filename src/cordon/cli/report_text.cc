#include "cordon/cli/report_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cordon/describe.h"
#include "cordon/host/failure.h"

namespace cordon::cli {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

double ms(std::chrono::microseconds duration) { return Milliseconds(duration).count(); }

Value cause_as_value(const ExecutionError& error, std::size_t index) {
  const ErrorCause& cause = error.causes[index];
  std::vector<Value::Field> fields;
  if (!cause.name.empty()) fields.push_back({"name", cause.name});
  fields.push_back({"message", cause.message});
  if (!cause.stack.empty()) fields.push_back({"stack", cause.stack});
  if (index + 1 < error.causes.size())
    fields.push_back({"cause", cause_as_value(error, index + 1)});
  return Value::object_from(fields);
}

Value location_as_value(const SourceLocation& location) {
  return Value::object(
      {{"file", location.file}, {"line", location.line}, {"column", location.column}});
}

Value error_as_value(const ExecutionError& error) {
  std::vector<Value::Field> fields = {{"code", error.code_text()},
                                      {"message", host::message_with_place(error)}};
  if (!error.name.empty()) fields.push_back({"name", error.name});
  if (!error.stack.empty()) fields.push_back({"stack", error.stack});
  if (!error.causes.empty()) fields.push_back({"cause", cause_as_value(error, 0)});
  if (error.location) fields.push_back({"location", location_as_value(*error.location)});
  if (!error.function.empty()) fields.push_back({"function", error.function});
  if (!error.place.empty()) fields.push_back({"place", error.place});
  if (!error.hint.empty()) fields.push_back({"hint", error.hint});
  if (!error.suggestions.empty()) {
    const std::vector<Value> names(error.suggestions.begin(), error.suggestions.end());
    fields.push_back({"suggestions", Value::array_from(names)});
  }
  if (error.call) {
    fields.push_back({"call", Value::object({{"provider", error.call->provider},
                                             {"tool", error.call->tool},
                                             {"input", error.call->input}})});
  }
  return Value::object_from(fields);
}

Style style_of(TextPart part) {
  switch (part) {
    case TextPart::error_label:
    case TextPart::caret:
      return Style::red;
    case TextPart::hint_label:
      return Style::green;
    case TextPart::code:
      return Style::bold;
    case TextPart::margin:
    case TextPart::stack:
      return Style::dim;
    case TextPart::plain:
      return Style::plain;
  }
  std::unreachable();
}

Style style_of(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return Style::red;
    case LogLevel::warn:
      return Style::yellow;
    case LogLevel::debug:
      return Style::dim;
    default:
      return Style::plain;
  }
}

Value warning_as_value(const Warning& warning) {
  std::vector<Value::Field> fields = {{"code", name_of(warning.code)},
                                      {"message", warning.message}};
  if (warning.location) fields.push_back({"location", location_as_value(*warning.location)});
  return Value::object_from(fields);
}

}  // namespace

Value report_as_value(const Report& report) {
  std::vector<Value> logs;
  for (const LogLine& line : report.logs) {
    logs.push_back(Value::object({{"level", name_of(line.level)}, {"text", line.text}}));
  }
  std::vector<Value> calls;
  for (const CallRecord& call : report.calls) {
    calls.push_back(Value::object({{"provider", call.provider},
                                   {"tool", call.tool},
                                   {"ms", ms(call.took)},
                                   {"ok", call.ok}}));
  }
  std::vector<Value::Field> fields = {{"ok", !report.failed()}};
  if (report.ok() && !report.result.is_undefined()) fields.push_back({"result", report.result});
  if (report.failed()) fields.push_back({"error", error_as_value(report.error)});
  fields.push_back({"logs", Value::array_from(logs)});
  if (report.logs_truncated) fields.push_back({"logsTruncated", true});
  std::vector<Value> warnings;
  for (const Warning& warning : report.warnings) warnings.push_back(warning_as_value(warning));
  fields.push_back({"warnings", Value::array_from(warnings)});
  fields.push_back({"calls", Value::array_from(calls)});
  if (report.call_count > report.calls.size()) fields.push_back({"callCount", report.call_count});
  fields.push_back({"durationMs", ms(report.duration)});
  fields.push_back({"ownMs", ms(report.computing_time)});
  fields.push_back({"memoryBytes", report.memory_bytes});
  return Value::object_from(fields);
}

std::string error_text(const ExecutionError& error, const Terminal& terminal) {
  const TextStyle style = [&terminal](TextPart part, std::string_view text) {
    return terminal.styled(style_of(part), text);
  };
  return describe(error, style) + "\n";
}

std::string warning_text(const Warning& warning, const Terminal& terminal) {
  return terminal.styled(Style::yellow, "warning") + ": " + describe(warning) + "\n";
}

std::string log_text(const LogLine& line, std::string_view source, const Terminal& terminal,
                     LogTime time) {
  std::string head(name_of(line.level));
  if (!source.empty()) head = std::string(source) + " " + head;
  if (time == LogTime::shown) head += fmt::format(" {:.1f} ms", ms(line.at));
  return terminal.styled(Style::dim, "[" + head + "]") + " " +
         terminal.styled(style_of(line.level), visible_block(line.text, Margin::added)) + "\n";
}

std::string figures_text(const Report& report, const Terminal& terminal) {
  std::string text = fmt::format(
      "{} in {:.2f} ms: the guest's own time {:.2f} ms, {} tool call{}, {:.1f} MiB of memory\n",
      report.failed() ? "ended" : "done", ms(report.duration), ms(report.computing_time),
      report.call_count, report.call_count == 1 ? "" : "s",
      static_cast<double>(report.memory_bytes) / (1 << 20));
  for (const CallRecord& call : report.calls) {
    text += fmt::format("  {:>8.2f} ms  +{:.2f} ms  {}.{}{}\n", ms(call.started), ms(call.took),
                        call.provider, call.tool,
                        call.ok         ? ""
                        : call.answered ? "  failed"
                                        : "  not answered");
  }
  return terminal.styled(Style::dim, text);
}

}  // namespace cordon::cli
