#include "cordon/cli/terminal.h"

#include <cerrno>
#include <cstdlib>
#include <unistd.h>

namespace cordon::cli {
namespace {

const char* code_of(Style style) {
  switch (style) {
    case Style::bold:
      return "1";
    case Style::dim:
      return "2";
    case Style::red:
      return "31";
    case Style::yellow:
      return "33";
    case Style::green:
      return "32";
    case Style::plain:
      break;
  }
  return "0";
}

}  // namespace

Terminal Terminal::of(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  return Terminal(isatty(descriptor) == 1 && (no_color == nullptr || *no_color == 0));
}

std::string Terminal::styled(Style style, std::string_view text) const {
  if (!colours_ || style == Style::plain) return std::string(text);
  return "\x1b[" + std::string(code_of(style)) + "m" + std::string(text) + "\x1b[0m";
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace cordon::cli
