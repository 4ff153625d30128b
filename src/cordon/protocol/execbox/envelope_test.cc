#include "cordon/protocol/execbox/envelope.h"

#include <string>

#include <gtest/gtest.h>

namespace cordon::execbox {
namespace {

std::optional<Envelope> envelope_of(std::string_view text) {
  EnvelopeScanner scanner;
  scanner.feed(text);
  return scanner.finish();
}

TEST(EnvelopeScanner, FindsTypeAndIdsWhereverTheyStand) {
  const auto first = envelope_of(R"({"type":"execute","id":"a","code":"{\"id\":\"no\"}"})");
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->type, "execute");
  EXPECT_EQ(first->id, "a");
  EXPECT_EQ(first->call_id, std::nullopt);

  const auto last = envelope_of(
      R"( { "result" : [{"type":"x","callId":"y"}, 1, true] , "callId" : "call-\u0031" , "type":"tool_result" } )");
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->type, "tool_result");
  EXPECT_EQ(last->call_id, "call-1");
}

TEST(EnvelopeScanner, GivesTheSameWhereverTheTextIsCut) {
  const std::string text = R"({"a":{"b":"\\\"}"},"id":"x\"y","n":-1.5e3,"type":"execute","z":[]})";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    SCOPED_TRACE(cut);
    EnvelopeScanner scanner;
    scanner.feed(std::string_view(text).substr(0, cut));
    scanner.feed(std::string_view(text).substr(cut));
    const auto envelope = scanner.finish();
    ASSERT_TRUE(envelope.has_value());
    EXPECT_EQ(envelope->type, "execute");
    EXPECT_EQ(envelope->id, "x\"y");
  }
}

TEST(EnvelopeScanner, FindsNothingInWhatIsNoWholeObject) {
  for (const char* text :
       {"", "x", "[]", "{}", "\"type\"", R"({"type":"execute","id":"a")", R"({"type":"execute"}})",
        R"({"type":"execute"} x)", R"({"type" "execute"})", R"({"type":"execute",,"id":"a"})",
        R"([{"type":"execute","id":"a"}])", R"({"type":"exec)", R"({"a":{"type":"execute"}})",
        R"({"type":5})", R"({"type":"a"}{"type":"b"})"}) {
    EXPECT_FALSE(envelope_of(text).has_value()) << text;
  }
}

TEST(EnvelopeScanner, TakesNoIdThatIsNoStringOrTooLongOrNotUtf8) {
  for (const std::string& id : {std::string("5"), std::string("null"), std::string("{\"id\":1}"),
                                "\"" + std::string(5000, 'x') + "\"", std::string("\"\xff\"")}) {
    const auto envelope = envelope_of(R"({"type":"execute","id":)" + id + "}");
    ASSERT_TRUE(envelope.has_value()) << id;
    EXPECT_EQ(envelope->id, std::nullopt) << id;
  }
}

TEST(EnvelopeScanner, TakesTheLastOfTwo) {
  const auto envelope = envelope_of(R"({"type":"execute","id":"a","id":"b"})");
  ASSERT_TRUE(envelope.has_value());
  EXPECT_EQ(envelope->id, "b");
}

}  // namespace
}  // namespace cordon::execbox
