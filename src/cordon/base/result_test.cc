#include "cordon/result.h"

#include <memory>
#include <set>

#include <gtest/gtest.h>

namespace cordon {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return fail(ErrorCode::invalid_argument, "odd");
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
  EXPECT_EQ(quarter(6).error(), (Error{ErrorCode::invalid_argument, "odd"}));
}

TEST(Result, TryWorksWithNothingAndWithWhatOnlyMoves) {
  EXPECT_EQ(**boxed(4), 4);
  EXPECT_FALSE(boxed(5).has_value());
}

TEST(Error, PrintsItsCodeAndDetail) {
  EXPECT_EQ(to_string(Error{ErrorCode::too_large, "array"}), "too_large: array");
  EXPECT_EQ(to_string(Error{ErrorCode::timeout, ""}), "timeout");
}

TEST(Error, EveryCodeHasItsOwnName) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < error_code_count; ++i)
    EXPECT_TRUE(names.insert(name_of(static_cast<ErrorCode>(i))).second) << i;
}

TEST(Error, ShowsTheToolsOwnCodeWhereThereIsOne) {
  const Result<int> failed = fail_as("out_of_stock", "none is left");
  EXPECT_TRUE(failed.error().is(ErrorCode::tool_error));
  EXPECT_EQ(failed.error().code_text(), "out_of_stock");
  EXPECT_EQ(to_string(failed.error()), "out_of_stock: none is left");
}

TEST(Error, OfNothingIsNone) { EXPECT_TRUE(Error().is(ErrorCode::none)); }

TEST(Result, CopiesStayWhatTheyAreThoughTheyConvertToBool) {
  Result<bool> no = false;
  Result<bool> copy(no);
  ASSERT_TRUE(copy.has_value());
  EXPECT_FALSE(*copy);
  Result<bool> failed = fail(ErrorCode::io, "gone");
  EXPECT_FALSE(Result<bool>(failed).has_value());
  EXPECT_EQ(Result<bool>(std::expected<bool, Error>(true)), Result<bool>(true));
}

TEST(Result, IsEqualWhereBothFailedAlikeOrHaveTheSame) {
  EXPECT_EQ(half(4), half(4));
  EXPECT_EQ(half(3), half(5));
  EXPECT_NE(half(4), half(6));
  EXPECT_NE(half(4), half(3));
  EXPECT_EQ(check(4), Result<>());
}

}  // namespace
}  // namespace cordon
