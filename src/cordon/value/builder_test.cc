#include "cordon/builder.h"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace cordon {
namespace {

TEST(Builder, MakesEveryKind) {
  Builder builder;
  const Bytes content = {1, 2, 3, 4};
  const Value value = builder.finish(builder.array(
      {nullptr, true, 1.5, builder.string("s"), *builder.bigint("-12"),
       builder.symbol(SymbolKind::global, "k"), Builder::date(0), builder.regexp("a", "g"),
       builder.url("http://a/"), builder.url_search_params("a=1"), builder.bytes(content),
       builder.typed_array(ElementType::int16, content), builder.bytes(content, Kind::data_view),
       builder.bytes(content, Kind::buffer), builder.array({1, Builder::hole()}),
       builder.object({{"a", 1}, {"b", 2}, {"a", 3}}), builder.map({{1, builder.string("one")}}),
       builder.set({1, 2}), builder.error("E", "m", {{"code", 7}}, builder.string("stack"), 5)}));
  const Kind kinds[] = {
      Kind::null,         Kind::boolean,     Kind::number,    Kind::string, Kind::bigint,
      Kind::symbol,       Kind::date,        Kind::regexp,    Kind::url,    Kind::url_search_params,
      Kind::array_buffer, Kind::typed_array, Kind::data_view, Kind::buffer, Kind::array,
      Kind::object,       Kind::map,         Kind::set,       Kind::error};
  ASSERT_EQ(value.size(), std::size(kinds));
  for (std::size_t i = 0; i < std::size(kinds); ++i) EXPECT_EQ(value.at(i).kind(), kinds[i]) << i;
  EXPECT_TRUE(value.at(14).at(1).is_hole());
  EXPECT_EQ(value.at(15), Value::object({{"a", 3}, {"b", 2}}));
  EXPECT_EQ(value.at(18).error_fields()[0].value, 7);
  EXPECT_EQ(value.at(18).error_stack(), "stack");
  EXPECT_EQ(value.at(18).error_cause(), 5);
}

TEST(Builder, MakesCyclesAndSharedNodes) {
  Builder builder;
  const ValueView list = builder.open(Kind::array);
  const ValueView object = builder.open(Kind::object);
  const ValueView map = builder.open(Kind::map);
  const ValueView set = builder.open(Kind::set);
  EXPECT_TRUE(builder.fill(list, {object, object, map, set}).has_value());
  EXPECT_TRUE(builder.fill(object, {{"list", list}}).has_value());
  EXPECT_TRUE(builder.fill(map, {{list, map}}).has_value());
  EXPECT_TRUE(builder.fill(set, {set}).has_value());
  const Value value = builder.finish(list);
  EXPECT_EQ(value.at(0).identity(), value.at(1).identity());
  EXPECT_EQ(value.at(0).find("list").identity(), value.identity());
  EXPECT_EQ(value.at(2).entries()[0].key.identity(), value.identity());
  EXPECT_EQ(value.at(3).items()[0].identity(), value.at(3).identity());
}

TEST(Builder, RefusesContentOfAnotherKind) {
  Builder builder;
  const ValueView list = builder.open(Kind::array);
  EXPECT_EQ(builder.fill(list, {{"a", 1}}).error().code, ErrorCode::type_mismatch);
  EXPECT_EQ(builder.fill(builder.open(Kind::object), {1, 2}).error().code,
            ErrorCode::type_mismatch);
  EXPECT_EQ(builder.fill(5, {1, 2}).error().code, ErrorCode::type_mismatch);
  EXPECT_THROW(builder.open(Kind::string), std::invalid_argument);
  EXPECT_THROW(builder.bytes({}, Kind::array), std::invalid_argument);
  const Bytes three(3);
  EXPECT_THROW(builder.typed_array(ElementType::int16, three), std::invalid_argument);
}

TEST(Builder, KeepsTextWellFormed) {
  Builder builder;
  const Value value = builder.finish(builder.object({{"\xff", builder.string("a\xff")}}));
  EXPECT_EQ(value.find("\xef\xbf\xbd"), "a\xef\xbf\xbd");
}

TEST(Builder, TakesOtherValuesAsParts) {
  Value value;
  {
    const Value part = Value::array({"kept", "alive"});
    Builder builder;
    value = builder.finish(builder.object({{"part", builder.part(part)}}));
  }
  EXPECT_EQ(value["part"][1].as_string(), "alive");
}

}  // namespace
}  // namespace cordon
