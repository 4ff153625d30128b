#include "cordon/protocol/tunnel/text_encoding.h"

#include <array>

#include "cordon/base/utf8.h"

namespace cordon::tunnel {

std::string header_text(std::string_view raw) {
  return is_utf8(raw) ? std::string(raw) : latin1_to_utf8(raw);
}

std::string latin1_to_utf8(std::string_view raw) {
  std::string out;
  out.reserve(raw.size() * 2);
  std::array<char, 4> room;
  for (const char c : raw) {
    char* const end = write_code_point(room.data(), static_cast<unsigned char>(c));
    out.append(room.data(), end);
  }
  return out;
}

}  // namespace cordon::tunnel
