#include "cordon/codec/rich/search_params.h"

#include <cstddef>

#include "cordon/base/utf8.h"
#include "cordon/codec/rich/url.h"

namespace cordon::rich {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
               hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return is_utf8(out) ? out : to_utf8_lossy(out);
}

void append_encoded(std::string& out, std::string_view text) {
  constexpr char hex[] = "0123456789ABCDEF";
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == '*' || c == '-' || c == '.' || c == '_';
    if (plain) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += hex[byte >> 4];
      out += hex[byte & 15];
    }
  }
}

}  // namespace

SearchParams search_params_from_text(std::string_view wtf8) {
  // This comes before percent-decoding.
  const std::string text = scalar_values(wtf8);
  std::string_view rest = text;
  if (rest.starts_with('?')) rest.remove_prefix(1);
  SearchParams pairs;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(pair.size() == rest.size() ? pair.size() : pair.size() + 1);
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    pairs.emplace_back(decoded(pair.substr(0, equals)),
                       equals == pair.npos ? std::string() : decoded(pair.substr(equals + 1)));
  }
  return pairs;
}

std::string normal_search_params(std::string_view text) {
  std::string out;
  for (const auto& [name, value] : search_params_from_text(text)) {
    if (!out.empty()) out += '&';
    append_encoded(out, name);
    out += '=';
    append_encoded(out, value);
  }
  return out;
}

}  // namespace cordon::rich
