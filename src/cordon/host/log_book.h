#pragma once

// The lines a guest logged, cut as execbox cuts them: the first lines up to a number, of these the
// first characters up to a number, the line that crosses it clipped.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cordon/execution.h"

namespace cordon::host {

class LogBook {
 public:
  LogBook(std::size_t max_lines, std::size_t max_chars)
      : lines_left_(max_lines), chars_left_(max_chars) {}

  // The line as it was kept, or nullptr. `text` is the guest's: it is made well formed.
  const LogLine* add(LogLevel level, std::string_view text, std::chrono::microseconds at = {});

  bool truncated() const { return truncated_; }
  std::uint64_t left_out() const { return left_out_; }
  std::vector<LogLine> take() { return std::move(lines_); }

 private:
  std::vector<LogLine> lines_;
  std::size_t lines_left_;
  std::size_t chars_left_;
  std::uint64_t left_out_ = 0;  // lines of which nothing is kept
  bool truncated_ = false;
};

// What to write below the lines of an execution whose log was cut; nothing where it was not.
std::optional<LogLine> note_on_cut_logs(const Report& report);

}  // namespace cordon::host
