#include "engine/table.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace cordon::bench {
namespace {

using Cells = std::array<std::string, 7>;

constexpr std::string_view none = "—";

std::string or_none(const std::string& text) { return text.empty() ? std::string(none) : text; }

Cells cells_of(const Row& row) {
  return {row.what,
          or_none(row.figures[0]),
          or_none(row.figures[1]),
          or_none(row.figures[2]),
          or_none(row.ratio),
          or_none(row.bar),
          row.met ? (*row.met ? "yes" : "NO") : std::string(none)};
}

// Columns on a terminal: each code point takes one.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string line_of(const Cells& cells, const std::array<std::size_t, 7>& widths) {
  std::string line = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += " " + cells[i] + std::string(widths[i] - width_of(cells[i]), ' ') + " |";
  }
  return line + "\n";
}

std::string three_digits(double number) {
  if (number >= 99.95) return fmt::format("{:.0f}", number);
  return fmt::format("{:.{}f}", number, number >= 9.995 ? 1 : 2);
}

}  // namespace

Row new_row(std::string what, std::string bar) {
  Row row;
  row.what = std::move(what);
  row.figures = {"—", "—", "—"};
  row.ratio = "—";
  row.bar = std::move(bar);
  return row;
}

std::string table_text(const std::vector<Row>& rows) {
  std::vector<Cells> lines = {
      {"what", "cordon", "quickjs-emscripten", "isolated-vm", "ratio", "bar", "met?"}};
  for (const Row& row : rows) lines.push_back(cells_of(row));
  std::array<std::size_t, 7> widths{};
  for (const Cells& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], width_of(line[i]));
  }

  std::string text = line_of(lines[0], widths) + "|";
  for (const std::size_t width : widths) text += std::string(width + 2, '-') + "|";
  text += "\n";
  for (std::size_t i = 1; i < lines.size(); ++i) text += line_of(lines[i], widths);
  return text;
}

Value table_value(const std::vector<Row>& rows) {
  std::vector<Value> list;
  list.reserve(rows.size());
  for (const Row& row : rows) {
    list.push_back(Value::object({{"what", row.what},
                                  {"cordon", row.figures[0]},
                                  {"quickjs-emscripten", row.figures[1]},
                                  {"isolated-vm", row.figures[2]},
                                  {"ratio", row.ratio},
                                  {"bar", row.bar},
                                  {"met", row.met ? Value(*row.met) : Value(nullptr)}}));
  }
  return Value::array_from(list);
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return three_digits(seconds * 1e6) + " µs";
  if (seconds < 1) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

std::string size_text(double bytes) {
  constexpr double kib = 1024;
  if (bytes < kib * kib) return three_digits(bytes / kib) + " KiB";
  return three_digits(bytes / kib / kib) + " MiB";
}

}  // namespace cordon::bench
