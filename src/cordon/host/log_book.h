#pragma once

// The lines that a guest logged, cut as execbox cuts them. It keeps the first lines up to a limit,
// and of these the first characters up to a limit; the line that crosses the limit is clipped.

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

  // Returns the line as it was kept, or nullptr. `text` comes from the guest and is made well
  // formed.
  const LogLine* add(LogLevel level, std::string_view text, std::chrono::microseconds at = {});

  bool truncated() const { return truncated_; }
  std::uint64_t left_out() const { return left_out_; }
  std::vector<LogLine> take() { return std::move(lines_); }

 private:
  std::vector<LogLine> lines_;
  std::size_t lines_left_;
  std::size_t chars_left_;
  std::uint64_t left_out_ = 0;  // lines that were dropped
  bool truncated_ = false;
};

// A note to print below the lines of an execution whose log was cut, or nothing.
std::optional<LogLine> note_on_cut_logs(const Report& report);

}  // namespace cordon::host
