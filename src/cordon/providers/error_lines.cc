#include "cordon/providers/error_lines.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cordon::providers {

ErrorLines::~ErrorLines() {
  tell_left_out();
  if (!line_.empty()) on_line_(line_);
}

void ErrorLines::add(std::string_view text, Instant now) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view part = text.substr(0, end);
    const std::size_t room = max_line_bytes - line_.size();
    is_cut_ = is_cut_ || part.size() > room;
    line_ += part.substr(0, room);
    if (end == std::string_view::npos) return;
    end_line(now);
    text.remove_prefix(end + 1);
  }
}

void ErrorLines::end_line(Instant now) {
  std::string line = std::exchange(line_, {});
  if (std::exchange(is_cut_, false)) line += " …";
  if (now - second_ >= std::chrono::seconds(1)) {
    tell_left_out();
    second_ = now;
    told_ = 0;
  }
  if (told_ == max_lines_a_second) {
    ++left_out_;
    return;
  }
  ++told_;
  on_line_(line);
}

void ErrorLines::tell_left_out() {
  const std::uint64_t count = std::exchange(left_out_, 0);
  if (count > 0) on_line_(std::to_string(count) + (count == 1 ? " line" : " lines") + " left out");
}

}  // namespace cordon::providers
