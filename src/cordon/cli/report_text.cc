#include "cordon/cli/report_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace cordon::cli {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

double ms(std::chrono::microseconds duration) { return Milliseconds(duration).count(); }

// With its place: people and programs look for it in the message.
std::string message_of(const ExecutionError& error) {
  if (error.reason.empty()) return error.message;
  std::string text = error.message + ": " + error.reason;
  if (!error.place.empty()) text += " at " + error.place;
  return text;
}

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

Value error_as_value(const ExecutionError& error) {
  std::vector<Value::Field> fields = {{"code", error.code_text()}, {"message", message_of(error)}};
  if (!error.name.empty()) fields.push_back({"name", error.name});
  if (!error.stack.empty()) fields.push_back({"stack", error.stack});
  if (!error.causes.empty()) fields.push_back({"cause", cause_as_value(error, 0)});
  if (error.location) {
    fields.push_back({"location", Value::object({{"file", error.location->file},
                                                 {"line", error.location->line},
                                                 {"column", error.location->column}})});
  }
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

// A guest's text of one or more lines. All but the first are set in, so that none can be taken for
// one of ours.
std::string guest_lines(std::string_view text) {
  constexpr std::string_view margin = "    ";
  const std::string shown = visible(text, Lines::kept);
  std::string lines;
  for (std::size_t start = 0; start <= shown.size();) {
    const std::size_t end = std::min(shown.find('\n', start), shown.size());
    const std::string_view line = std::string_view(shown).substr(start, end - start);
    if (start > 0) lines += '\n';
    if (start > 0 && !line.starts_with(margin)) lines += margin;
    lines += line;
    start = end + 1;
  }
  return lines;
}

// The lines around the place, with a caret below it:
//
//     2 | const b = a.c.d;
//       |             ^
std::string frame_text(const ExecutionError& error, const Terminal& terminal) {
  const SourceExcerpt& excerpt = error.excerpt;
  std::string text;
  if (excerpt.lines.empty()) return text;
  const std::size_t last = excerpt.first_line + excerpt.lines.size() - 1;
  const std::size_t width = std::to_string(last).size();
  for (std::size_t i = 0; i < excerpt.lines.size(); ++i) {
    const std::string margin = fmt::format("    {:>{}} | ", excerpt.first_line + i, width);
    text += "\n" + terminal.styled(Style::dim, margin) + visible(excerpt.lines[i], Lines::escaped);
  }
  // As wide as what is above it: a tab stays one.
  std::string blanks;
  for (const char byte : visible(excerpt.before, Lines::escaped)) {
    const bool is_continuation = (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
    if (!is_continuation) blanks += byte == '\t' ? '\t' : ' ';
  }
  const std::string margin = fmt::format("    {:>{}} | ", "", width);
  return text + "\n" + terminal.styled(Style::dim, margin) + blanks +
         terminal.styled(Style::red, "^");
}

// A stack of one frame without a name is the place once more.
bool says_no_more(std::string_view stack, const ExecutionError& error) {
  return error.location && error.function.empty() && !stack.contains('\n');
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
  fields.push_back({"calls", Value::array_from(calls)});
  if (report.call_count > report.calls.size()) fields.push_back({"callCount", report.call_count});
  fields.push_back({"durationMs", ms(report.duration)});
  fields.push_back({"ownMs", ms(report.computing_time)});
  fields.push_back({"memoryBytes", report.memory_bytes});
  return Value::object_from(fields);
}

std::string error_text(const ExecutionError& error, const Terminal& terminal) {
  std::string text = terminal.styled(Style::red, "error") + ": " +
                     terminal.styled(Style::bold, std::string(error.code_text())) + ": ";
  if (!error.name.empty() && error.is(ErrorCode::runtime_error))
    text += visible(error.name, Lines::escaped) + ": ";
  text += guest_lines(message_of(error));
  if (error.location) {
    text += fmt::format("\n  at {}:{}:{}", visible(error.location->file, Lines::escaped),
                        error.location->line, error.location->column);
    text += frame_text(error, terminal);
  }
  if (!error.hint.empty()) {
    text +=
        "\n  " + terminal.styled(Style::green, "hint") + ": " + visible(error.hint, Lines::escaped);
  }
  for (const ErrorCause& cause : error.causes) {
    text += "\n  caused by " +
            guest_lines(cause.name.empty() ? cause.message : cause.name + ": " + cause.message);
  }
  std::string_view stack = error.stack;
  while (stack.ends_with('\n')) stack.remove_suffix(1);
  if (!stack.empty() && !says_no_more(stack, error)) {
    text += terminal.styled(Style::dim, guest_lines("\n" + std::string(stack)));
  }
  return text + "\n";
}

std::string log_text(const LogLine& line, std::string_view source, const Terminal& terminal,
                     LogTime time) {
  std::string head(name_of(line.level));
  if (!source.empty()) head = std::string(source) + " " + head;
  if (time == LogTime::shown) head += fmt::format(" {:.1f} ms", ms(line.at));
  return terminal.styled(Style::dim, "[" + head + "]") + " " +
         terminal.styled(style_of(line.level), guest_lines(line.text)) + "\n";
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
