#pragma once

// How far a transfer has come, as one line of a terminal that is drawn again and again.
//
//   sent  [=========>          ]  47%  120.0 MiB of 256.0 MiB  61.0 MiB/s  0:03 left

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace cordon::cli {

struct TransferFigures {
  std::uint64_t sent_bytes = 0;
  std::optional<std::uint64_t> bytes_to_send = {};  // nothing: not known
  std::uint64_t received_bytes = 0;                 // of a stream
  std::chrono::milliseconds took{};
};

// Without a line end, and in at most `columns` columns. Empty: nothing worth telling yet.
std::string progress_line(const TransferFigures& figures, std::size_t columns);

// "512 B", "1.5 MiB"
std::string shown_bytes(std::uint64_t bytes);

// The line on standard error, if that is a terminal which can draw over a line.
class ProgressLine {
 public:
  explicit ProgressLine(int descriptor);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool can_be_seen() const { return can_be_seen_; }
  void draw(const TransferFigures& figures);
  // The cursor is at the start of an empty line afterwards.
  void clear();

 private:
  int descriptor_;
  bool can_be_seen_;
  bool is_drawn_ = false;
};

}  // namespace cordon::cli
