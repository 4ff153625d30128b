#include "cordon/runners/written_places.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

#include "cordon/host/source_excerpt.h"
#include "cordon/js/outcome.h"
#include "cordon/js/written_runs.h"

namespace cordon::runners {
namespace {

// A number at the front, which is taken off.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return number;
}

}  // namespace

void WrittenPlaces::put_right(ExecutionError& error) const {
  if (!error.location) return;
  error.stack = put_right(error.stack, error.location->file);
  for (ErrorCause& cause : error.causes) cause.stack = put_right(cause.stack, error.location->file);
  error.location = find(error.location->line, error.location->column);
  if (const auto innermost = js::location_of(error.stack)) error.function = innermost->function;
  if (error.location) error.excerpt = host::excerpt_of(written, 1, *error.location);
}

// Lines and columns count from 1.
std::optional<SourceLocation> WrittenPlaces::find(std::uint32_t line, std::uint32_t column) const {
  const std::uint64_t before = line == 1 ? units_before : 0;
  if (line == 0 || line > lines || column <= before) return std::nullopt;
  const auto at = static_cast<std::uint32_t>(column - before);
  if (runs.empty()) return SourceLocation{file, line, at};
  const auto known = js::read_runs(runs);
  if (!known) return std::nullopt;
  for (const js::WrittenRun& run : *known) {
    const bool is_within =
        run.line == line - 1 && run.column < at && at - 1 <= run.column + run.length;
    if (is_within)
      return SourceLocation{file, run.written_line + 1, run.written_column + at - run.column};
  }
  return std::nullopt;
}

std::string WrittenPlaces::put_right(const std::string& stack,
                                     const std::string& their_file) const {
  std::string all;
  for (std::string_view left = stack; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    const std::size_t start = line.rfind(their_file + ":");
    if (start == std::string_view::npos) {
      all.append(line) += '\n';
      continue;
    }
    std::string_view rest = line.substr(start + their_file.size() + 1);
    const auto their_line = take_number(rest);
    const bool has_column = their_line && rest.starts_with(':');
    if (has_column) rest.remove_prefix(1);
    const auto their_column = has_column ? take_number(rest) : std::nullopt;
    const auto place = their_column ? find(*their_line, *their_column) : std::nullopt;
    if (!place) continue;
    all.append(line.substr(0, start)).append(file);
    all += ":" + std::to_string(place->line) + ":" + std::to_string(place->column);
    all.append(rest) += '\n';
  }
  return all;
}

}  // namespace cordon::runners
