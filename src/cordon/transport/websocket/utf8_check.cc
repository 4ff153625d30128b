#include "cordon/transport/websocket/utf8_check.h"

#include <algorithm>

#include "cordon/base/utf8.h"

namespace cordon::transport::websocket {
namespace {

// Whether these bytes, which are no whole character, may be the beginning of one.
bool begins_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0xc2 || lead > 0xf4) return false;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() >= length) return false;
  if (text.size() == 1) return true;
  // The second byte decides, and any others do: filled up with such, it is a character or none.
  char whole[4] = {'\x80', '\x80', '\x80', '\x80'};
  std::ranges::copy(text, whole);
  return is_utf8({whole, length});
}

}  // namespace

bool Utf8Check::feed(std::string_view piece) {
  while (size_ > 0 && !piece.empty()) {
    begun_[size_++] = piece.front();
    piece.remove_prefix(1);
    if (is_utf8({begun_, size_})) {
      size_ = 0;
    } else if (!begins_character({begun_, size_})) {
      return false;
    }
  }
  const std::string_view tail = piece.substr(valid_utf8_prefix(piece));
  if (tail.empty()) return true;
  if (tail.size() > 3 || !begins_character(tail)) return false;
  std::ranges::copy(tail, begun_);
  size_ = static_cast<std::uint8_t>(tail.size());
  return true;
}

}  // namespace cordon::transport::websocket
