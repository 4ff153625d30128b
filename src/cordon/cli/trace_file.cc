#include "cordon/cli/trace_file.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cordon::cli {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using Fields = std::vector<Value::Field>;

// Chrome: the JSON object form of its trace event format. Times are microseconds.

constexpr int process = 1;
constexpr int program_lane = 0;

microseconds end_of(const CallRecord& call, const Report& report) {
  return call.answered ? call.started + call.took : report.duration;
}

std::string full_name(const CallRecord& call) { return call.provider + "." + call.tool; }

Value metadata(std::string_view what, int lane, std::string_view name) {
  return Value::object({{"name", what},
                        {"ph", "M"},
                        {"pid", process},
                        {"tid", lane},
                        {"args", Value::object({{"name", name}})}});
}

Value complete(std::string_view name, std::string_view category, int lane, microseconds start,
               microseconds end, const Fields& arguments) {
  return Value::object({{"name", name},
                        {"cat", category},
                        {"ph", "X"},
                        {"ts", start.count()},
                        {"dur", (end - start).count()},
                        {"pid", process},
                        {"tid", lane},
                        {"args", Value::object_from(arguments)}});
}

// A viewer draws a lane for each thread, and calls that overlap need one each: the first that is
// free.
int lane_for(std::vector<microseconds>& free_at, microseconds start, microseconds end) {
  for (std::size_t i = 0; i < free_at.size(); ++i) {
    if (free_at[i] > start) continue;
    free_at[i] = end;
    return static_cast<int>(i) + 1;
  }
  free_at.push_back(end);
  return static_cast<int>(free_at.size());
}

Fields program_arguments(const Report& report) {
  Fields fields = {{"ok", !report.failed()},
                   {"ownMicroseconds", report.computing_time.count()},
                   {"memoryBytes", report.memory_bytes}};
  if (report.failed()) fields.push_back({"error", to_string(report.error)});
  return fields;
}

Value chrome_events(const TraceOf& trace) {
  const Report& report = trace.report;
  std::vector<Value> events = {metadata("process_name", program_lane, "cordon"),
                               metadata("thread_name", program_lane, trace.program)};
  events.push_back(complete(trace.program, "program", program_lane, {}, report.duration,
                            program_arguments(report)));
  std::vector<microseconds> free_at;
  for (const CallRecord& call : report.calls) {
    const microseconds end = end_of(call, report);
    const std::size_t lanes = free_at.size();
    const int lane = lane_for(free_at, call.started, end);
    if (free_at.size() > lanes)
      events.push_back(metadata("thread_name", lane, fmt::format("tools {}", lane)));
    Fields arguments = {{"ok", call.ok},
                        {"answered", call.answered},
                        {"inputBytes", call.input_bytes},
                        {"answerBytes", call.answer_bytes}};
    if (!call.error.empty()) arguments.push_back({"error", call.error});
    events.push_back(complete(full_name(call), "tool", lane, call.started, end, arguments));
  }
  for (const LogLine& line : report.logs) {
    events.push_back(Value::object({{"name", name_of(line.level)},
                                    {"cat", "log"},
                                    {"ph", "i"},
                                    {"s", "t"},
                                    {"ts", line.at.count()},
                                    {"pid", process},
                                    {"tid", program_lane},
                                    {"args", Value::object({{"text", line.text}})}}));
  }
  return Value::array_from(events);
}

// OpenTelemetry: the JSON form of OTLP. Its 64-bit numbers are strings, its ids hexadecimal.

constexpr int kind_internal = 1;
constexpr int kind_client = 3;
constexpr int status_ok = 1;
constexpr int status_error = 2;

// Different for every span of every run; nothing depends on their being hard to guess.
std::uint64_t id_of(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t x = seed + (number + 1) * 0x9E37'79B9'7F4A'7C15;
  x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9;
  x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EB;
  x ^= x >> 31;
  return x == 0 ? 1 : x;  // zero is no id
}

std::string hex(std::uint64_t id) { return fmt::format("{:016x}", id); }

