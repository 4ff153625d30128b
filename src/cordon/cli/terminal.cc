#include "cordon/cli/terminal.h"

#include <cerrno>
#include <cstdlib>
#include <unistd.h>

#include "cordon/base/utf8.h"

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

constexpr char hex[] = "0123456789abcdef";

}  // namespace

Terminal Terminal::for_errors() {
  const char* no_color = std::getenv("NO_COLOR");
  return Terminal(isatty(STDERR_FILENO) == 1 && (no_color == nullptr || *no_color == 0));
}

std::string Terminal::styled(Style style, std::string_view text) const {
  if (!colours_ || style == Style::plain) return std::string(text);
  return "\x1b[" + std::string(code_of(style)) + "m" + std::string(text) + "\x1b[0m";
}

std::string visible(std::string_view text, Lines lines) {
  // Lone surrogates are no text for a terminal.
  const std::string utf8 = to_utf8_lossy(text);
  std::string shown;
  shown.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    const bool is_c1 =
        byte == 0xC2 && i + 1 < utf8.size() && static_cast<unsigned char>(utf8[i + 1]) < 0xA0;
    if (byte == '\n' && lines == Lines::kept) {
      shown += '\n';
    } else if (byte == '\t') {
      shown += '\t';
    } else if (byte < 0x20 || byte == 0x7F) {
      shown += "\\x";
      shown += hex[byte >> 4];
      shown += hex[byte & 15];
    } else if (is_c1) {
      const auto control = static_cast<unsigned char>(utf8[++i]);
      shown += "\\x";
      shown += hex[control >> 4];
      shown += hex[control & 15];
    } else {
      shown += static_cast<char>(byte);
    }
  }
  return shown;
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
