#pragma once

// Text for people on stderr.

#include <string>
#include <string_view>

#include "cordon/base/visible_text.h"

namespace cordon::cli {

enum class Style { plain, bold, dim, red, yellow, green };

// Colours on a terminal only, and not where NO_COLOR asks for none.
class Terminal {
 public:
  // For what is written to this descriptor.
  static Terminal of(int descriptor);
  explicit Terminal(bool colours) : colours_(colours) {}

  std::string styled(Style style, std::string_view text) const;

 private:
  bool colours_;
};

// Writes all of it to the descriptor, even if it is interrupted. False if the reader is gone.
bool write_all(int descriptor, std::string_view text);

}  // namespace cordon::cli
