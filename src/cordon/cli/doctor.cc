#include "cordon/cli/doctor.h"

#include <algorithm>
#include <chrono>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cordon/cli/exit_codes.h"
#include "cordon/cli/machine.h"
#include "cordon/cli/terminal.h"
#include "cordon/cli/usage.h"
#include "cordon/codec/json/encode.h"
#include "cordon/engine.h"
#include "cordon/value.h"

namespace cordon::cli {
namespace {

// The proof of it all: a program that runs.
Finding try_sandbox() {
  Result<Engine> engine = Engine::create({.slots = 1});
  if (!engine) {
    return {.subject = "sandbox",
            .grade = Grade::missing,
            .state = "does not start",
            .advice = engine.error().message};
  }
  engine->execute("1 + 1").get();
  const Report report = engine->execute("1 + 1").get();
  if (!report.ok()) {
    return {.subject = "sandbox",
            .grade = Grade::missing,
            .state = std::string(report.error.code_text()),
            .advice = report.error.message};
  }
  return {.subject = "sandbox", .state = fmt::format("1 + 1 in {} µs", report.duration.count())};
}

std::string_view name_of(Grade grade) {
  switch (grade) {
    case Grade::good:
      return "good";
    case Grade::limited:
      return "limited";
    case Grade::missing:
      return "missing";
  }
  std::unreachable();
}

std::string as_text(const std::vector<Finding>& findings) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::string text;
  for (const Finding& finding : findings) {
    const Style style = finding.grade == Grade::good      ? Style::green
                        : finding.grade == Grade::limited ? Style::yellow
                                                          : Style::red;
    const char* mark = finding.grade == Grade::good      ? "ok "
                       : finding.grade == Grade::limited ? "low"
                                                         : "NO ";
    text +=
        fmt::format("{} {:<17} {}\n", terminal.styled(style, mark), finding.subject, finding.state);
    if (!finding.advice.empty()) text += fmt::format("    {:<17} -> {}\n", "", finding.advice);
  }
  return text;
}

std::string as_json(const std::vector<Finding>& findings, bool fit) {
  std::vector<Value> items;
  for (const Finding& finding : findings) {
    items.push_back(Value::object({{"subject", finding.subject},
                                   {"grade", name_of(finding.grade)},
                                   {"state", finding.state},
                                   {"advice", finding.advice}}));
  }
  const Value value = Value::object({{"ok", fit}, {"findings", Value::array_from(items)}});
  return json::encode(value).value_or("{}") + "\n";
}

}  // namespace

void bind_doctor(CLI::App& command, DoctorArguments& arguments) {
  command.add_flag("--json", arguments.json, "print one object with all findings");
}

int doctor(const DoctorArguments& arguments) {
  std::vector<Finding> findings = examine_machine();
  findings.push_back(try_sandbox());
  const bool fit = std::ranges::none_of(
      findings, [](const Finding& finding) { return finding.grade == Grade::missing; });
  if (!write_all(STDOUT_FILENO, arguments.json ? as_json(findings, fit) : as_text(findings)))
    return cannot_write("doctor");
  return fit ? exit_done : exit_failed;
}

}  // namespace cordon::cli
