#pragma once

// The characters of HTTP's grammar (RFC 9110 and 9112).

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "cordon/base/ascii.h"

namespace cordon::transport::http {

namespace detail {
constexpr std::array<bool, 256> token_characters() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (const char c : {'!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~'})
    table[static_cast<std::uint8_t>(c)] = true;
  return table;
}
inline constexpr std::array<bool, 256> token_table = token_characters();
}  // namespace detail

constexpr bool is_token_character(char c) {
  return detail::token_table[static_cast<std::uint8_t>(c)];
}
constexpr bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_character);
}
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// In a value: anything but controls. The reader of the value deals with bytes past ASCII.
constexpr bool is_value_character(char c) {
  const auto byte = static_cast<std::uint8_t>(c);
  return (byte >= 0x20 && byte != 0x7f) || c == '\t';
}
// Without a branch, so that compilers look at sixteen at a time: HPACK may make thousands out of
// one byte, and each is looked at.
constexpr bool is_value(std::string_view text) {
  std::uint8_t bad = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    bad = static_cast<std::uint8_t>(bad | ((byte < 0x20) & (byte != '\t')) | (byte == 0x7f));
  }
  return bad == 0;
}

constexpr bool is_target_character(char c) { return c > 0x20 && c < 0x7f && c != '#'; }

// What may stand in `Host`; an empty one is one.
constexpr bool is_host(std::string_view host) {
  return std::ranges::all_of(host, [](char c) {
    return c > 0x20 && c < 0x7f &&
           std::string_view("/?#@\\,\"<>^`{|}").find(c) == std::string_view::npos;
  });
}

constexpr std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Calls `visit` with each trimmed piece of a list.
template <class Visit>
constexpr void for_each_piece(std::string_view list, char separator, Visit visit) {
  for (;;) {
    const std::size_t end = list.find(separator);
    visit(trim(list.substr(0, end)));
    if (end == std::string_view::npos) return;
    list.remove_prefix(end + 1);
  }
}

}  // namespace cordon::transport::http
