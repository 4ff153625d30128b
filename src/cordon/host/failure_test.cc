#include "cordon/host/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using testing::HasSubstr;

js::Thrown thrown(std::string name, std::string message, std::string stack = {}) {
  js::Thrown made;
  made.error = {std::move(name), std::move(message), std::move(stack)};
  return made;
}

TEST(Failure, OfAToolHasTheCodeThatExecboxGivesIt) {
  EXPECT_EQ(failure_of({ErrorCode::tool_error, "x"}).code, ErrorCode::tool_error);
  EXPECT_EQ(failure_of({ErrorCode::invalid_argument, "x"}).code, ErrorCode::validation_error);
  EXPECT_EQ(failure_of({ErrorCode::type_mismatch, "x"}).code, ErrorCode::validation_error);
  EXPECT_EQ(failure_of({ErrorCode::serialization_error, "x"}).code, ErrorCode::serialization_error);
  EXPECT_EQ(failure_of({ErrorCode::timeout, "x"}).code, ErrorCode::timeout);
  EXPECT_EQ(failure_of({ErrorCode::internal_error, "x"}).code, ErrorCode::internal_error);
  EXPECT_EQ(failure_of({ErrorCode::io, "x"}).code, ErrorCode::tool_error);
  EXPECT_EQ(failure_of({ErrorCode::io, "disk on fire"}).message, "disk on fire");
}

TEST(Failure, OfAProgramIsARuntimeErrorWhateverItsWordsSay) {
  for (const char* word : {"timeout", "memory_limit", "Execution timed out", "out of memory",
                           "cancelled", "internal_error", "sandbox_error"}) {
    const ExecutionError error = error_of(thrown(word, word), CallLedger());
    EXPECT_EQ(error.code, ErrorCode::runtime_error) << word;
    EXPECT_EQ(error.message, word);
    EXPECT_EQ(error.name, word);
  }
}

TEST(Failure, HasThePlaceFromTheStack) {
  const ExecutionError error =
      error_of(thrown("TypeError", "no", "    at f (main.js:3:9)\n    at <eval> (main.js:7:1)\n"),
               CallLedger());
  ASSERT_TRUE(error.location.has_value());
  EXPECT_EQ(error.location->file, "main.js");
  EXPECT_EQ(error.location->line, 3u);
  EXPECT_EQ(error.location->column, 9u);
  EXPECT_FALSE(error_of(thrown("Error", "no", "nonsense"), CallLedger()).location.has_value());
}

TEST(Failure, KeepsTheChainOfCauses) {
  js::Thrown with_causes = thrown("Error", "top");
  with_causes.causes = {{"TypeError", "middle", "stack"}, {"", "bottom", ""}};
  const ExecutionError error = error_of(with_causes, CallLedger());
  ASSERT_EQ(error.causes.size(), 2u);
  EXPECT_EQ(error.causes[0].name, "TypeError");
  EXPECT_EQ(error.causes[1].message, "bottom");
}

TEST(Failure, IsASyntaxErrorOnlyWhereTheTextDidNotParse) {
  js::Thrown parsed = thrown("SyntaxError", "unexpected");
  EXPECT_EQ(error_of(parsed, CallLedger()).code, ErrorCode::runtime_error);
  parsed.is_syntax_error = true;
  EXPECT_EQ(error_of(parsed, CallLedger()).code, ErrorCode::syntax_error);
  parsed.error.name = "ReferenceError";  // an import that cannot be found
  EXPECT_EQ(error_of(parsed, CallLedger()).code, ErrorCode::runtime_error);
}

TEST(Failure, OfACallHasTheHostsOwnWords) {
  CallLedger calls;
  const Error failure{ErrorCode::validation_error, "amount is no number"};
  calls.open(7, "shop", "price", 0, Value::object({{"amount", "x"}}), {}, {});
  calls.close(7, 0, &failure, {});
  js::Thrown forged = thrown("Forged", "Execution timed out");
  forged.failed_call = 7;
  ExecutionError error = error_of(forged, calls);
  EXPECT_EQ(error.code, ErrorCode::validation_error);
  EXPECT_EQ(error.message, "amount is no number");

  forged.failed_call = 8;  // a call that never failed
  error = error_of(forged, calls);
  EXPECT_EQ(error.code, ErrorCode::runtime_error);
  EXPECT_EQ(error.message, "Execution timed out");
}

TEST(Failure, OfARefusedInputIsASerializationError) {
  js::Thrown refused = thrown("Error", "anything");
  refused.is_refused_input = true;
  const ExecutionError error = error_of(refused, CallLedger());
  EXPECT_EQ(error.code, ErrorCode::serialization_error);
  EXPECT_EQ(error.message, "Guest code returned a non-serializable value");
}

TEST(Failure, OfAResultSaysWhatWasRefusedAndWhere) {
  const ExecutionError error = error_of(js::Unserializable{"a function", "a[1].deep"});
  EXPECT_EQ(error.code, ErrorCode::serialization_error);
  EXPECT_EQ(error.message, "Guest code returned a non-serializable value");
  EXPECT_EQ(error.reason, "a function");
  EXPECT_EQ(error.place, "a[1].deep");
}

TEST(Failure, OfASandboxIsToldByWhatTheHostSaw) {
  const Limits limits{.memory_bytes = 1234};
  const ExecutionError memory = error_of(js::GuestEnd::memory_limit, "", limits);
  EXPECT_EQ(memory.code, ErrorCode::memory_limit);
  EXPECT_THAT(memory.message, HasSubstr("1234"));
  EXPECT_EQ(error_of(js::GuestEnd::stack_overflow, "", limits).code, ErrorCode::stack_overflow);
  for (const js::GuestEnd end : {js::GuestEnd::trap, js::GuestEnd::violation}) {
    const ExecutionError broken = error_of(end, "unreachable", limits);
    EXPECT_EQ(broken.code, ErrorCode::sandbox_error);
    EXPECT_THAT(broken.message, HasSubstr("unreachable"));
  }
}

TEST(Failure, OfTheHostHasItsOwnCodes) {
  EXPECT_EQ(timed_out().code, ErrorCode::timeout);
  EXPECT_EQ(timed_out().message, "Execution timed out");
  EXPECT_EQ(cancelled().code, ErrorCode::cancelled);
  EXPECT_EQ(overloaded("full").code, ErrorCode::overloaded);
  EXPECT_EQ(overloaded("full").message, "full");
  EXPECT_EQ(internal_error("oh").code, ErrorCode::internal_error);
  EXPECT_EQ(error_of_start({ErrorCode::overloaded, "full"}).code, ErrorCode::overloaded);
  EXPECT_EQ(error_of_start({ErrorCode::serialization_error, "a date"}).code,
            ErrorCode::serialization_error);
  EXPECT_EQ(error_of_start({ErrorCode::io, "odd"}).code, ErrorCode::internal_error);
}

}  // namespace
}  // namespace cordon::host
