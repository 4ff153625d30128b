#include "cordon/codec/msgpack/decode.h"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/base/bytes.h"
#include "cordon/codec/msgpack/encode.h"
#include "cordon/codec/msgpack/testing/bytes_of.h"
#include "cordon/value/testing/arbitrary_value.h"

namespace cordon::msgpack {
namespace {

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Value read(const Bytes& in, const DecodeOptions& options = {}) {
  auto value = decode(in, options);
  EXPECT_TRUE(value.has_value()) << value.error();
  return value.value_or(Value("failed"));
}

Error error_of(const Bytes& in, const DecodeOptions& options = {}) {
  std::size_t failed_at = 1u << 30;
  const auto value = decode(in, options, &failed_at);
  EXPECT_FALSE(value.has_value());
  if (value) return {};
  EXPECT_TRUE(value.error().message.ends_with(" at byte " + std::to_string(failed_at)));
  EXPECT_LE(failed_at, in.size());
  return value.error();
}

TEST(MsgpackDecode, ReadsEveryFormOfAnInteger) {
  EXPECT_EQ(read(bytes({0x00})), 0);
  EXPECT_EQ(read(bytes({0x7f})), 127);
  EXPECT_EQ(read(bytes({0xe0})), -32);
  EXPECT_EQ(read(bytes({0xff})), -1);
  EXPECT_EQ(read(bytes({0xcc, 0xff})), 255);
  EXPECT_EQ(read(bytes({0xcd, 0x01, 0x02})), 258);
  EXPECT_EQ(read(bytes({0xce, 0xff, 0xff, 0xff, 0xff})), 4294967295.0);
  EXPECT_EQ(read(bytes({0xcf, 0, 0, 0, 1, 0, 0, 0, 0})), 4294967296.0);
  EXPECT_EQ(read(bytes({0xd0, 0x80})), -128);
  EXPECT_EQ(read(bytes({0xd1, 0x80, 0x00})), -32768);
  EXPECT_EQ(read(bytes({0xd2, 0x80, 0, 0, 0})), -2147483648.0);
  EXPECT_EQ(read(bytes({0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe})), -2);
  // A form that is larger than need be is read all the same.
  EXPECT_EQ(read(bytes({0xd3, 0, 0, 0, 0, 0, 0, 0, 5})), 5);
}

TEST(MsgpackDecode, IntegersPastTwoToThe53AreBigints) {
  const Bytes safe = bytes({0xcf, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  const Bytes past = bytes({0xcf, 0, 0x20, 0, 0, 0, 0, 0, 1});
  const Bytes most = bytes({0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  const Bytes least = bytes({0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0});
  const Bytes negative_safe = bytes({0xd3, 0xff, 0xe0, 0, 0, 0, 0, 0, 1});
  EXPECT_EQ(read(safe), 9007199254740991.0);
  EXPECT_EQ(read(negative_safe), -9007199254740991.0);
  EXPECT_EQ(read(past).bigint_text(), "9007199254740993");
  EXPECT_EQ(read(most).bigint_text(), "18446744073709551615");
  EXPECT_EQ(read(least).bigint_text(), "-9223372036854775808");
  const DecodeOptions lossy{.large_integers = LargeIntegers::nearest_number};
  EXPECT_EQ(read(past, lossy), 9007199254740992.0);
  EXPECT_EQ(read(most, lossy), 18446744073709551616.0);
}

TEST(MsgpackDecode, ReadsFloatsOfBothSizes) {
  EXPECT_EQ(read(bytes({0xca, 0x3f, 0, 0, 0})), 0.5);
  EXPECT_EQ(read(bytes({0xcb, 0x3f, 0xb9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a})), 0.1);
  EXPECT_EQ(read(bytes({0xca, 0x7f, 0x80, 0, 0})), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(read(bytes({0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0})).as_number()));
}

TEST(MsgpackDecode, WhatIsNotFiniteIsKeptUnlessItIsRefused) {
  const DecodeOptions finite{.not_finite = NotFinite::refused};
  for (const Bytes& in : {bytes({0xca, 0x7f, 0x80, 0, 0}), bytes({0xca, 0x7f, 0xc0, 0, 0}),
                          bytes({0xcb, 0xff, 0xf0, 0, 0, 0, 0, 0, 0})}) {
    EXPECT_FALSE(std::isfinite(read(in).as_number()));
    const Result<Value> refused = decode(in, finite);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  }
  EXPECT_EQ(read(bytes({0xca, 0x3f, 0x80, 0, 0}), finite), Value(1));
}

TEST(MsgpackDecode, ReadsStringsBytesAndContainers) {
  EXPECT_EQ(read(bytes({0xc0})), nullptr);
  EXPECT_EQ(read(bytes({0xc2})), false);
  EXPECT_EQ(read(bytes({0xc3})), true);
  EXPECT_EQ(read(bytes({0xa0})), "");
  EXPECT_EQ(read(bytes({0xa3, 0xe2, 0x82, 0xac})), "€");
  EXPECT_EQ(read(bytes({0xd9, 1, 'x'})), "x");
  EXPECT_EQ(read(bytes({0xda, 0, 1, 'x'})), "x");
  EXPECT_EQ(read(bytes({0xdb, 0, 0, 0, 1, 'x'})), "x");
  for (const Bytes& form :
       {bytes({0xc4, 2, 7, 8}), bytes({0xc5, 0, 2, 7, 8}), bytes({0xc6, 0, 0, 0, 2, 7, 8})}) {
    EXPECT_EQ(read(form), Value::typed_array(ElementType::uint8, bytes({7, 8})));
  }
  const Value list = Value::array({1, "a"});
  EXPECT_EQ(read(bytes({0x92, 1, 0xa1, 'a'})), list);
  EXPECT_EQ(read(bytes({0xdc, 0, 2, 1, 0xa1, 'a'})), list);
  EXPECT_EQ(read(bytes({0xdd, 0, 0, 0, 2, 1, 0xa1, 'a'})), list);
  const Value object = Value::object({{"a", Value::array({})}, {"b", Value::object({})}});
  EXPECT_EQ(read(bytes({0x82, 0xa1, 'a', 0x90, 0xa1, 'b', 0x80})), object);
  EXPECT_EQ(read(bytes({0xde, 0, 2, 0xa1, 'a', 0x90, 0xa1, 'b', 0x80})), object);
  EXPECT_EQ(read(bytes({0xdf, 0, 0, 0, 2, 0xa1, 'a', 0x90, 0xa1, 'b', 0x80})), object);
}

TEST(MsgpackDecode, OfDuplicateKeysKeepsTheFirstPlaceAndTheLastValue) {
  EXPECT_EQ(read(bytes({0x83, 0xa1, 'a', 1, 0xa1, 'b', 2, 0xa1, 'a', 3})),
            Value::object({{"a", 3}, {"b", 2}}));
}

TEST(MsgpackDecode, RefusesDuplicateKeysWhereTheyAreNotAllowed) {
  const DecodeOptions strict{.duplicate_keys = DuplicateKeys::refused};
  EXPECT_EQ(error_of(bytes({0x91, 0x82, 0xa1, 'a', 1, 0xa1, 'a', 3}), strict),
            (Error{ErrorCode::unsupported, "a map has one key twice at byte 1"}));
  EXPECT_EQ(read(bytes({0x82, 0xa1, 'a', 1, 0xa1, 'b', 3}), strict),
            Value::object({{"a", 1}, {"b", 3}}));
  // Numbers that become text count as well.
  EXPECT_EQ(error_of(bytes({0x82, 1, 1, 0xa1, '1', 2}),
                     {.other_keys = OtherKeys::text, .duplicate_keys = DuplicateKeys::refused})
                .code,
            ErrorCode::unsupported);
}

TEST(MsgpackDecode, KeysThatAreNoStringsAreRefusedOrKeptOrTurnedToText) {
  const Bytes mixed = bytes({0x91, 0x82, 1, 0xa1, 'x', 0xa1, 'k', 2});
  EXPECT_EQ(error_of(mixed), (Error{ErrorCode::unsupported, "a map's key is no string at byte 1"}));
  const Value map = read(mixed, {.other_keys = OtherKeys::map});
  ASSERT_TRUE(map.at(0).is_map());
  EXPECT_EQ(map.at(0).entries()[0].key, 1);
  EXPECT_EQ(map.at(0).entries()[1].key, "k");
  EXPECT_EQ(read(mixed, {.other_keys = OtherKeys::text}),
            Value::array({Value::object({{"1", "x"}, {"k", 2}})}));
  EXPECT_EQ(read(bytes({0x82, 1, 1, 0xa1, '1', 2}), {.other_keys = OtherKeys::text}),
            Value::object({{"1", 2}}));
  EXPECT_EQ(error_of(bytes({0x81, 0xc0, 1}), {.other_keys = OtherKeys::text}).code,
            ErrorCode::unsupported);
  EXPECT_EQ(read(bytes({0x81, 0xa1, 'k', 2}), {.other_keys = OtherKeys::map}),
            Value::object({{"k", 2}}));
}

TEST(MsgpackDecode, EqualKeysOfAMapAreOne) {
  // nil twice, 1 as an integer and as a float, 0 and -0.
  const Value map = read(bytes({0x86, 0xc0, 1, 0xc0, 2,    1,    3, 0xca, 0x3f, 0x80, 0,
                                0,    4,    0, 5,    0xca, 0x80, 0, 0,    0,    6}),
                         {.other_keys = OtherKeys::map});
  ASSERT_EQ(map.size(), 3u);
  EXPECT_TRUE(map.entries()[0].key.is_null());
  EXPECT_EQ(map.entries()[0].value, 2);
  EXPECT_EQ(map.entries()[1].key, 1);
  EXPECT_EQ(map.entries()[1].value, 4);
  EXPECT_EQ(map.entries()[2].key, 0);
  EXPECT_EQ(map.entries()[2].value, 6);
  // Arrays are never the same one.
  EXPECT_EQ(read(bytes({0x82, 0x90, 1, 0x90, 2}), {.other_keys = OtherKeys::map}).size(), 2u);
}

TEST(MsgpackDecode, KeysComeInTheOrderThatIsAsked) {
  const Bytes in = bytes({0x83, 0xa1, 'b', 1, 0xa2, '1', '0', 2, 0xa1, '9', 3});
  EXPECT_EQ(read(in), Value::object({{"b", 1}, {"10", 2}, {"9", 3}}));
  EXPECT_EQ(read(in, {.key_order = KeyOrder::javascript}),
            Value::object({{"9", 3}, {"10", 2}, {"b", 1}}));
}

TEST(MsgpackDecode, ExtensionsAreRefusedUnlessTimestampsAreAllowed) {
  const Bytes timestamp32 = bytes({0xd6, 0xff, 0, 0, 0, 1});
  const DecodeOptions allowed{.extensions = Extensions::timestamp};
  EXPECT_EQ(error_of(timestamp32).code, ErrorCode::unsupported);
  EXPECT_EQ(error_of(bytes({0xd4, 5, 0}), allowed).code, ErrorCode::unsupported);
  EXPECT_EQ(error_of(bytes({0xc7, 0, 5}), allowed).code, ErrorCode::unsupported);
  EXPECT_EQ(read(timestamp32, allowed), Value::date(1000));
  // 64 bits: 30 of nanoseconds, 34 of seconds.
  EXPECT_EQ(read(bytes({0xd7, 0xff, 0x77, 0x35, 0x94, 0, 0, 0, 0, 2}), allowed), Value::date(2500));
  EXPECT_EQ(read(bytes({0xc7, 12, 0xff, 0x1d, 0xcd, 0x65, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                        0xff, 0xff}),
                 allowed),
            Value::date(-500));
  // A billion nanoseconds, and a length that no timestamp has.
  EXPECT_EQ(
      error_of(bytes({0xc7, 12, 0xff, 0x3b, 0x9a, 0xca, 0, 0, 0, 0, 0, 0, 0, 0, 0}), allowed).code,
      ErrorCode::malformed);
  EXPECT_EQ(error_of(bytes({0xd5, 0xff, 0, 0}), allowed).code, ErrorCode::malformed);
  // Past what a Date can hold.
  EXPECT_TRUE(std::isnan(
      read(bytes({0xc7, 12, 0xff, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
           allowed)
          .date_ms()));
}

TEST(MsgpackDecode, TextIsUtf8WithLoneSurrogatesAtMost) {
  EXPECT_EQ(read(bytes({0xa3, 0xed, 0xa0, 0x80})), "\xed\xa0\x80");
  EXPECT_EQ(error_of(bytes({0xa2, 'a', 0xff})),
            (Error{ErrorCode::invalid_utf8, "bytes that are not UTF-8 at byte 2"}));
  EXPECT_EQ(error_of(bytes({0xa6, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80})).code,
            ErrorCode::invalid_utf8);
  EXPECT_EQ(error_of(bytes({0xd9, 40}) + Bytes(39, 'x') + bytes({0xc3})).code,
            ErrorCode::invalid_utf8);
}

TEST(MsgpackDecode, RefusesWhatIsNoValue) {
  EXPECT_EQ(error_of({}), (Error{ErrorCode::truncated, "value without its end at byte 0"}));
  EXPECT_EQ(error_of(bytes({0xc1})).code, ErrorCode::malformed);
  EXPECT_EQ(error_of(bytes({0x91, 0xc1})),
            (Error{ErrorCode::malformed, "the byte 0xc1 begins no value at byte 1"}));
  EXPECT_EQ(error_of(bytes({1, 2})),
            (Error{ErrorCode::malformed, "bytes after the value at byte 1"}));
}

TEST(MsgpackDecode, EveryCutOfAMessageIsTruncated) {
  const Value value = Value::object(
      {{"text", "long enough for a length of its own, I think"},
       {"list", Value::array({1, -200, 70000, 1e100, nullptr, Value::bytes(Bytes(300, 1))})},
       {"when", Value::date(1.5)}});
  const Bytes whole = *encode(value, {.extensions = Extensions::timestamp});
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
    EXPECT_EQ(error_of(part, {.extensions = Extensions::timestamp}).code, ErrorCode::truncated)
        << cut;
  }
}

TEST(MsgpackDecode, AHostileLengthIsRefusedAtOnce) {
  for (const int head : {0xdb, 0xc6, 0xdd, 0xdf, 0xc9}) {
    EXPECT_EQ(error_of(bytes({head, 0xff, 0xff, 0xff, 0xff, 1, 1})).code, ErrorCode::truncated);
  }
  // Nested heads, each of which promises what is left.
  Bytes nested;
  for (int i = 0; i < 900; ++i) nested = nested + bytes({0xdd, 0, 0, 0x0f, 0});
  nested.resize(nested.size() + 4000, 0xc0);
  EXPECT_EQ(error_of(nested).code, ErrorCode::truncated);
}

TEST(MsgpackDecode, LimitsDepthAndSize) {
  EXPECT_TRUE(decode(Bytes(1000, 0x91) + bytes({0xc0})).has_value());
  EXPECT_EQ(error_of(Bytes(1001, 0x91) + bytes({0xc0})).code, ErrorCode::too_deep);
  EXPECT_EQ(error_of(bytes({0x90}), {.max_depth = 0}).code, ErrorCode::too_deep);
  EXPECT_TRUE(decode(bytes({0x91, 1}), {.max_bytes = 2}).has_value());
  EXPECT_EQ(error_of(bytes({0x91, 1}), {.max_bytes = 1}).code, ErrorCode::too_large);
}

TEST(MsgpackDecode, AMillionLevelsTakeNoStack) {
  const Bytes deep = Bytes(1'000'000, 0x91) + bytes({0x90});
  const auto value = decode(deep, {.max_depth = 2'000'000});
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(encode(*value, {.max_depth = 2'000'000}), deep);
}

RC_GTEST_PROP(MsgpackDecode, ReadsBackWhatWasWritten, ()) {
  const Value value = *testing::arbitrary_json();
  const auto back = decode(*encode(value));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == value);
}

RC_GTEST_PROP(MsgpackDecode, ReadsBackBigintsThatFit, (std::int64_t number)) {
  const Value value = Value::bigint(number);
  const Value back = *decode(*encode(value));
  RC_ASSERT(*back.as<std::int64_t>() == number);
}

RC_GTEST_PROP(MsgpackDecode, AnyBytesAreReadOrRefused, (const Bytes& in)) {
  const DecodeOptions lenient{.other_keys = OtherKeys::map, .extensions = Extensions::timestamp};
  const auto value = decode(in, lenient);
  if (!value) return;
  const auto written = encode(*value, {.extensions = Extensions::timestamp});
  if (written) RC_ASSERT(*decode(*written, lenient) == *value);
}

Bytes array_of(std::size_t count, std::uint8_t element) {
  Bytes bytes = {0xdd};
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<std::uint8_t>(count >> shift));
  bytes.insert(bytes.end(), count, element);
  return bytes;
}

TEST(MsgpackDecode, LimitsElementsInAll) {
  const Bytes nils = array_of(1000, 0xc0);
  EXPECT_TRUE(decode(nils, {.max_elements = 1000}).has_value());
  const Result<Value> refused = decode(nils, {.max_elements = 999});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_EQ(decode(array_of(1000, 0x91), {.max_elements = 1200}).error().code,
            ErrorCode::truncated);
}

TEST(MsgpackDecode, TakesNoMoreMemoryThanItsBudgetHas) {
  const auto budget = std::make_shared<Budget>(Budget::Limits{.bytes = 1 << 20});
  const Result<Value> refused = decode(array_of(100'000, 0x80), {.budget = budget});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_EQ(budget->used(), 0u);
}

TEST(MsgpackDecode, RefusesEmptyMapsThatWouldFillTheHost) {
  const Result<Value> refused = decode(array_of(std::size_t{2} << 20, 0x80));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
}

// Each claims all that is left; one after the other they would take the product of both.
TEST(MsgpackDecode, RefusesNestedLengthsThatTogetherAreMoreThanTheInput) {
  Bytes bytes;
  for (int i = 0; i < 500; ++i) {
    const Bytes head = array_of(900'000, 0xc0);
    bytes.insert(bytes.end(), head.begin(), head.begin() + 5);
  }
  bytes.insert(bytes.end(), 1'000'000, 0xc0);
  const auto budget = std::make_shared<Budget>(Budget::Limits{});
  const Result<Value> refused = decode(bytes, {.budget = budget});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::truncated);
  EXPECT_LE(budget->peak(), 16 * bytes.size() + 65'536);
}

}  // namespace
}  // namespace cordon::msgpack
