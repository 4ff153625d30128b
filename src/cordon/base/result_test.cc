#include "cordon/result.h"

#include <memory>

#include <gtest/gtest.h>

namespace cordon {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return fail(Errc::invalid_argument, "odd");
  return number / 2;
}

Result<> check(int number) {
  CORDON_TRY(half(number));
  return {};
}

Result<int> quarter(int number) { return CORDON_TRY(half(CORDON_TRY(half(number)))); }

Result<std::unique_ptr<int>> boxed(int number) {
  CORDON_TRY(check(number));
  auto box = CORDON_TRY(Result<std::unique_ptr<int>>(std::make_unique<int>(number)));
  return box;
}

TEST(Result, TryTakesTheValueOfASuccess) { EXPECT_EQ(*quarter(12), 3); }

TEST(Result, TryHandsAnErrorUp) {
  ASSERT_FALSE(quarter(6).has_value());
  EXPECT_EQ(quarter(6).error(), (Error{Errc::invalid_argument, "odd"}));
}

TEST(Result, TryWorksWithNothingAndWithWhatOnlyMoves) {
  EXPECT_EQ(**boxed(4), 4);
  EXPECT_FALSE(boxed(5).has_value());
}

TEST(Error, PrintsItsCodeAndDetail) {
  EXPECT_EQ(to_string(Error{Errc::too_large, "array"}), "too_large: array");
  EXPECT_EQ(to_string(Error{Errc::timeout, ""}), "timeout");
}

TEST(Error, EveryCodeHasItsOwnName) {
  for (int code = 0; code <= static_cast<int>(Errc::internal); ++code) {
    EXPECT_NE(name_of(static_cast<Errc>(code)), "unknown") << code;
  }
}

}  // namespace
}  // namespace cordon
