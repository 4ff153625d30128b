#pragma once

// Cuts a stream of bytes into lines. Of a line past the limit only the envelope is kept.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/protocol/execbox/envelope.h"

namespace cordon::execbox {

class LineSink {
 public:
  // Without the line end; valid until the call returns.
  virtual void on_line(std::string_view line) = 0;
  virtual void on_oversized_line(const std::optional<Envelope>& envelope) = 0;

 protected:
  ~LineSink() = default;
};

class LineCutter {
 public:
  explicit LineCutter(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Holds from the next line on.
  void set_limit(std::size_t max_bytes) { max_bytes_ = max_bytes; }

  void feed(std::string_view bytes, LineSink& sink);
  // The last line needs no line end.
  void finish(LineSink& sink);

 private:
  void keep(std::string_view part);
  void end_line(std::string_view last_part, LineSink& sink);

  std::size_t max_bytes_;
  std::string line_;  // the beginning of a line that is not complete
  std::optional<EnvelopeScanner> oversized_;
};

}  // namespace cordon::execbox
