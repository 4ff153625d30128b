#include "cordon/js/outcome.h"

#include <string>

#include "guest/abi.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/utf8.h"
#include "cordon/base/writer.h"

namespace cordon::js {
namespace {

void put_text(Writer& out, std::string_view text) {
  out.u32(static_cast<std::uint32_t>(text.size()));
  out.text(text);
}

void put_error(Writer& out, std::string_view name, std::string_view message,
               std::string_view stack) {
  put_text(out, name);
  put_text(out, message);
  put_text(out, stack);
}

Bytes thrown_message(std::uint8_t kind, std::uint64_t call, std::uint32_t causes,
                     std::uint32_t written_causes) {
  Bytes bytes;
  Writer out(bytes);
  out.u8(kind);
  out.u64(call);
  put_error(out, "TypeError", "no", "    at f (main.js:1:2)");
  out.u32(causes);
  for (std::uint32_t i = 0; i < written_causes; ++i) put_error(out, "Error", "cause", "");
  Bytes refused;
  if (call == CALL_REFUSED) {
    Writer part(refused);
    part.u8(REFUSED_FUNCTION);
    put_text(part, "a[1]");
    put_text(part, "");
  }
  out.u32(static_cast<std::uint32_t>(refused.size()));
  out.bytes(refused);
  put_text(out, "prise");
  out.u8(1);
  out.u32(1);
  put_text(out, "price");
  return bytes;
}

Result<Outcome> read(const Bytes& bytes) {
  Reader in(bytes);
  return read_outcome(in, {});
}

Unserializable refusal(std::uint8_t why, std::string_view place, std::string_view more) {
  Bytes bytes;
  Writer out(bytes);
  out.u8(OUTCOME_SERIALIZATION);
  out.u8(why);
  put_text(out, place);
  put_text(out, more);
  return std::get<Unserializable>(read(bytes).value());
}

TEST(Outcome, IsAValue) {
  const Outcome outcome = read({OUTCOME_VALUE, TAG_INT32, 42, 0, 0, 0}).value();
  EXPECT_EQ(std::get<Value>(outcome), Value(42));
}

TEST(Outcome, IsWhatWasThrownWithItsCauses) {
  const Thrown thrown = std::get<Thrown>(read(thrown_message(OUTCOME_THROWN, 0, 2, 2)).value());
  EXPECT_FALSE(thrown.is_syntax_error);
  EXPECT_FALSE(thrown.is_refused_input);
  EXPECT_EQ(thrown.failed_call, 0u);
  EXPECT_EQ(thrown.error.name, "TypeError");
  EXPECT_EQ(thrown.error.message, "no");
  EXPECT_EQ(thrown.error.stack, "    at f (main.js:1:2)");
  ASSERT_EQ(thrown.causes.size(), 2u);
  EXPECT_EQ(thrown.causes[1].message, "cause");
}

TEST(Outcome, TellsATextThatDoesNotParse) {
  EXPECT_TRUE(
      std::get<Thrown>(read(thrown_message(OUTCOME_SYNTAX, 0, 0, 0)).value()).is_syntax_error);
}

TEST(Outcome, NamesTheCallOrTheRefusedInput) {
  const Thrown failed =
      std::get<Thrown>(read(thrown_message(OUTCOME_THROWN, 1 << 20, 0, 0)).value());
  EXPECT_EQ(failed.failed_call, 1u << 20);
  EXPECT_FALSE(failed.is_refused_input);
  const Thrown refused =
      std::get<Thrown>(read(thrown_message(OUTCOME_THROWN, CALL_REFUSED, 0, 0)).value());
  EXPECT_TRUE(refused.is_refused_input);
  EXPECT_EQ(refused.refused_input.reason, "a function");
  EXPECT_EQ(refused.refused_input.place, "a[1]");
}

TEST(Outcome, SaysInWordsWhyAValueCannotLeave) {
  EXPECT_EQ(refusal(REFUSED_BIGINT, "", "").reason, "a bigint");
  EXPECT_EQ(refusal(REFUSED_FUNCTION, "a[1].deep", "").place, "a[1].deep");
  EXPECT_EQ(refusal(REFUSED_FUNCTION, "", "").reason, "a function");
  EXPECT_EQ(refusal(REFUSED_SYMBOL, "", "").reason, "a symbol");
  EXPECT_EQ(refusal(REFUSED_NUMBER, "", "").reason, "a number that is not finite");
  EXPECT_EQ(refusal(REFUSED_CYCLE, "", "").reason, "a cycle");
  EXPECT_EQ(refusal(REFUSED_OBJECT, "", "Date").reason, "an object of class Date");
  EXPECT_EQ(refusal(REFUSED_INSTANCE, "", "").reason, "an instance of a class");
  EXPECT_EQ(refusal(REFUSED_DEPTH, "", "").reason, "nested too deeply");
  EXPECT_EQ(refusal(REFUSED_SIZE, "", "").reason, "too large");
  EXPECT_EQ(refusal(REFUSED_GETTER, "", "Error: no").reason, "reading it threw Error: no");
  EXPECT_FALSE(refusal(200, "", "").reason.empty()) << "a reason that we do not know";
}

TEST(Outcome, MakesTheGuestsTextWellFormed) {
  const Unserializable refused = refusal(REFUSED_OBJECT, "a\xFF", "\xC0");
  EXPECT_TRUE(is_wtf8(refused.place));
  EXPECT_TRUE(is_wtf8(refused.reason));
}

TEST(Outcome, IsRefusedWhereItIsCutOrTooLongAtAnyPlace) {
  const Bytes whole = thrown_message(OUTCOME_THROWN, 7, 1, 1);
  ASSERT_TRUE(read(whole).has_value());
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
    EXPECT_FALSE(read(part).has_value()) << cut;
  }
  Bytes longer = whole;
  longer.push_back(0);
  EXPECT_FALSE(read(longer).has_value()) << "bytes after the end";
}

TEST(Outcome, IsRefusedWhereItsKindIsUnknownOrItsCausesAreTooMany) {
  EXPECT_EQ(read({4}).error().code, ErrorCode::protocol_violation);
  EXPECT_EQ(read({255}).error().code, ErrorCode::protocol_violation);
  EXPECT_EQ(read(thrown_message(OUTCOME_THROWN, 0, 17, 17)).error().code, ErrorCode::too_large);
  EXPECT_FALSE(read(thrown_message(OUTCOME_THROWN, 0, 0xFFFFFFFF, 0)).has_value());
  EXPECT_FALSE(read(thrown_message(OUTCOME_THROWN, 0, 3, 1)).has_value());
}

TEST(LocationOf, IsTheInnermostFrameThatNamesALine) {
  EXPECT_EQ(location_of("    at <input>:1:2\n    at parse (native)\n    at <eval> (main.js:7:1)\n"),
            (Location{"main.js", 7, 1}));
  EXPECT_EQ(location_of("    at f (main.js:3:9)\n    at <eval> (main.js:7:1)\n"),
            (Location{"main.js", 3, 9, "f"}));
  EXPECT_EQ(location_of("    at main.js:2:11"), (Location{"main.js", 2, 11}));
  EXPECT_EQ(location_of("    at map (native)\n    at f (main.js:4:5)"),
            (Location{"main.js", 4, 5, "f"}));
  EXPECT_EQ(location_of("    at f (a:b:c.js:1:2)"), (Location{"a:b:c.js", 1, 2, "f"}));
  EXPECT_EQ(location_of("    at g ((odd).js:1:2)").has_value(), true);
}

TEST(LocationOf, IsNothingWhereNoFrameNamesOne) {
  for (const char* stack :
       {"", "\n\n", "nonsense", "    at map (native)", "    at f (main.js)", "    at f (main.js:1)",
        "    at f (main.js:a:b)", "    at f (main.js::)", "    at f (:)", "at", ")", "()", "at )",
        "    at f (main.js:99999999999:1)", "    at f (main.js:-1:1)", "    at f (main.js:1: 2)"}) {
    EXPECT_FALSE(location_of(stack).has_value()) << stack;
  }
}

}  // namespace
}  // namespace cordon::js
