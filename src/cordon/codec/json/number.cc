#include "cordon/codec/json/number.h"

#include <charconv>
#include <limits>
#include <system_error>

namespace cordon::json {
namespace {

bool is_digit(const char* at, const char* end) { return at != end && *at >= '0' && *at <= '9'; }

constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::int64_t max_exact_power = 22;
constexpr std::uint64_t max_exact_integer = std::uint64_t{1} << 53;
constexpr int digits_that_fit = 19;

// std::from_chars reports both too large and too small as out of range. The place of the first
// digit that is not zero tells which it is.
double out_of_range(const char* digits, const char* end, std::int64_t exponent) {
  std::int64_t integer_digits = 0;  // after the first one that is not zero
  std::int64_t leading_zeros = 0;   // of the fraction, while the integer is zero
  bool nonzero = false;
  bool fraction = false;
  for (; digits != end && *digits != 'e' && *digits != 'E'; ++digits) {
    if (*digits == '.') {
      fraction = true;
      continue;
    }
    nonzero = nonzero || *digits != '0';
    if (!fraction && nonzero) ++integer_digits;
    if (fraction && !nonzero) ++leading_zeros;
  }
  const std::int64_t magnitude = exponent + integer_digits - leading_zeros;
  return nonzero && magnitude > 0 ? std::numeric_limits<double>::infinity() : 0;
}

}  // namespace

NumberText read_number(const char* at, const char* end) {
  const char* const start = at;
  const bool negative = *at == '-';
  if (negative) ++at;
  const char* const digits = at;
  if (!is_digit(at, end)) return {0, at, "expected a digit"};

  std::uint64_t mantissa = 0;  // wraps when there are too many digits, which `count` tells
  const auto take_digits = [&at, end, &mantissa] {
    for (; is_digit(at, end); ++at)
      mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
  };

  if (*at == '0') {
    ++at;
    if (is_digit(at, end)) return {0, at, "a number has no leading zero"};
  } else {
    take_digits();
  }
  std::ptrdiff_t count = at - digits;
  std::int64_t exponent = 0;
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    if (!is_digit(at, end)) return {0, at, "expected a digit after the point"};
    take_digits();
    exponent = fraction - at;
    count += at - fraction;
  }
  std::int64_t written_exponent = 0;
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    const bool below = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) ++at;
    if (!is_digit(at, end)) return {0, at, "expected a digit in the exponent"};
    for (; is_digit(at, end); ++at) {
      // Far past any double, even with as many digits as a text could have.
      if (written_exponent < (std::int64_t{1} << 50))
        written_exponent = written_exponent * 10 + (*at - '0');
    }
    if (below) written_exponent = -written_exponent;
    exponent += written_exponent;
  }

  if (count <= digits_that_fit) {
    // Both the integer and the power of ten are exact, so one operation rounds once.
    if (exponent == 0 || mantissa == 0) {
      const auto number = static_cast<double>(mantissa);
      return {negative ? -number : number, at, nullptr};
    }
    if (mantissa <= max_exact_integer && exponent >= -max_exact_power &&
        exponent <= max_exact_power) {
      auto number = static_cast<double>(mantissa);
      number = exponent < 0 ? number / powers_of_ten[-exponent] : number * powers_of_ten[exponent];
      return {negative ? -number : number, at, nullptr};
    }
  }

  double number = 0;
  if (std::from_chars(start, at, number).ec == std::errc::result_out_of_range) {
    number = out_of_range(digits, at, written_exponent);
    if (negative) number = -number;
  }
  return {number, at, nullptr};
}

}  // namespace cordon::json
