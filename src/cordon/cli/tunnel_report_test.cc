#include "cordon/cli/tunnel_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/builder.h"
#include "cordon/codec/rich/testing/stand_ins.h"

namespace cordon::cli {
namespace {

using testing::HasSubstr;
using transport::http::HttpFailure;

const rich::Serializer& serializer() {
  static const rich::StandInRegExps regexps;
  static const rich::Serializer made({}, regexps);
  return made;
}

Value cycle() {
  Builder builder;
  const ValueView self = builder.open(Kind::object);
  EXPECT_TRUE(builder.fill(self, {{"self", self}}));
  return builder.finish(self);
}

TEST(TunnelReport, TellsWhatTheServerSays) {
  const TunnelFailure failure = failure_of(tunnel::AnsweredFailure{.status = 500,
                                                                   .code = "INTERNAL_ERROR",
                                                                   .id = "app.errors.funds",
                                                                   .message = "too little",
                                                                   .data = Value::date(0),
                                                                   .request_id = "r-1"});
  EXPECT_EQ(failure.exit_code, exit_failed);
  EXPECT_EQ(failure_text(failure), "INTERNAL_ERROR (app.errors.funds): too little");
  EXPECT_EQ(failure_json(failure, serializer()),
            R"({"ok":false,"error":{"code":"INTERNAL_ERROR","message":"too little","status":500,)"
            R"("id":"app.errors.funds",)"
            R"("data":{"__type":"Date","value":"1970-01-01T00:00:00.000Z"},"requestId":"r-1"}})");
  // A server that names no code has its error's id, or none.
  EXPECT_EQ(failure_text(failure_of(tunnel::AnsweredFailure{.id = "a", .message = "m"})), "a: m");
  EXPECT_EQ(failure_text(failure_of(tunnel::AnsweredFailure{.message = "m"})), "error: m");
}

TEST(TunnelReport, TellsThatItWasInterrupted) {
  EXPECT_EQ(interrupted_failure().exit_code, exit_interrupted);
  EXPECT_EQ(failure_json(interrupted_failure(), serializer()),
            R"({"ok":false,"error":{"code":"cancelled","message":"it was interrupted"}})");
}

TEST(TunnelReport, LeavesOutWhatIsNotThere) {
  const TunnelFailure failure{.code = "timeout", .message = "it took longer than 5 ms"};
  EXPECT_EQ(failure_json(failure, serializer()),
            R"({"ok":false,"error":{"code":"timeout","message":"it took longer than 5 ms"}})");
  EXPECT_THAT(failure_json({.code = "C", .message = "m", .data = Value(nullptr)}, serializer()),
              HasSubstr(R"("data":null)"));
}

TEST(TunnelReport, HasNoControlCharacters) {
  const TunnelFailure failure{
      .code = "A\x1b[2J", .message = "a\tb\nc\r\x7f\u009bd\u202e", .id = "i\x07"};
  for (const std::string& told : {failure_text(failure), failure_json(failure, serializer())}) {
    EXPECT_THAT(told, testing::Not(testing::ContainsRegex("[\x01-\x1f\x7f]"))) << told;
    EXPECT_EQ(told.find("\u009b"), std::string::npos);
    EXPECT_EQ(told.find("\u202e"), std::string::npos);
  }
  EXPECT_EQ(failure_text(failure), R"(A\x1b[2J (i\x07): a\x09b\x0ac\x0d\x7f\x9bd\u202e)");
}

TEST(TunnelReport, TellsWhatIsNoAnswer) {
  using Why = tunnel::BadAnswer::Why;
  const auto told = [](const TunnelFailure& failure) {
    EXPECT_EQ(failure.exit_code, exit_violated);
    return failure_text(failure);
  };
  EXPECT_THAT(told(failure_of(tunnel::Redirect{.status = 302, .location = "http://b/"})),
              testing::StartsWith("redirect: status 302 to http://b/"));
  EXPECT_EQ(told(failure_of(tunnel::BadAnswer{Why::malformed, 200, "m"})), "bad_response: m");
  EXPECT_EQ(told(failure_of(tunnel::BadAnswer{Why::too_large, 200, "m"})), "too_large: m");
  EXPECT_EQ(told(failure_of(tunnel::BadAnswer{Why::no_envelope, 404, "m"})),
            "bad_response: m; is the URL the base of a tunnel?");
  EXPECT_EQ(failure_of(tunnel::BadAnswer{Why::malformed, 0, "m"}).status, std::nullopt);
}

TEST(TunnelReport, HasACodeAndAnExitCodeForEachFailureOfTheConnection) {
  const auto told = [](HttpFailure why) {
    const TunnelFailure failure = failure_of(transport::http::HttpError{.why = why});
    return failure.code + " " + std::to_string(failure.exit_code);
  };
  EXPECT_EQ(told(HttpFailure::unreachable), "unreachable 2");
  EXPECT_EQ(told(HttpFailure::timeout), "timeout 2");
  EXPECT_EQ(told(HttpFailure::tls), "tls 2");
  EXPECT_EQ(told(HttpFailure::bad_response), "bad_response 2");
  EXPECT_EQ(told(HttpFailure::truncated), "truncated 2");
  EXPECT_EQ(told(HttpFailure::too_large), "too_large 2");
  EXPECT_EQ(told(HttpFailure::bad_request), "invalid_argument 64");
  EXPECT_EQ(told(HttpFailure::body_failed), "io 70");
  EXPECT_EQ(told(HttpFailure::overloaded), "internal_error 70");
  EXPECT_EQ(told(HttpFailure::cancelled), "internal_error 70");
}

TEST(TunnelReport, WritesResultsAsRunnerText) {
  EXPECT_EQ(runner_text(Value::date(0), serializer()),
            R"({"__type":"Date","value":"1970-01-01T00:00:00.000Z"})");
  EXPECT_EQ(result_json(Value(3), serializer()), R"({"ok":true,"result":3})");
  EXPECT_EQ(result_json(Value(), serializer()), R"({"ok":true})");
  EXPECT_EQ(stream_json(1'000'000'000'000), R"({"ok":true,"bytes":1000000000000})");
  // A program finds `ok` whatever the result is.
  const Result<std::string> graph = result_json(cycle(), serializer());
  EXPECT_THAT(*graph, testing::StartsWith(R"({"ok":true,"result":{"__graph":true,)"));
  const std::string text = runner_text(cycle(), serializer()).value();
  EXPECT_NE(serializer().parse(text)->find("self").identity(), nullptr);
}

TEST(TunnelReport, WritesWhatIsSharedManyTimesAsAGraph) {
  Builder builder;
  ValueView value = builder.object({});
  for (int i = 0; i < 60; ++i) value = builder.object({{"a", value}, {"b", value}});
  const Result<std::string> text = runner_text(builder.finish(value), serializer());
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, testing::StartsWith(R"({"__graph":true)"));
  EXPECT_LT(text->size(), 10'000u);
}

}  // namespace
}  // namespace cordon::cli
