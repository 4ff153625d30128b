#include "cordon/codec/json/number.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/base/number_text.h"

namespace cordon::json {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double read(const std::string& text) {
  const NumberText number = read_number(text.data(), text.data() + text.size());
  EXPECT_EQ(number.problem, nullptr) << text;
  EXPECT_EQ(number.end, text.data() + text.size()) << text;
  return number.number;
}

TEST(JsonNumber, IsTheNearestDouble) {
  EXPECT_EQ(read("0"), 0);
  EXPECT_EQ(read("-12"), -12);
  EXPECT_EQ(read("1.5"), 1.5);
  EXPECT_EQ(read("0.1"), 0.1);
  EXPECT_EQ(read("1e5"), 1e5);
  EXPECT_EQ(read("1E-7"), 1e-7);
  EXPECT_EQ(read("123456789012345678"), 123456789012345678.0);
  EXPECT_EQ(read("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(read("9007199254740993.0000000000000000000001"), 9007199254740994.0);
  EXPECT_EQ(read("18446744073709551615"), 18446744073709551616.0);
  EXPECT_EQ(read("9999999999999999999"), 1e19);
  EXPECT_EQ(read("2.2250738585072011e-308"), 2.2250738585072011e-308);
  EXPECT_EQ(read("4.9e-324"), 5e-324);
  EXPECT_EQ(read("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(read("0.00000000000000000000000000000000000001e38"), 1);
  EXPECT_EQ(read("100000000000000000000000000000000000000e-38"), 1);
}

TEST(JsonNumber, KeepsTheSignOfZero) {
  EXPECT_TRUE(std::signbit(read("-0")));
  EXPECT_TRUE(std::signbit(read("-0.0e9")));
  EXPECT_TRUE(std::signbit(read("-1e-999")));
  EXPECT_FALSE(std::signbit(read("0")));
}

TEST(JsonNumber, PastTheDoublesIsInfinityOrZero) {
  EXPECT_EQ(read("1e400"), infinity);
  EXPECT_EQ(read("-1e400"), -infinity);
  EXPECT_EQ(read("1.7976931348623159e308"), infinity);
  EXPECT_EQ(read("1e99999999999999999999999"), infinity);
  EXPECT_EQ(read("1e-400"), 0);
  EXPECT_EQ(read("2.4e-324"), 0);
  EXPECT_EQ(read("1e-99999999999999999999999"), 0);
  EXPECT_EQ(read("0e99999999999999999999999"), 0);
  EXPECT_EQ(read("0.0000000000000000000000e999"), 0);
  EXPECT_EQ(read(std::string(400, '9')), infinity);
  EXPECT_EQ(read("0." + std::string(400, '0') + "1"), 0);
  EXPECT_EQ(read("0." + std::string(400, '0') + "1e401"), 1);
  EXPECT_EQ(read("1" + std::string(400, '0') + "e-400"), 1);
  EXPECT_EQ(read("0." + std::string(400, '0') + "1e800"), infinity);
  EXPECT_EQ(read("1" + std::string(400, '0') + "e-800"), 0);
}

TEST(JsonNumber, TellsWhatIsWrongWhere) {
  const auto problem = [](const std::string& text) {
    const NumberText number = read_number(text.data(), text.data() + text.size());
    return number.problem == nullptr ? ""
                                     : number.problem + std::to_string(number.end - text.data());
  };
  EXPECT_EQ(problem("-x"), "expected a digit1");
  EXPECT_EQ(problem("012"), "a number has no leading zero1");
  EXPECT_EQ(problem("1.x"), "expected a digit after the point2");
  EXPECT_EQ(problem("1e+"), "expected a digit in the exponent3");
  EXPECT_EQ(problem("1,"), "");
}

RC_GTEST_PROP(JsonNumber, ReadsBackEveryDouble, (std::uint64_t bits)) {
  const auto number = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(number));
  NumberBuffer buffer;
  const std::string text(number_to_text(number, buffer));
  RC_ASSERT(read(text) == number);
}

// Decimals of the kind people write take the fast way; the slow one must agree.
RC_GTEST_PROP(JsonNumber, TheFastWayRoundsLikeTheSlowOne, (std::uint64_t mantissa)) {
  const int exponent = *rc::gen::inRange(-30, 30);
  const int digits = *rc::gen::inRange(1, 20);
  const std::string text = std::to_string(mantissa).substr(0, static_cast<std::size_t>(digits));
  const std::string whole = text + "e" + std::to_string(exponent);
  RC_ASSERT(read(whole) == std::stod(whole));
}

}  // namespace
}  // namespace cordon::json
