#include "cordon/protocol/execbox/line_cutter.h"

namespace cordon::execbox {

void LineCutter::feed(std::string_view bytes, LineSink& sink) {
  for (;;) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) break;
    end_line(bytes.substr(0, end), sink);
    bytes.remove_prefix(end + 1);
  }
  keep(bytes);
}

void LineCutter::finish(LineSink& sink) {
  if (!line_.empty() || oversized_) end_line({}, sink);
}

void LineCutter::keep(std::string_view part) {
  if (!oversized_ && line_.size() + part.size() > max_bytes_) {
    oversized_.emplace();
    oversized_->feed(line_);
    line_ = {};
  }
  if (oversized_) {
    oversized_->feed(part);
  } else {
    line_ += part;
  }
}

void LineCutter::end_line(std::string_view last_part, LineSink& sink) {
  // A line that came in one piece is not copied.
  const bool is_whole = line_.empty() && !oversized_ && last_part.size() <= max_bytes_;
  if (!is_whole) keep(last_part);
  if (oversized_) {
    const std::optional<Envelope> envelope = oversized_->finish();
    oversized_.reset();
    sink.on_oversized_line(envelope);
    return;
  }
  sink.on_line(is_whole ? last_part : line_);
  // A large message is rare, so its memory is freed.
  constexpr std::size_t kept_bytes = std::size_t{1} << 20;
  if (line_.capacity() > kept_bytes) line_ = {};
  line_.clear();
}

}  // namespace cordon::execbox
