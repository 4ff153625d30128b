#include "cordon/base/number_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cordon {
namespace {

std::string text_of(double number) {
  NumberBuffer buffer;
  return std::string(number_to_text(number, buffer));
}

double read_back(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  EXPECT_EQ(end, text.data() + text.size());
  EXPECT_EQ(error, std::errc());
  return number;
}

struct Example {
  std::uint64_t bits;
  const char* text;
};

// Written by Node 20: the bits of a double and what String(x) gives.
constexpr Example from_node[] = {
    {0x0000000000000000, "0"},
    {0x8000000000000000, "0"},
    {0x3ff0000000000000, "1"},
    {0xbff0000000000000, "-1"},
    {0x4024000000000000, "10"},
    {0x419d6f3454000000, "123456789"},
    {0x433fffffffffffff, "9007199254740991"},
    {0x4340000000000000, "9007199254740992"},
    {0x4340000000000000, "9007199254740992"},
    {0xc340000000000000, "-9007199254740992"},
    {0x430c6bf526340000, "1000000000000000"},
    {0x4341c37937e08000, "10000000000000000"},
    {0x4376345785d8a000, "100000000000000000"},
    {0x441ac53a7e04bcda, "123456789012345680000"},
    {0x4415af1d78b58c40, "100000000000000000000"},
    {0x444b1ae4d6e2ef50, "1e+21"},
    {0x4480f0cf064dd592, "1e+22"},
    {0x3ff8000000000000, "1.5"},
    {0xbff8000000000000, "-1.5"},
    {0x3fb999999999999a, "0.1"},
    {0x3fc999999999999a, "0.2"},
    {0x3fd3333333333334, "0.30000000000000004"},
    {0x3fd5555555555555, "0.3333333333333333"},
    {0x4059100000000000, "100.25"},
    {0x3f50624dd2f1a9fc, "0.001"},
    {0x3f1a36e2eb1c432d, "0.0001"},
    {0x3ee4f8b588e368f1, "0.00001"},
    {0x3eb0c6f7a0b5ed8d, "0.000001"},
    {0x3e7ad7f29abcaf48, "1e-7"},
    {0x3e8421f5f40d8376, "1.5e-7"},
    {0x3eb92a737110e454, "0.0000015"},
    {0x3c36b082c2148b8e, "1.23e-18"},
    {0x3e7ad7f29abcaf48, "1e-7"},
    {0x0000000000000001, "5e-324"},
    {0x7fefffffffffffff, "1.7976931348623157e+308"},
    {0x0010000000000000, "2.2250738585072014e-308"},
    {0x4011666666666666, "4.35"},
    {0x41e0000000000000, "2147483648"},
    {0x41f0000000000000, "4294967296"},
    {0x43e0000000000000, "9223372036854776000"},
    {0x43f0000000000000, "18446744073709552000"},
    {0xc3e0000000000000, "-9223372036854776000"},
    {0x54b249ad2594c37d, "1e+100"},
    {0x3de0f5c0635643a8, "1.234e-10"},
    {0x3eb4b66dc01ec6fb, "0.0000012345678901234567"},
    {0xbeb4b66dc01ec6fb, "-0.0000012345678901234567"},
    {0x40fe240c9fbe76c9, "123456.789"},
    {0x444b1ae4d6e2ef4f, "999999999999999900000"},
    {0x44b52d02c7e14af6, "1e+23"},
    {0x0000000000000013, "9.4e-323"},
    {0x7ff0000000000000, "Infinity"},
    {0xfff0000000000000, "-Infinity"},
    {0x7ff8000000000000, "NaN"},
    {0x3fe0000000000000, "0.5"},
    {0x4370000000000000, "72057594037927940"},
    {0x4350000000000000, "18014398509481984"},
    {0x4430000000000000, "295147905179352830000"},
    {0x0000000000000003, "1.5e-323"},
};

TEST(NumberText, IsWhatNodePrints) {
  for (const auto& [bits, text] : from_node) {
    EXPECT_EQ(text_of(std::bit_cast<double>(bits)), text);
  }
}

TEST(NumberText, FitsItsBuffer) {
  for (const double number : {-1.2345678901234567e-6, -1.7976931348623157e308,
                              -123456789012345680000.0, -5.0e-324, -1.2345678901234567e-300}) {
    EXPECT_LE(text_of(number).size(), NumberBuffer().size());
  }
}

RC_GTEST_PROP(NumberText, ReadsBackAsTheSameDouble, (std::uint64_t bits)) {
  const auto number = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(number));
  RC_ASSERT(read_back(text_of(number)) == number);
}

RC_GTEST_PROP(NumberText, OfAnIntegerIsItsDigits, (std::int32_t integer)) {
  RC_ASSERT(text_of(integer) == std::to_string(integer));
}

}  // namespace
}  // namespace cordon
