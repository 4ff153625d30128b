#include "cordon/js/source_map.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "cordon/base/writer.h"
#include "cordon/js/written_runs.h"

namespace cordon::js {
namespace {

constexpr std::string_view line_ends = "\r\n";

// Text that is not UTF-8 has its places moved, and nothing else.
std::uint32_t bytes_of_point(std::string_view text) {
  constexpr std::size_t max_bytes = 4;
  std::uint32_t size = 1;
  if (static_cast<unsigned char>(text[0]) < 0xC0) return size;
  while (size < std::min(text.size(), max_bytes) &&
         (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
    ++size;
  return size;
}

std::uint32_t units_of_point(std::string_view text) {
  return static_cast<unsigned char>(text[0]) >= 0xF0 ? 2 : 1;
}

// The size of the line end at the start of `text`, or 0. Lines are those of the engine and of swc.
std::uint32_t bytes_of_line_end(std::string_view text) {
  if (text.starts_with("\r\n")) return 2;
  return !text.empty() && line_ends.contains(text[0]) ? 1 : 0;
}

// A walk through a text, forward only.
class Walk {
 public:
  explicit Walk(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  std::uint32_t line() const { return line_; }
  std::uint32_t column() const { return column_; }
  bool is_at_line_end() const { return rest_.empty() || line_ends.contains(rest_[0]); }

  void pass_point() {
    column_ += units_of_point(rest_);
    rest_.remove_prefix(bytes_of_point(rest_));
  }

  // False if there is no such place, or it lies behind.
  bool go_to(std::uint32_t line, std::uint32_t column) {
    while (line_ < line && !rest_.empty()) pass_line();
    while (line_ == line && column_ < column && !is_at_line_end()) pass_point();
    return line_ == line && column_ == column;
  }

 private:
  void pass_line() {
    rest_.remove_prefix(std::min(rest_.find_first_of(line_ends), rest_.size()));
    if (rest_.empty()) return;
    rest_.remove_prefix(bytes_of_line_end(rest_));
    ++line_;
    column_ = 0;
  }

  std::string_view rest_;
  std::uint32_t line_ = 0;
  std::uint32_t column_ = 0;
};

// Finds places in a text of less than 4 GiB in any order, each in a time that does not depend on
// the length of its line.
class TextIndex {
 public:
  explicit TextIndex(std::string_view text) : text_(text) {
    std::uint32_t units = 0;
    bool begins_line = true;
    for (std::uint32_t at = 0; at < text.size();) {
      if (begins_line) lines_.push_back({at, units});
      if (at >= marks_.size() * mark_every) marks_.push_back({at, units});
      const std::string_view rest = text.substr(at);
      const std::uint32_t end = bytes_of_line_end(rest);
      begins_line = end > 0;
      units += begins_line ? end : units_of_point(rest);
      at += begins_line ? end : bytes_of_point(rest);
    }
    if (begins_line) lines_.push_back({static_cast<std::uint32_t>(text.size()), units});
  }

  // The text from a place on; nothing if there is no such place.
  std::optional<std::string_view> from(std::uint32_t line, std::uint32_t column) const {
    if (line >= lines_.size()) return std::nullopt;
    const Mark start = lines_[line];
    const std::uint64_t wanted = std::uint64_t{start.units} + column;
    if (line + 1 < lines_.size() && wanted >= lines_[line + 1].units) return std::nullopt;
    const auto behind = std::ranges::upper_bound(marks_, wanted, {}, &Mark::units);
    Mark at = behind == marks_.begin() ? start : std::max(start, behind[-1]);
    while (at.units < wanted) {
      const std::string_view rest = text_.substr(at.byte);
      if (rest.empty() || line_ends.contains(rest[0])) return std::nullopt;
      at = {at.byte + bytes_of_point(rest), at.units + units_of_point(rest)};
    }
    if (at.units != wanted) return std::nullopt;
    return text_.substr(at.byte);
  }

 private:
  static constexpr std::size_t mark_every = 256;
  // How many UTF-16 units are before a byte.
  struct Mark {
    std::uint32_t byte;
    std::uint32_t units;
    friend auto operator<=>(const Mark&, const Mark&) = default;
  };

  std::string_view text_;
  std::vector<Mark> lines_;
  std::vector<Mark> marks_;
};

int digit_of(char letter) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t found = digits.find(letter);
  return found == std::string_view::npos ? -1 : static_cast<int>(found);
}

// Base64 digits, the lowest five bits first; the lowest bit of all is the sign.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::uint64_t bits = 0;
  for (unsigned shift = 0; shift <= 30; shift += 5) {
    const int digit = text.empty() ? -1 : digit_of(text[0]);
    if (digit < 0) return std::nullopt;
    text.remove_prefix(1);
    bits |= static_cast<std::uint64_t>(digit & 31) << shift;
    if (digit < 32) {
      const auto size = static_cast<std::int64_t>(bits >> 1);
      return (bits & 1) != 0 ? -size : size;
    }
  }
  return std::nullopt;
}

// Where a segment of the mappings points. Its numbers are relative to those before.
struct Segment {
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::int64_t written_line = 0;
  std::int64_t written_column = 0;
  bool has_source = false;

  // Takes the fields of the next segment, of which there are one, four or five. False if they are
  // not well formed.
  bool take(std::string_view& mappings) {
    std::int64_t fields[5] = {};
    std::size_t count = 0;
    do {
      const auto number = count < 5 ? take_number(mappings) : std::nullopt;
      if (!number) return false;
      fields[count++] = *number;
    } while (!mappings.empty() && mappings[0] != ',' && mappings[0] != ';');
    has_source = count >= 4;
    column += fields[0];
    written_line += fields[2];
    written_column += fields[3];
    return count == 1 || (has_source && fields[1] == 0);
  }

  void begin_line() {
    ++line;
    column = 0;
  }

  bool is_in_range() const {
    constexpr std::int64_t end = std::int64_t{1} << 31;
    const auto fits = [](std::int64_t number) { return number >= 0 && number < end; };
    return has_source && fits(line) && fits(column) && fits(written_line) && fits(written_column);
  }
};

// Makes runs from segments in the order of the generated text, and hands each on when it is over. A
// run goes on through segments that say what it says.
template <class Sink>
class RunBuilder {
 public:
  RunBuilder(const MappedTexts& texts, const TextIndex& written, Sink& sink)
      : generated_(texts.generated), written_(written), sink_(sink) {}

  void add(const Segment& segment) {
    if (!segment.is_in_range()) return;
    const auto line = static_cast<std::uint32_t>(segment.line);
    const auto column = static_cast<std::uint32_t>(segment.column);
    extend_to(line, column);
    if (!generated_.go_to(line, column)) return;
    const auto written_line = static_cast<std::uint32_t>(segment.written_line);
    const auto written_column = static_cast<std::uint32_t>(segment.written_column);
    const auto same = written_.from(written_line, written_column);
    if (!same || is_in_run(written_line, written_column)) return;
    end_run();
    run_ = {line, column, written_line, written_column, 0};
    same_ = *same;
  }

  void finish() {
    extend_to(UINT32_MAX, 0);
    end_run();
  }

 private:
  void end_run() {
    if (run_) sink_(*run_);
    run_.reset();
  }

  // As far as both texts are the same, to a place in the generated one or the end of the line. A
  // run that did not get there is over.
  void extend_to(std::uint32_t line, std::uint32_t column) {
    while (!same_.empty() && (generated_.line() < line || generated_.column() < column)) {
      const std::string_view rest = generated_.rest();
      const std::string_view point = rest.substr(0, rest.empty() ? 0 : bytes_of_point(rest));
      if (generated_.is_at_line_end() || !same_.starts_with(point)) {
        same_ = {};
        return;
      }
      generated_.pass_point();
      same_.remove_prefix(point.size());
      run_->length += units_of_point(point);
    }
  }

  // Whether the place that has been reached is the end of the last run in both texts.
  bool is_in_run(std::uint32_t written_line, std::uint32_t written_column) const {
    return run_ && generated_.line() == run_->line &&
           generated_.column() == run_->column + run_->length &&
           written_line == run_->written_line &&
           written_column == run_->written_column + run_->length;
  }

  Walk generated_;
  const TextIndex& written_;
  Sink& sink_;
  std::optional<WrittenRun> run_;
  std::string_view same_;  // of the written text, from where the run ends
};

// The value of the member `mappings`. No string of JSON has a quotation mark that is not escaped,
// so these characters are nowhere else; and no letter of the mappings is escaped.
std::optional<std::string_view> mappings_of(std::string_view map) {
  constexpr std::string_view member = "\"mappings\":\"";
  const std::size_t found = map.rfind(member);
  if (found == std::string_view::npos) return std::nullopt;
  map.remove_prefix(found + member.size());
  const std::size_t end = map.find('"');
  if (end == std::string_view::npos) return std::nullopt;
  return map.substr(0, end);
}

template <class Sink>
Result<> for_each_run(std::string_view mappings, const MappedTexts& texts, const TextIndex& written,
                      Sink sink) {
  RunBuilder<Sink> runs(texts, written, sink);
  Segment segment;
  while (!mappings.empty()) {
    if (mappings.starts_with(';') || mappings.starts_with(',')) {
      if (mappings.starts_with(';')) segment.begin_line();
      mappings.remove_prefix(1);
      continue;
    }
    if (!segment.take(mappings)) return fail(ErrorCode::malformed, "a mapping of a source map");
    runs.add(segment);
  }
  runs.finish();
  return {};
}

// Moves a place to what is behind the start of the first line. False if it is not behind it.
bool leave_out(std::uint32_t line, std::uint32_t& column, std::uint32_t start) {
  if (line > 0) return true;
  if (column < start) return false;
  column -= start;
  return true;
}

}  // namespace

Result<Bytes> read_source_map(std::string_view map, const MappedTexts& texts,
                              std::size_t max_bytes) {
  const std::optional<std::string_view> mappings = mappings_of(map);
  if (!mappings) return fail(ErrorCode::malformed, "a source map without mappings");
  const TextIndex written(texts.written);
  // They are counted first, since they may take more than both texts, and a vector that grows has
  // them twice.
  std::size_t count = 0;
  CORDON_TRY(for_each_run(*mappings, texts, written, [&](const WrittenRun&) { ++count; }));
  if (count * written_run_bytes > max_bytes)
    return fail(ErrorCode::memory_limit, "the positions of a text");
  Bytes runs;
  runs.reserve(count * written_run_bytes);
  Writer out(runs);
  CORDON_TRY(for_each_run(*mappings, texts, written, [&](WrittenRun run) {
    if (leave_out(run.line, run.column, texts.generated_start) &&
        leave_out(run.written_line, run.written_column, texts.written_start))
      put_run(out, run);
  }));
  return runs;
}

}  // namespace cordon::js
