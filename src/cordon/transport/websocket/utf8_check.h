#pragma once

// Whether a text that comes in pieces is UTF-8. The first byte that makes it none is seen at once.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cordon::transport::websocket {

class Utf8Check {
 public:
  // False where the text is not UTF-8, whatever may follow.
  bool feed(std::string_view piece);
  // Whether no character is begun and not ended.
  bool is_whole() const { return size_ == 0; }

 private:
  char begun_[4] = {};  // of a character that a piece has cut
  std::uint8_t size_ = 0;
};

}  // namespace cordon::transport::websocket
