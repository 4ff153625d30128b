#include "cordon/base/base64.h"

#include <cstdint>

namespace cordon {
namespace {

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// What text without padding stands for.
template <class ValueOf>
std::optional<Bytes> decoded(std::string_view text, ValueOf value_of) {
  if (text.size() % 4 == 1) return std::nullopt;
  Bytes bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  std::uint32_t count = 0;
  for (const char letter : text) {
    const std::size_t value = value_of(letter);
    if (value >= letters.size()) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<std::uint8_t>(bits >> count));
    }
  }
  // The bits that are left over must be zero.
  if ((bits & ((1u << count) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace

std::string to_base64(BytesView bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t there = bytes.size() - i;
    std::uint32_t bits = std::uint32_t{bytes[i]} << 16;
    if (there > 1) bits |= std::uint32_t{bytes[i + 1]} << 8;
    if (there > 2) bits |= bytes[i + 2];
    text += letters[bits >> 18];
    text += letters[bits >> 12 & 63];
    text += there > 1 ? letters[bits >> 6 & 63] : '=';
    text += there > 2 ? letters[bits & 63] : '=';
  }
  return text;
}

std::optional<Bytes> from_base64(std::string_view text) {
  const bool padded = text.size() % 4 == 0;
  for (int i = 0; padded && i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return decoded(text, [](char letter) { return letters.find(letter); });
}

std::string to_base64url(BytesView bytes) {
  std::string text = to_base64(bytes);
  while (text.ends_with('=')) text.pop_back();
  for (char& letter : text) letter = letter == '+' ? '-' : letter == '/' ? '_' : letter;
  return text;
}

std::optional<Bytes> from_base64url(std::string_view text) {
  return decoded(text, [](char letter) {
    if (letter == '+' || letter == '/') return std::string_view::npos;
    return letters.find(letter == '-' ? '+' : letter == '_' ? '/' : letter);
  });
}

}  // namespace cordon
