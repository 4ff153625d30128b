#include "cordon/base/number_text.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cordon {
namespace {

constexpr double first_inexact_integer = 9007199254740992.0;  // 2^53

char* write_text(std::string_view text, char* out) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

char* write_zeros(int count, char* out) {
  for (; count > 0; --count) *out++ = '0';
  return out;
}

// The digits d1…dk stand for 0.d1…dk × 10^point, in the words of Number::toString.
char* write_digits(std::string_view digits, int point, char* out) {
  const int count = static_cast<int>(digits.size());
  if (count <= point && point <= 21) {
    return write_zeros(point - count, write_text(digits, out));
  }
  if (0 < point && point <= 21) {
    out = write_text(digits.substr(0, static_cast<std::size_t>(point)), out);
    *out++ = '.';
    return write_text(digits.substr(static_cast<std::size_t>(point)), out);
  }
  if (-6 < point && point <= 0) {
    return write_text(digits, write_zeros(-point, write_text("0.", out)));
  }
  *out++ = digits[0];
  if (count > 1) {
    *out++ = '.';
    out = write_text(digits.substr(1), out);
  }
  *out++ = 'e';
  *out++ = point - 1 < 0 ? '-' : '+';
  return std::to_chars(out, out + 4, std::abs(point - 1)).ptr;
}

}  // namespace

char* write_number(double number, char* out) {
  if (std::fabs(number) < first_inexact_integer) {
    const auto integer = static_cast<std::int64_t>(number);
    if (static_cast<double>(integer) == number) return std::to_chars(out, out + 20, integer).ptr;
  }
  if (std::isnan(number)) return write_text("NaN", out);
  if (std::signbit(number)) {
    *out++ = '-';
    number = -number;
  }
  if (std::isinf(number)) return write_text("Infinity", out);

  // Shortest digits as d.ddde±xx, then moved to where JavaScript puts the point.
  char scientific[32];
  const char* const end = std::to_chars(scientific, scientific + sizeof scientific, number,
                                        std::chars_format::scientific)
                              .ptr;
  char digits[20];
  std::size_t count = 0;
  const char* at = scientific;
  for (; *at != 'e'; ++at) {
    if (*at != '.') digits[count++] = *at;
  }
  ++at;
  int exponent = 0;
  std::from_chars(*at == '+' ? at + 1 : at, end, exponent);
  return write_digits({digits, count}, exponent + 1, out);
}

std::string_view number_to_text(double number, NumberBuffer& buffer) {
  const char* const end = write_number(number, buffer.data());
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

}  // namespace cordon
