#include "cordon/host/log_book.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cordon/base/utf8.h"

namespace cordon::host {

const LogLine* LogBook::add(LogLevel level, std::string_view text, std::chrono::microseconds at) {
  if (lines_left_ == 0 || chars_left_ == 0) {
    truncated_ = true;
    ++left_out_;
    return nullptr;
  }
  // A UTF-16 unit takes three bytes at most, or is half of a pair that takes four. What lies beyond
  // this size cannot be kept, so it is not looked at.
  const std::size_t max_bytes =
      chars_left_ > text.size() / 3 ? text.size() : std::min(chars_left_ * 3 + 1, text.size());
  std::string kept = to_wtf8_lossy(text.substr(0, max_bytes));
  std::size_t length = utf16_length(kept);
  if (length > chars_left_ || max_bytes < text.size()) {
    kept = first_utf16_units(kept, chars_left_);
    length = chars_left_;
    truncated_ = true;
  }
  --lines_left_;
  chars_left_ -= length;
  lines_.push_back({level, std::move(kept), at});
  return &lines_.back();
}

std::optional<LogLine> note_on_cut_logs(const Report& report) {
  if (!report.logs_truncated) return std::nullopt;
  const std::uint64_t count = report.logs_left_out;
  std::string text = "the last line was cut short";
  if (count > 0)
    text = std::to_string(count) + (count == 1 ? " line" : " lines") + " more left out";
  return LogLine{LogLevel::warn, text + ": it logs more than its limits allow", report.duration};
}

}  // namespace cordon::host
