#include "cordon/codec/json/plain.h"

#include <gtest/gtest.h>

#include "cordon/base/bytes.h"

namespace cordon::json {
namespace {

std::string there_and_back(std::string_view text) {
  const Result<Value> value = decode_plain(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value ? encode_plain(*value).value_or("") : "";
}

TEST(PlainJson, IntegersAreExactOver64Bits) {
  for (const char* text :
       {"18446744073709551615", "-9223372036854775808", "9007199254740993", "-9007199254740993",
        "0", "-1", "[9223372036854775807,1]", "{\"a\":9223372036854775807}"}) {
    EXPECT_EQ(there_and_back(text), text);
  }
  EXPECT_TRUE(decode_plain("18446744073709551615")->is_bigint());
  EXPECT_TRUE(decode_plain("9007199254740991")->is_number());
}

TEST(PlainJson, OtherNumbersAreDoubles) {
  EXPECT_EQ(there_and_back("1.5"), "1.5");
  EXPECT_EQ(there_and_back("1e3"), "1000");
  EXPECT_TRUE(decode_plain("18446744073709551616")->is_number());
  EXPECT_TRUE(decode_plain("9007199254740993.0")->is_number());
}

TEST(PlainJson, BytesAreBase64UnderTheirKey) {
  const Result<Value> value = decode_plain(R"([{"$bytes":"aGk="},{"$bytes":"aGk=","more":1}])");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(as_text(value->at(0).as_bytes()), "hi");
  EXPECT_TRUE(value->at(1).is_object());
  EXPECT_EQ(*encode_plain(*value), R"([{"$bytes":"aGk="},{"$bytes":"aGk=","more":1}])");
  EXPECT_FALSE(decode_plain(R"({"$bytes":"?"})").has_value());
  EXPECT_TRUE(decode_plain(R"({"$bytes":7})")->is_object());
}

TEST(PlainJson, NoOtherNameMeansAnything) {
  const char* text = R"({"__type":"Date","value":"2020"})";
  EXPECT_EQ(there_and_back(text), text);
}

TEST(PlainJson, EmptyContainersTextAndNull) {
  EXPECT_EQ(there_and_back(R"({"a":[],"b":{},"c":null,"d":"\n","e":true})"),
            R"({"a":[],"b":{},"c":null,"d":"\n","e":true})");
  EXPECT_EQ(*encode_plain(Value()), "null");
  EXPECT_FALSE(decode_plain("{").has_value());
}

}  // namespace
}  // namespace cordon::json
