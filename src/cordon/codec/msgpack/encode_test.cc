#include "cordon/codec/msgpack/encode.h"

#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/codec/msgpack/testing/bytes_of.h"
#include "cordon/value/value_builder.h"

namespace cordon::msgpack {
namespace {

Bytes written(const Value& value, const EncodeOptions& options = {}) {
  auto out = encode(value, options);
  EXPECT_TRUE(out.has_value()) << out.error();
  return out.value_or(Bytes{0xc1});
}

Error error_of(const Value& value, const EncodeOptions& options = {}) {
  Bytes out = {42};
  const auto result = encode_to(out, value, options);
  EXPECT_FALSE(result.has_value());
  EXPECT_EQ(out, Bytes{42});
  return result ? Error{} : result.error();
}

TEST(MsgpackEncode, IntegersTakeTheirSmallestForm) {
  EXPECT_EQ(written(0), bytes({0}));
  EXPECT_EQ(written(127), bytes({0x7f}));
  EXPECT_EQ(written(128), bytes({0xcc, 0x80}));
  EXPECT_EQ(written(255), bytes({0xcc, 0xff}));
  EXPECT_EQ(written(256), bytes({0xcd, 1, 0}));
  EXPECT_EQ(written(65536), bytes({0xce, 0, 1, 0, 0}));
  EXPECT_EQ(written(4294967296.0), bytes({0xcf, 0, 0, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(written(-1), bytes({0xff}));
  EXPECT_EQ(written(-32), bytes({0xe0}));
  EXPECT_EQ(written(-33), bytes({0xd0, 0xdf}));
  EXPECT_EQ(written(-128), bytes({0xd0, 0x80}));
  EXPECT_EQ(written(-129), bytes({0xd1, 0xff, 0x7f}));
  EXPECT_EQ(written(-32769), bytes({0xd2, 0xff, 0xff, 0x7f, 0xff}));
  EXPECT_EQ(written(-2147483649.0), bytes({0xd3, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff}));
}

TEST(MsgpackEncode, NumbersThatAreNoSafeIntegersAreFloats) {
  EXPECT_EQ(written(-0.0), bytes({0}));
  EXPECT_EQ(written(0.5), bytes({0xcb, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(written(9007199254740992.0), bytes({0xcb, 0x43, 0x40, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()),
            bytes({0xcb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0}));
}

TEST(MsgpackEncode, BigintsThatFit64BitsAreIntegersAndLargerOnesAreRefused) {
  EXPECT_EQ(written(Value::bigint(5)), bytes({5}));
  EXPECT_EQ(written(Value::bigint(-5)), bytes({0xfb}));
  EXPECT_EQ(written(Value::bigint(std::numeric_limits<std::uint64_t>::max())),
            bytes({0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
  EXPECT_EQ(written(Value::bigint(std::numeric_limits<std::int64_t>::min())),
            bytes({0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0}));
  for (const char* large : {"18446744073709551616", "-9223372036854775809"}) {
    EXPECT_EQ(error_of(Value::object({{"n", *Value::bigint(large)}})),
              (Error{ErrorCode::serialization_error,
                     "a bigint past 64 bits has no MessagePack form, at n"}));
  }
}

TEST(MsgpackEncode, LengthsTakeTheirSmallestForm) {
  const auto head = [](const Value& value, std::size_t size) {
    Bytes out = written(value);
    out.resize(size);
    return out;
  };
  EXPECT_EQ(written(""), bytes({0xa0}));
  EXPECT_EQ(head(std::string(31, 'x'), 2), bytes({0xbf, 'x'}));
  EXPECT_EQ(head(std::string(32, 'x'), 2), bytes({0xd9, 32}));
  EXPECT_EQ(head(std::string(256, 'x'), 3), bytes({0xda, 1, 0}));
  EXPECT_EQ(head(std::string(65536, 'x'), 5), bytes({0xdb, 0, 1, 0, 0}));
  EXPECT_EQ(written(Value::bytes({})), bytes({0xc4, 0}));
  EXPECT_EQ(head(Value::bytes(Bytes(255)), 2), bytes({0xc4, 255}));
  EXPECT_EQ(head(Value::bytes(Bytes(256)), 3), bytes({0xc5, 1, 0}));
  EXPECT_EQ(head(Value::bytes(Bytes(65536)), 5), bytes({0xc6, 0, 1, 0, 0}));
  EXPECT_EQ(head(Value::array_from(std::vector<Value>(15)), 1), bytes({0x9f}));
  EXPECT_EQ(head(Value::array_from(std::vector<Value>(16)), 3), bytes({0xdc, 0, 16}));
  EXPECT_EQ(head(Value::array_from(std::vector<Value>(65536)), 5), bytes({0xdd, 0, 1, 0, 0}));
  std::vector<std::string> keys;
  for (int i = 0; i < 65536; ++i) keys.push_back(std::to_string(i));
  std::vector<Value::Field> fields;
  for (const std::string& key : keys) fields.push_back({key, 1});
  EXPECT_EQ(head(Value::object_from(std::span(fields).first(15)), 1), bytes({0x8f}));
  EXPECT_EQ(head(Value::object_from(std::span(fields).first(16)), 3), bytes({0xde, 0, 16}));
  EXPECT_EQ(head(Value::object_from(fields), 5), bytes({0xdf, 0, 1, 0, 0}));
}

TEST(MsgpackEncode, WritesEveryKindThatHasAForm) {
  EXPECT_EQ(written(nullptr), bytes({0xc0}));
  EXPECT_EQ(written(Value()), bytes({0xc0}));
  EXPECT_EQ(written(Value::array({true, false, Value()})), bytes({0x93, 0xc3, 0xc2, 0xc0}));
  EXPECT_EQ(written(Value::object({{"a", Value()}})), bytes({0x81, 0xa1, 'a', 0xc0}));
  for (const Kind kind : {Kind::array_buffer, Kind::data_view, Kind::buffer}) {
    EXPECT_EQ(written(Value::bytes(bytes({1, 2}), kind)), bytes({0xc4, 2, 1, 2}));
  }
  EXPECT_EQ(written(Value::typed_array(ElementType::int16, bytes({1, 2}))), bytes({0xc4, 2, 1, 2}));
  ValueBuilder builder;
  const Entry entries[] = {{1, 2}, {nullptr, true}};
  EXPECT_EQ(written(builder.finish(builder.map(entries))), bytes({0x82, 1, 2, 0xc0, 0xc3}));
}

TEST(MsgpackEncode, DatesAreTimestampsWhereExtensionsAreAllowed) {
  const EncodeOptions allowed{.extensions = Extensions::timestamp};
  EXPECT_EQ(written(Value::date(1000), allowed), bytes({0xd6, 0xff, 0, 0, 0, 1}));
  EXPECT_EQ(written(Value::date(2500), allowed),
            bytes({0xd7, 0xff, 0x77, 0x35, 0x94, 0, 0, 0, 0, 2}));
  EXPECT_EQ(written(Value::date(-500), allowed),
            bytes({0xc7, 12, 0xff, 0x1d, 0xcd, 0x65, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                   0xff}));
  EXPECT_EQ(error_of(Value::date(0)).code, ErrorCode::serialization_error);
  EXPECT_EQ(error_of(Value::date(std::numeric_limits<double>::quiet_NaN()), allowed).code,
            ErrorCode::serialization_error);
}

TEST(MsgpackEncode, RefusesWhatHasNoFormAndNamesThePlace) {
  ValueBuilder builder;
  const ValueView set = builder.set({});
  const ValueView list[] = {1, set};
  const Member members[] = {{builder.string("a b"), builder.array(list)}};
  const Value value = builder.finish(builder.object(members));
  EXPECT_EQ(error_of(value), (Error{ErrorCode::serialization_error,
                                    "set has no MessagePack form, at [\"a b\"][1]"}));
  EXPECT_EQ(error_of(Value::error("Error", "x")).code, ErrorCode::serialization_error);
}

TEST(MsgpackEncode, RefusesCycles) {
  ValueBuilder builder;
  const ValueView list = builder.open(Kind::array);
  const ValueView items[] = {1, list};
  builder.fill(list, items);
  const Value value = builder.finish(list);
  EXPECT_EQ(error_of(value), (Error{ErrorCode::cyclic, "a cycle has no MessagePack form, at [1]"}));
}

TEST(MsgpackEncode, ASharedNodeIsWrittenEachTime) {
  const Value shared = Value::array({1});
  EXPECT_EQ(written(Value::array({shared, shared})), bytes({0x92, 0x91, 1, 0x91, 1}));
}

TEST(MsgpackEncode, StopsAtItsLimits) {
  EXPECT_EQ(written(Value::array({1, 2}), {.max_bytes = 3}), bytes({0x92, 1, 2}));
  EXPECT_EQ(error_of(Value::array({1, 2}), {.max_bytes = 2}).code, ErrorCode::too_large);
  EXPECT_EQ(error_of(std::string(100, 'x'), {.max_bytes = 101}).code, ErrorCode::too_large);
  EXPECT_EQ(error_of(Value::array({Value::array({})}), {.max_depth = 1}),
            (Error{ErrorCode::too_deep, "nested too deeply, at [0]"}));
  // Forty levels, each of which holds the next one twice: a terabyte, were it written.
  Value doubled = Value::array({1});
  for (int i = 0; i < 40; ++i) doubled = Value::array({doubled, doubled});
  EXPECT_EQ(error_of(doubled, {.max_bytes = 1 << 20}).code, ErrorCode::too_large);
}

}  // namespace
}  // namespace cordon::msgpack
