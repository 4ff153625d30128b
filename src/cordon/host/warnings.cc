#include "cordon/host/warnings.h"

#include <string>
#include <utility>

#include "cordon/base/utf8.h"
#include "cordon/describe.h"

namespace cordon {

std::string_view name_of(WarningCode code) {
  switch (code) {
    case WarningCode::unawaited_call:
      return "unawaited_call";
    case WarningCode::open_call:
      return "open_call";
    case WarningCode::open_timer:
      return "open_timer";
    case WarningCode::no_result:
      return "no_result";
    case WarningCode::ignored_argument:
      return "ignored_argument";
    case WarningCode::unfinished:
      return "unfinished";
  }
  std::unreachable();
}

namespace host {
namespace {

constexpr std::size_t max_open_tools = 16;

// A name that the program chose.
std::string cut(const std::string& name) {
  constexpr std::size_t max_units = 64;
  std::string first = first_utf16_units(name, max_units);
  if (first.size() < name.size()) first += "…";
  return first;
}

std::string full_name(const std::string& provider, const std::string& tool) {
  return provider + "." + cut(tool);
}

std::string calls_of(std::size_t count, const std::string& name) {
  return (count == 1 ? std::string("a call") : std::to_string(count) + " calls") + " of " + name;
}

std::string no_result(const js::LooseEnds& ends) {
  const std::string name = cut(ends.result_name);
  switch (ends.no_result) {
    case js::NoResult::as_meant:
      return {};
    case js::NoResult::variable:
      return name.empty() ? "the program ends in a declaration, so it has no result; write the "
                            "value as its last line"
                          : "the program ends in the declaration of " + name +
                                ", so it has no result; write `" + name + "` as its last line";
    case js::NoResult::function:
      return "nobody calls the function " + name + ", so the program has no result; write `await " +
             name + "()` as its last line";
    case js::NoResult::exported:
      return "the program only exports " + name + ", so it has no result; write `export default " +
             name + "`, which is called if it is a function";
    case js::NoResult::block:
      return "the program ends in a condition, a loop or a block, so it has no result; write "
             "`return` before the value in it";
  }
  std::unreachable();
}

class Warnings {
 public:
  explicit Warnings(const ToolTable& tools) : tools_(tools) {}

  void add(WarningCode code, std::string message,
           const std::optional<js::Location>& place = std::nullopt) {
    Warning& warning = all_.emplace_back(Warning{code, std::move(message), {}});
    if (place) warning.location = SourceLocation{place->file, place->line, place->column};
  }

  void add_unawaited(const js::LooseCalls& calls) {
    const std::string name = name_of(calls);
    add(WarningCode::unawaited_call,
        calls_of(calls.count, name) + (calls.count == 1 ? " was" : " were") +
            " not awaited; write `await " + name + "(…)`, or await the function that calls it",
        calls.first);
  }

  void add_left(const js::LooseCalls& calls) {
    add(WarningCode::unawaited_call,
        "the result did not wait for " + calls_of(calls.count, name_of(calls)) +
            "; await the function that calls it, and in place of forEach write `await "
            "Promise.all(list.map(async …))`",
        calls.first);
  }

  void add_ignored(const js::LooseCalls& calls) {
    const std::string name = name_of(calls);
    add(WarningCode::ignored_argument,
        name + " takes one argument, and " + calls_of(calls.count, "it") +
            " had more, which were dropped; write one object, `" + name + "({…})`",
        calls.first);
  }

  std::vector<Warning> take() { return std::move(all_); }

 private:
  std::string name_of(const js::LooseCalls& calls) const {
    return full_name(tools_.provider_of(calls.tool), tools_.name_of(calls.tool, calls.name));
  }

  const ToolTable& tools_;
  std::vector<Warning> all_;
};

}  // namespace

std::vector<Warning> warnings_of(ReportKind ended_as, const GuestNotes& notes, Rest rest,
                                 const ToolTable& tools, const CallLedger& calls) {
  if (ended_as == ReportKind::suspended) return {};
  Warnings warnings(tools);
  if (ended_as == ReportKind::result && notes.loose_ends.no_result != js::NoResult::as_meant)
    warnings.add(WarningCode::no_result, no_result(notes.loose_ends));
  for (const js::LooseCalls& each : notes.loose_ends.unawaited) warnings.add_unawaited(each);
  for (const js::LooseCalls& each : notes.loose_ends.left) warnings.add_left(each);
  for (const js::LooseCalls& each : notes.loose_ends.extra_arguments) warnings.add_ignored(each);
  for (const CallLedger::OpenTool& open : calls.open_by_tool(max_open_tools)) {
    warnings.add(WarningCode::open_call, calls_of(open.calls, full_name(open.provider, open.tool)) +
                                             " had no answer when the execution ended");
  }
  if (notes.has_open_timer) {
    warnings.add(WarningCode::open_timer,
                 "the program ended before a timer was due, so the timer's function did not run; "
                 "await a promise that it settles");
  }
  if (rest == Rest::cut_short) {
    warnings.add(WarningCode::unfinished,
                 "the time was over before all was done that the program had begun and not "
                 "awaited");
  }
  return warnings.take();
}

std::vector<LogLine> lines_of_warnings(const Report& report) {
  std::vector<LogLine> lines;
  for (const Warning& warning : report.warnings)
    lines.push_back({LogLevel::warn, describe(warning), report.duration});
  return lines;
}

}  // namespace host
}  // namespace cordon
