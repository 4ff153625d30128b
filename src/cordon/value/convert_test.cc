#include "cordon/convert.h"

#include <gtest/gtest.h>

namespace shop {

enum class Size { small, large };

struct Line {
  std::string tea;
  int cups = 1;
  std::optional<std::string> note;
  Size size = Size::small;
};

struct Order {
  int id = 0;
  std::vector<Line> lines;
  std::map<std::string, double> prices;
};

// A type that is neither: it is written as a text of its own.
struct Money {
  int cents = 0;
};

}  // namespace shop

template <>
struct cordon::Conversion<shop::Size> : cordon::Enumeration<shop::Size> {
  static constexpr auto names =
      std::array{name("small", shop::Size::small), name("large", shop::Size::large)};
};
template <>
struct cordon::Conversion<shop::Line> : cordon::Record<shop::Line> {
  static constexpr auto fields =
      std::tuple(field("tea", &shop::Line::tea), optional_field("cups", &shop::Line::cups),
                 field("note", &shop::Line::note), optional_field("size", &shop::Line::size));
};
template <>
struct cordon::Conversion<shop::Order> : cordon::Record<shop::Order> {
  static constexpr auto fields =
      std::tuple(field("id", &shop::Order::id), field("lines", &shop::Order::lines),
                 optional_field("prices", &shop::Order::prices));
};
template <>
struct cordon::Conversion<shop::Money> {
  static Result<shop::Money> from(ValueView value, std::string_view path) {
    return shop::Money{CORDON_TRY(detail::convert<int>(value, path))};
  }
  static ValueView to(Builder&, const shop::Money& money) { return money.cents; }
};

namespace cordon {
namespace {

Value order() {
  return Value::object(
      {{"id", 7},
       {"lines", Value::array({Value::object({{"tea", "green"}}),
                               Value::object({{"tea", "black"}, {"cups", 2}, {"size", "large"}})})},
       {"prices", Value::object({{"green", 2.5}})},
       {"other", true}});
}

std::string error_of(const auto& result) { return result ? "" : result.error().message; }

TEST(Conversion, ReadsContainers) {
  const Value value = Value::array({1, 2, 3});
  EXPECT_EQ(*value.as<std::vector<int>>(), (std::vector<int>{1, 2, 3}));
  const Value nested = Value::object({{"a", Value::array({"x"})}, {"b", Value::array({})}});
  const auto map = nested.as<std::map<std::string, std::vector<std::string>>>();
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(map->at("a"), std::vector<std::string>{"x"});
  EXPECT_TRUE(map->at("b").empty());
  EXPECT_EQ((nested.as<std::unordered_map<std::string, std::vector<std::string>>>()->size()), 2u);
  EXPECT_EQ(*Value(nullptr).as<std::optional<std::vector<int>>>(), std::nullopt);
  const auto holes = Value::array({1, nullptr}).as<std::vector<std::optional<int>>>();
  ASSERT_TRUE(holes.has_value());
  EXPECT_EQ(holes->at(1), std::nullopt);
}

TEST(Conversion, ReadsStructsAndEnums) {
  const Result<shop::Order> read = order().as<shop::Order>();
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->id, 7);
  ASSERT_EQ(read->lines.size(), 2u);
  EXPECT_EQ(read->lines[0].tea, "green");
  EXPECT_EQ(read->lines[0].cups, 1);
  EXPECT_EQ(read->lines[0].size, shop::Size::small);
  EXPECT_EQ(read->lines[1].cups, 2);
  EXPECT_EQ(read->lines[1].size, shop::Size::large);
  EXPECT_EQ(read->prices.at("green"), 2.5);
}

TEST(Conversion, NamesThePlaceOfWhatIsWrong) {
  const Value value = Value::object({{"order", order()}});
  const Value bad = order().with("lines", Value::array({1}));
  EXPECT_EQ(error_of(bad.as<shop::Order>()), "expected an object at lines[0], found the number 1");
  const Value wrong = Value::object({{"lines", Value::array({Value::object({{"tea", 5}})})}});
  EXPECT_EQ(error_of(wrong["lines"].as<std::vector<shop::Line>>()),
            "expected a string at lines[0].tea, found the number 5");
  EXPECT_EQ(error_of(wrong["lines"][0].as<std::map<std::string, std::string>>()),
            "expected a string at lines[0].tea, found the number 5");
  EXPECT_EQ(error_of(Value::object({}).as<shop::Line>()),
            "expected a string at tea, found nothing");
  EXPECT_EQ(error_of(Value::array({"middle"}).as<std::vector<shop::Size>>()),
            "expected one of small, large at [0], found a string");
  EXPECT_EQ(error_of(Value(1).as<std::vector<int>>()), "expected an array, found the number 1");
}

TEST(Conversion, WritesWhatItReads) {
  const shop::Order read = *order().as<shop::Order>();
  const Value written = to_value(read);
  EXPECT_EQ(written["lines"][1]["size"], "large");
  EXPECT_FALSE(written["lines"][0].contains("note")) << "nullopt is no member";
  EXPECT_EQ(written["prices"]["green"], 2.5);
  const Result<shop::Order> again = written.as<shop::Order>();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->lines[1].tea, "black");
  EXPECT_EQ(to_value(std::vector<bool>{true, false}), Value::array({true, false}));
  EXPECT_EQ(to_value("text"), Value("text"));
  EXPECT_EQ(to_value(std::vector<Value>{Value::array({1})}), Value::array({Value::array({1})}));
}

TEST(Conversion, TakesATypeThatWritesItsOwn) {
  EXPECT_EQ(Value(250).as<shop::Money>()->cents, 250);
  EXPECT_EQ(to_value(std::vector<shop::Money>{{1}, {2}}), Value::array({1, 2}));
  EXPECT_EQ(
      error_of(Value::array({"x"}).as<std::vector<shop::Money>>()).find("expected an integer"), 0u);
}

}  // namespace
}  // namespace cordon
