#include "cordon/protocol/duplex/messages.h"

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/bytes.h"
#include "cordon/codec/msgpack/encode.h"
#include "cordon/protocol/duplex/frame_reader.h"

namespace cordon::duplex {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;
using namespace std::string_view_literals;

Result<Message> read(const Value& message) {
  const Result<Bytes> payload = msgpack::encode(message);
  EXPECT_TRUE(payload.has_value());
  return read_message(*payload, {});
}

ErrorCode reason_of(const Result<Message>& judged) {
  EXPECT_FALSE(judged.has_value()) << "it was accepted";
  return judged ? ErrorCode::exited : judged.error().code;
}

ErrorCode reason_of(std::string_view payload) {
  return reason_of(read_message(as_bytes(payload), {}));
}

Message there_and_back(const Message& message) {
  Bytes out;
  EXPECT_TRUE(write_message(out, message, {}).has_value());
  FrameReader reader(1 << 20);
  reader.feed(out);
  const auto payload = reader.next();
  EXPECT_TRUE(payload && *payload);
  EXPECT_EQ(reader.pending_bytes(), 0u);
  Result<Message> read = read_message(**payload, {});
  EXPECT_TRUE(read.has_value()) << read.error().message;
  return *read;
}

TEST(DuplexMessages, WritesTheBytesOfTheSpecification) {
  Bytes out;
  ASSERT_TRUE(write_function_call(out, "a1", "add", Value::array({1, 2}), true, {}));
  EXPECT_EQ(as_text(out),
            "\x01\0\0\0\x28\x84\xa4type\0\xa2id\xa2"
            "a1\xac"
            "functionName\xa3"
            "add\xa6params\x92\x01\x02"s);
}

TEST(DuplexMessages, EveryTypeComesBackAsItWent) {
  const auto call =
      std::get<FunctionCall>(there_and_back(FunctionCall{"a", "f", Value("x"), false}));
  EXPECT_EQ(call.id, "a");
  EXPECT_EQ(call.function_name, "f");
  EXPECT_EQ(call.params, "x");
  EXPECT_FALSE(call.expects_response);
  EXPECT_EQ(std::get<FunctionResponse>(there_and_back(FunctionResponse{"b", 3})).result, Value(3));
  EXPECT_EQ(std::get<FunctionError>(there_and_back(FunctionError{"c", "no"})).error, "no");
  EXPECT_EQ(std::get<StreamChunk>(there_and_back(StreamChunk{"d", nullptr})).chunk, nullptr);
  EXPECT_EQ(std::get<StreamEnd>(there_and_back(StreamEnd{"e"})).id, "e");
  const std::string long_text(100'000, 'x');
  EXPECT_EQ(std::get<StreamError>(there_and_back(StreamError{"f", long_text})).error, long_text);
}

TEST(DuplexMessages, WhatIsLeftOutIsUndefinedAndNilIsNull) {
  const auto call = std::get<FunctionCall>(there_and_back(FunctionCall{"a", "f"}));
  EXPECT_TRUE(call.params.is_undefined());
  EXPECT_TRUE(call.expects_response);
  EXPECT_TRUE(
      std::get<FunctionResponse>(there_and_back(FunctionResponse{"a"})).result.is_undefined());
  const auto null = there_and_back(FunctionResponse{"a", nullptr});
  EXPECT_TRUE(std::get<FunctionResponse>(null).result.is_null());
}

TEST(DuplexMessages, IntegersAreExactOverAll64Bits) {
  const Value largest = Value::bigint(std::numeric_limits<std::uint64_t>::max());
  const Value least = Value::bigint(std::numeric_limits<std::int64_t>::min());
  const Value both = Value::array({largest, least});
  EXPECT_EQ(std::get<FunctionResponse>(there_and_back(FunctionResponse{"a", both})).result, both);
}

TEST(DuplexMessages, UnknownFieldsAreIgnored) {
  const auto message = read(Value::object({{"more", 1}, {"type", 4}, {"id", "s"}}));
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(std::get<StreamEnd>(*message).id, "s");
}

TEST(DuplexMessages, WhatTheSchemaDoesNotAllowIsABadMessage) {
  const Value messages[] = {
      Value(1),
      Value("text"),
      Value::array({0, "a", "f"}),
      Value::object({}),
      Value::object({{"type", 6}, {"id", "a"}}),
      Value::object({{"type", -1}, {"id", "a"}}),
      Value::object({{"type", 1.5}, {"id", "a"}}),
      Value::object({{"type", "1"}, {"id", "a"}}),
      Value::object({{"type", 1}}),
      Value::object({{"type", 1}, {"id", 7}}),
      Value::object({{"type", 1}, {"id", nullptr}}),
      Value::object({{"type", 0}, {"id", "a"}}),
      Value::object({{"type", 0}, {"id", "a"}, {"functionName", 3}}),
      Value::object({{"type", 0}, {"id", "a"}, {"functionName", "f"}, {"expectsResponse", 1}}),
      Value::object(
          {{"type", 0}, {"id", "a"}, {"functionName", "f"}, {"expectsResponse", nullptr}}),
      Value::object({{"type", 2}, {"id", "a"}}),
      Value::object({{"type", 2}, {"id", "a"}, {"error", 3}}),
      Value::object({{"type", 3}, {"id", "a"}}),
      Value::object({{"type", 5}, {"id", "a"}}),
      Value::object(
          {{"type", 1}, {"id", "a"}, {"result", std::numeric_limits<double>::quiet_NaN()}}),
      Value::object(
          {{"type", 1}, {"id", "a"}, {"result", std::numeric_limits<double>::infinity()}}),
  };
  for (const Value& message : messages) {
    EXPECT_EQ(reason_of(read(message)), ErrorCode::bad_message) << debug_text(message);
  }
}

TEST(DuplexMessages, AnyExtensionIsABadMessage) {
  const std::string head =
      "\x83\xa4type\x01\xa2id\xa1"
      "a\xa6result"s;
  EXPECT_EQ(reason_of(head + "\xd6\xff\0\0\0\0"s), ErrorCode::bad_message);
  EXPECT_EQ(reason_of(head + "\xc7\x03\x05"
                             "abc"s),
            ErrorCode::bad_message);
  EXPECT_EQ(reason_of("\xd4\x01\x01"s), ErrorCode::bad_message);
}

TEST(DuplexMessages, WhatCannotBeDecodedIsABadFrame) {
  EXPECT_EQ(reason_of(""), ErrorCode::bad_frame);
  EXPECT_EQ(reason_of("\xc1"), ErrorCode::bad_frame);
  EXPECT_EQ(reason_of("\x82\xa4type"), ErrorCode::bad_frame);
  EXPECT_EQ(reason_of("\x82\xa4type\x04\xa2id\xa1"
                      "a\0"s),
            ErrorCode::bad_frame)
      << "a byte after it";
}

TEST(DuplexMessages, AKeyThatIsNoTextIsABadMessage) {
  const std::string end =
      "\xa4type\x04\xa2id\xa1"
      "a"s;
  for (const std::string& key : {"\x01"s, "\xff"s, "\xcb\x3f\xf8\0\0\0\0\0\0"s, "\xc0"s, "\xc3"s,
                                 "\xc4\x01k"s, "\x90"s, "\xcf\xff\xff\xff\xff\xff\xff\xff\xff"s}) {
    EXPECT_EQ(reason_of("\x83" + key + "\x01" + end), ErrorCode::bad_message);
    EXPECT_EQ(reason_of("\x83\xa1k\x81" + key + "\x01" + end), ErrorCode::bad_message)
        << "in a value";
  }
}

TEST(DuplexMessages, AKeyThatStandsTwiceIsABadMessage) {
  EXPECT_EQ(reason_of("\x83\xa4type\x04\xa2id\xa1"
                      "a\xa2id\xa1"
                      "a"s),
            ErrorCode::bad_message);
  EXPECT_EQ(reason_of("\x83\xa4type\x01\xa2id\xa1"
                      "a\xa6result\x82\xa1k\x01\xa1k\x02"s),
            ErrorCode::bad_message)
      << "in a value";
  // One key in two forms of MessagePack.
  EXPECT_EQ(reason_of("\x83\xa4type\x04\xa2id\xa1"
                      "a\xd9\x02id\xa1"
                      "a"s),
            ErrorCode::bad_message);
}

TEST(DuplexMessages, ATextThatIsNotUtf8IsABadMessage) {
  EXPECT_EQ(reason_of("\x82\xa4type\x04\xa2id\xa1\xff"s), ErrorCode::bad_message);
  EXPECT_EQ(reason_of("\x83\xa4type\x04\xa2id\xa1"
                      "a\xa1\x80\x01"s),
            ErrorCode::bad_message)
      << "a key";
}

TEST(DuplexMessages, ALoneSurrogateIsText) {
  const auto message = read_message(as_bytes("\x83\xa4type\x01\xa2id\xa1"
                                             "a\xa6result\xa3\xed\xa0\x80"sv),
                                    {});
  ASSERT_TRUE(message.has_value()) << message.error();
  EXPECT_EQ(std::get<FunctionResponse>(*message).result, "\xed\xa0\x80");
}

TEST(DuplexMessages, CountsBeyondTheBytesAreABadFrame) {
  for (const std::string& count :
       {"\xdd\xff\xff\xff\xff"s, "\xdf\xff\xff\xff\xff"s, "\xdb\xff\xff\xff\xff"s,
        "\xc6\xff\xff\xff\xff"s, "\x9f"s, "\xdc\x10\0"s}) {
    EXPECT_EQ(reason_of(count + "abc"), ErrorCode::bad_frame);
  }
}

TEST(DuplexMessages, OurOwnLimitsAreTooLarge) {
  std::string deep =
      "\x83\xa4type\x01\xa2id\xa1"
      "a\xa6result"s +
      std::string(2000, '\x91') + "\x01";
  EXPECT_EQ(reason_of(deep), ErrorCode::too_large);
  const Value long_id = Value::object({{"type", 4}, {"id", std::string(5000, 'x')}});
  EXPECT_EQ(reason_of(read(long_id)), ErrorCode::too_large);
}

TEST(DuplexMessages, AMessagePastTheFrameLimitIsNotWritten) {
  Bytes out = {7};
  const Limits limits{.frame_bytes = 100};
  const Result<> written = write_stream_chunk(out, "a", Value(std::string(100, 'x')), limits);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::too_large);
  EXPECT_EQ(out, Bytes{7});
}

TEST(DuplexMessages, ANumberThatIsNotFiniteIsNotWritten) {
  const Value params = Value::array({1, std::numeric_limits<double>::infinity()});
  Bytes out;
  const Result<> written = write_function_call(out, "a", "f", params, true, {});
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::serialization_error);
  EXPECT_THAT(written.error().message, HasSubstr("[1]"));
  EXPECT_TRUE(out.empty());
}

TEST(DuplexMessages, AWrongFieldIsNamed) {
  const auto message = read(Value::object({{"type", 2}, {"id", "a"}, {"error", 3}}));
  EXPECT_THAT(message.error().message, HasSubstr("`error` should be a string, and is 3"));
}

}  // namespace
}  // namespace cordon::duplex
