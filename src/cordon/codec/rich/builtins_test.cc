// Small parts of the Runner serializer: dates, query strings, distinct values, places in text.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/base/date_text.h"
#include "cordon/codec/distinct.h"
#include "cordon/codec/rich/date_parse.h"
#include "cordon/codec/rich/locate.h"
#include "cordon/codec/rich/search_params.h"
#include "cordon/value/value_builder.h"

namespace cordon::rich {
namespace {

TEST(DateParse, ReadsWhatTheLanguagePrescribes) {
  EXPECT_EQ(date_from_text("1970-01-01T00:00:00.000Z"), 0);
  EXPECT_EQ(date_from_text("2024"), 1704067200000);
  EXPECT_EQ(date_from_text("2024-02"), 1706745600000);
  EXPECT_EQ(date_from_text("2024-02-29"), 1709164800000);
  EXPECT_EQ(date_from_text("2024-02-30"), date_from_text("2024-03-01"));
  EXPECT_EQ(date_from_text("2024-01-01T00:00Z"), 1704067200000);
  EXPECT_EQ(date_from_text("2024-01-01T24:00:00Z"), 1704153600000);
  EXPECT_EQ(date_from_text("2024-01-01T01:30:00+01:30"), 1704067200000);
  EXPECT_EQ(date_from_text("2024-01-01T00:00:00.123456Z"), 1704067200123);
  EXPECT_EQ(date_from_text("+275760-09-13T00:00:00.000Z"), 8.64e15);
  EXPECT_EQ(date_from_text("-000001-01-01T00:00:00Z"), -62198755200000);
  EXPECT_EQ(date_from_text("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
  EXPECT_EQ(date_from_text("Thu Jan 01 1970 01:00:00 GMT+0100 (Somewhere)"), 0);
}

TEST(DateParse, EverythingElseIsInvalid) {
  for (const char* text :
       {"", "never", "2024-13-01", "2024-00-01", "2024-01-32", "2024-01-01T25:00:00Z",
        "2024-01-01T24:00:01Z", "2024-01-01T00:60:00Z", "-000000-01-01", "2024-1-1", "20240101",
        "+275760-09-13T00:00:00.001Z", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00Zx",
        "Thu, 01 Foo 1970 00:00:00 GMT", "2024-01-01T00:00:00.00\"Z"}) {
    EXPECT_TRUE(std::isnan(date_from_text(text))) << text;
  }
  EXPECT_TRUE(std::isnan(date_from_number(8.64e15 + 1)));
  EXPECT_EQ(date_from_number(-1.9), -1);
}

RC_GTEST_PROP(DateParse, ReadsBackWhatIsPrinted, ()) {
  const auto ms = static_cast<double>(
      *rc::gen::inRange<std::int64_t>(-8'640'000'000'000'000, 8'640'000'000'000'001));
  DateBuffer buffer;
  RC_ASSERT(date_from_text(date_to_text(ms, buffer)) == ms);
  const double near = std::fmod(ms, 1e14);
  const std::string_view text = date_to_text(near, buffer);
  const double quick = date_from_full_iso_text(text);
  RC_ASSERT((std::isnan(quick) ? text.size() != 24 : quick == near));
}

TEST(SearchParams, AreNormalAsTheUrlStandardHasIt) {
  EXPECT_EQ(normal_search_params(""), "");
  EXPECT_EQ(normal_search_params("?a=b c&d&&=&%zz=1+2"), "a=b+c&d=&=&%25zz=1+2");
  EXPECT_EQ(normal_search_params("*-._~!'()"), "*-._%7E%21%27%28%29=");
  EXPECT_EQ(normal_search_params("%ff=é"), "%EF%BF%BD=%C3%A9");
  EXPECT_EQ(normal_search_params("\xed\xa0\x80=1"), "%EF%BF%BD=1");
}

RC_GTEST_PROP(SearchParams, AreNormalOnce, (const std::string& text)) {
  const std::string normal = normal_search_params(Value(text).as_string());
  RC_ASSERT(normal_search_params(normal) == normal);
}

TEST(Distinct, IsSameValueZero) {
  ValueBuilder builder;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(same_value_zero(nan, nan));
  EXPECT_TRUE(same_value_zero(0.0, -0.0));
  EXPECT_FALSE(same_value_zero(1, true));
  EXPECT_FALSE(same_value_zero(nullptr, ValueView()));
  EXPECT_TRUE(same_value_zero(builder.string("a"), builder.string("a")));
  EXPECT_FALSE(same_value_zero(builder.string("1"), *builder.bigint("1")));
  const ValueView list = builder.array({});
  EXPECT_TRUE(same_value_zero(list, list));
  EXPECT_FALSE(same_value_zero(list, builder.array({})));
  // Each is an object of its own.
  EXPECT_FALSE(same_value_zero(ValueBuilder::date(0), ValueBuilder::date(0)));
}

RC_GTEST_PROP(Distinct, FindsWhatAPlainSearchFinds, (const std::vector<int>& numbers)) {
  ValueBuilder builder;
  std::vector<ValueView> nodes;
  for (const int number : numbers) {
    nodes.push_back(number % 3 == 0 ? ValueView(number / 2)
                                    : builder.string(std::to_string(number / 4)));
  }
  std::vector<ValueView> kept;
  DistinctNodes distinct(nodes.size(), nullptr);
  for (const ValueView node : nodes) {
    std::size_t place = 0;
    while (place < kept.size() && !same_value_zero(kept[place], node)) ++place;
    RC_ASSERT(distinct.add(node) == place);
    if (place == kept.size()) kept.push_back(node);
  }
  RC_ASSERT(are_distinct(nodes, 1, nullptr) == (kept.size() == nodes.size()));
}

TEST(Locate, FindsAPlaceInText) {
  const std::string_view text = R"( {"a":[1, {"b\n":"x]}"}],"c":{"a":2},"a":[ 3,{"b\n" : 4}]} )";
  const auto at = [&](const std::vector<PathStep>& path) {
    return text.substr(offset_of(text, path), 1);
  };
  EXPECT_EQ(at({}), "{");
  EXPECT_EQ(at({{"c", 0, false}, {"a", 0, false}}), "2");
  EXPECT_EQ(at({{"a", 0, false}, {"", 0, true}}), "3");
  EXPECT_EQ(at({{"a", 0, false}, {"", 1, true}, {"b\n", 0, false}}), "4");
}

}  // namespace
}  // namespace cordon::rich
