#include "cordon/cli/trace_text.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cordon/base/utf8.h"

namespace cordon::cli {
namespace {

using std::chrono::microseconds;

constexpr std::size_t bar_width = 32;
constexpr std::size_t max_name = 32;
constexpr std::size_t max_rows = 200;
constexpr std::size_t max_note = 60;

double ms(microseconds duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

struct Row {
  microseconds start{};
  microseconds end{};
  std::string name = {};
  std::string note = {};
  Style style = Style::plain;
  bool is_moment = false;  // a log line
  std::size_t order = 0;   // of those that began together
};

std::string cut(std::string_view text, std::size_t most) {
  const std::string shown = visible(text, Lines::escaped);
  if (utf16_length(shown) <= most) return shown;
  return first_utf16_units(shown, most - 1) + "…";
}

std::string bytes(std::uint64_t count) {
  if (count < 10'000) return fmt::format("{} B", count);
  if (count < 10'000'000) return fmt::format("{:.1f} KiB", static_cast<double>(count) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(count) / (1 << 20));
}

Row row_of(const CallRecord& call, microseconds end) {
  Row row{.start = call.started,
          .end = call.answered ? call.started + call.took : end,
          .name = cut(call.provider + "." + call.tool, max_name)};
  if (!call.answered) {
    row.note = fmt::format("not answered  {} out", bytes(call.input_bytes));
    row.style = Style::yellow;
    return row;
  }
  row.note = fmt::format("{:.2f} ms  {} out", ms(call.took), bytes(call.input_bytes));
  if (call.ok) {
    row.note += fmt::format(", {} in", bytes(call.answer_bytes));
  } else {
    row.note += "  failed: " + cut(call.error, max_note);
    row.style = Style::red;
  }
  return row;
}

Row row_of(const LogLine& line) {
  return {.start = line.at,
          .end = line.at,
          .name = "[" + std::string(name_of(line.level)) + "]",
          .note = cut(line.text, max_note),
          .style = line.level == LogLevel::error  ? Style::red
                   : line.level == LogLevel::warn ? Style::yellow
                                                  : Style::plain,
          .is_moment = true};
}

// "|   =====    |"
std::string bar_of(const Row& row, microseconds whole) {
  const auto place = [whole](microseconds at) {
    if (whole.count() <= 0) return std::size_t{0};
    const double share = static_cast<double>(at.count()) / static_cast<double>(whole.count());
    return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * bar_width);
  };
  const std::size_t first = std::min(place(row.start), bar_width - 1);
  const std::size_t last = std::clamp(place(row.end), first + 1, bar_width);
  std::string bar(bar_width, ' ');
  std::fill(bar.begin() + static_cast<std::ptrdiff_t>(first),
            bar.begin() + static_cast<std::ptrdiff_t>(last), row.is_moment ? '.' : '=');
  return "|" + bar + "|";
}

}  // namespace

std::string trace_text(const Report& report, const Terminal& terminal) {
  std::vector<Row> rows;
  for (const CallRecord& call : report.calls) rows.push_back(row_of(call, report.duration));
  for (const LogLine& line : report.logs) rows.push_back(row_of(line));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].order = i;
  std::ranges::sort(rows, {}, [](const Row& row) { return std::pair(row.start, row.order); });
  rows.insert(
      rows.begin(),
      Row{.end = report.duration,
          .name = "program",
          .note = fmt::format("{:.2f} ms, of which its own {:.2f}{}", ms(report.duration),
                              ms(report.computing_time),
                              report.failed() ? "  " + std::string(report.error.code_text()) : ""),
          .style = report.failed() ? Style::red : Style::bold});

  const std::size_t shown = std::min(rows.size(), max_rows);
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, utf16_length(rows[i].name));
  std::string text = "trace\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const Row& row = rows[i];
    const std::string blanks(width - utf16_length(row.name), ' ');
    text += fmt::format("{:>10.2f} ms  {}{}  ", ms(row.start), terminal.styled(row.style, row.name),
                        blanks);
    text += terminal.styled(Style::dim, bar_of(row, report.duration)) + "  " + row.note + "\n";
  }
  if (shown < rows.size()) text += fmt::format("  … and {} more\n", rows.size() - shown);
  return text;
}

}  // namespace cordon::cli