Value attribute(std::string_view key, std::string_view text) {
  return Value::object({{"key", key}, {"value", Value::object({{"stringValue", text}})}});
}
Value attribute(std::string_view key, std::uint64_t number) {
  return Value::object(
      {{"key", key}, {"value", Value::object({{"intValue", std::to_string(number)}})}});
}

std::string unix_nanoseconds(const TraceOf& trace, microseconds at) {
  const auto time = trace.start.time_since_epoch() + at;
  return std::to_string(std::chrono::duration_cast<nanoseconds>(time).count());
}

Value status(bool ok, std::string_view message) {
  Fields fields = {{"code", ok ? status_ok : status_error}};
  if (!ok) fields.push_back({"message", message});
  return Value::object_from(fields);
}

Fields span(const TraceOf& trace, std::uint64_t number, std::string_view name, int kind,
            microseconds start, microseconds end) {
  const std::uint64_t high = id_of(~trace.seed, 0);
  const std::uint64_t low = id_of(~trace.seed, 1);
  Fields fields = {{"traceId", hex(high) + hex(low)}, {"spanId", hex(id_of(trace.seed, number))}};
  if (number > 0) fields.push_back({"parentSpanId", hex(id_of(trace.seed, 0))});
  fields.push_back({"name", name});
  fields.push_back({"kind", kind});
  fields.push_back({"startTimeUnixNano", unix_nanoseconds(trace, start)});
  fields.push_back({"endTimeUnixNano", unix_nanoseconds(trace, end)});
  return fields;
}

Value program_span(const TraceOf& trace) {
  const Report& report = trace.report;
  std::vector<Value> logs;
  for (const LogLine& line : report.logs) {
    logs.push_back(
        Value::object({{"timeUnixNano", unix_nanoseconds(trace, line.at)},
                       {"name", "log"},
                       {"attributes", Value::array({attribute("log.level", name_of(line.level)),
                                                    attribute("log.text", line.text)})}}));
  }
  Fields fields = span(trace, 0, trace.program, kind_internal, {}, report.duration);
  const auto own = static_cast<std::uint64_t>(report.computing_time.count());
  fields.push_back(
      {"attributes", Value::array({attribute("cordon.own_time_us", own),
                                   attribute("cordon.memory_bytes", report.memory_bytes)})});
  fields.push_back({"events", Value::array_from(logs)});
  fields.push_back({"status", status(!report.failed(), to_string(report.error))});
  return Value::object_from(fields);
}

Value call_span(const TraceOf& trace, std::size_t index) {
  const CallRecord& call = trace.report.calls[index];
  Fields fields = span(trace, index + 1, full_name(call), kind_client, call.started,
                       end_of(call, trace.report));
  fields.push_back(
      {"attributes", Value::array({attribute("cordon.provider", call.provider),
                                   attribute("cordon.tool", call.tool),
                                   attribute("cordon.input_bytes", call.input_bytes),
                                   attribute("cordon.answer_bytes", call.answer_bytes)})});
  fields.push_back({"status", status(call.ok, call.answered ? call.error : "not answered")});
  return Value::object_from(fields);
}

Value resource_spans(const TraceOf& trace) {
  std::vector<Value> spans = {program_span(trace)};
  for (std::size_t i = 0; i < trace.report.calls.size(); ++i) spans.push_back(call_span(trace, i));
  const Value scope = Value::object(
      {{"scope", Value::object({{"name", "cordon"}})}, {"spans", Value::array_from(spans)}});
  return Value::array({Value::object(
      {{"resource",
        Value::object({{"attributes", Value::array({attribute("service.name", "cordon")})}})},
       {"scopeSpans", Value::array({scope})}})});
}

}  // namespace

Value trace_as_value(const TraceOf& trace, TraceFormat format) {
  Fields fields;
  if (format != TraceFormat::otel) {
    fields.push_back({"traceEvents", chrome_events(trace)});
    fields.push_back({"displayTimeUnit", "ms"});
  }
  if (format != TraceFormat::chrome) fields.push_back({"resourceSpans", resource_spans(trace)});
  return Value::object_from(fields);
}

}  // namespace cordon::cli
