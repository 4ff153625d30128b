#pragma once

// Turns what a process writes to its standard error into lines for a log. Long lines are cut, and
// the number of lines per second is limited. Further lines are counted, and the count is logged
// instead.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cordon/base/instant.h"

namespace cordon::providers {

class ErrorLines {
 public:
  static constexpr std::size_t max_line_bytes = 4096;
  static constexpr std::size_t max_lines_a_second = 100;

  explicit ErrorLines(std::function<void(std::string_view)> on_line)
      : on_line_(std::move(on_line)) {}
  // Tells what is left.
  ~ErrorLines();
  ErrorLines(const ErrorLines&) = delete;
  ErrorLines& operator=(const ErrorLines&) = delete;

  void add(std::string_view text, Instant now);

 private:
  void end_line(Instant now);
  void tell_left_out();

  const std::function<void(std::string_view)> on_line_;
  std::string line_;  // that has no end yet
  bool is_cut_ = false;
  Instant second_{};  // when the one that is counted began
  std::size_t told_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace cordon::providers
