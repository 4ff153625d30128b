// Tools that take and give all kinds of Value in programs whose rule is a stricter one, and
// failures that have a type.

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/engine.h"

namespace cordon {
namespace {

using testing::HasSubstr;

// `echo` gives back what it gets, and so does every name of the open one.
Provider remote() {
  return Provider("remote")
      .add("echo", [](Value input) -> Result<Value> { return input; })
      .add_any([](const std::string&, Value input, Reply reply) { reply(std::move(input)); })
      .take_all_values();
}

Provider plain() {
  return Provider("plain")
      .add("echo", [](Value input) -> Result<Value> { return input; })
      .add("date", [](const Value&) -> Result<Value> { return Value::date(5); });
}

class AllValues : public testing::TestWithParam<ValueRule> {
 protected:
  Engine engine = *Engine::create_one_shot();

  Report run(std::string_view code, ExecuteOptions options = {}) {
    options.providers = {plain(), remote()};
    options.values = GetParam();
    return engine.execute(code, std::move(options)).get();
  }
  Value value_of(std::string_view code) {
    Report report = run(code);
    EXPECT_TRUE(report.ok()) << code << ": " << report.error.message;
    return report.result;
  }
  bool holds(std::string_view code) { return value_of(code) == Value(true); }
};

INSTANTIATE_TEST_SUITE_P(OfRules, AllValues,
                         testing::Values(ValueRule::strict, ValueRule::json, ValueRule::rich));

TEST_P(AllValues, CrossBothWays) {
  EXPECT_TRUE(holds("(await remote.echo(new Date(5))).getTime() === 5"));
  EXPECT_TRUE(holds("(await remote.any(new Map([[1, new Set([2n])]]))).get(1).has(2n)"));
  EXPECT_TRUE(
      holds("const r = await remote.echo({a: 1n, b: undefined, c: [NaN, /x/g, new "
            "URL('http://a/'), new Uint8Array([1, 2])]});"
            "r.a === 1n && 'b' in r && Number.isNaN(r.c[0]) && r.c[1].flags === 'g' && "
            "r.c[2].host === 'a' && r.c[3] instanceof Uint8Array && r.c[3][1] === 2"));
}

TEST_P(AllValues, KeepSharedReferencesAndCycles) {
  EXPECT_TRUE(
      holds("const shared = {}; const r = await remote.echo([shared, shared]);"
            "r[0] === r[1]"));
  EXPECT_TRUE(
      holds("const loop = {}; loop.self = loop; const r = await remote.any(loop);"
            "r.self === r"));
}

TEST_P(AllValues, AreNoAffairOfOtherTools) {
  const Report report = run("await plain.echo(new Map())");
  EXPECT_EQ(report.ok(), GetParam() == ValueRule::rich);
  EXPECT_EQ(holds("plain.date().then((d) => d instanceof Date, () => false)"),
            GetParam() != ValueRule::strict);
  // The input's getter calls a tool with the other rule, and the first one keeps its own.
  EXPECT_TRUE(
      holds("let inner; const outer = {get a() { inner = plain.echo(1); return 1n }};"
            "(await remote.echo(outer)).a === 1n && await inner === 1"));
}

TEST_P(AllValues, DoNotChangeWhatMayBeAResult) {
  EXPECT_EQ(run("await remote.echo(new Map())").ok(), GetParam() == ValueRule::rich);
}

TEST_P(AllValues, AreAnsweredAfterASleep) {
  ExecuteOptions options;
  options.suspend_on = {"remote.approve"};
  const Report slept =
      run("const r = await remote.approve(new Map([[1, 2n]]));"
          "[r instanceof Date, (await remote.echo(3n)) === 3n]",
          options);
  ASSERT_TRUE(slept.is_suspended()) << slept.error.message;
  EXPECT_EQ(slept.suspended.calls[0].input.kind(), Kind::map);
  std::vector<Result<Value>> answers;
  answers.emplace_back(Value::date(5));
  Result<Execution> resumed =
      engine.resume(slept.suspended.image, std::move(answers), {.providers = {remote()}});
  ASSERT_TRUE(resumed.has_value()) << resumed.error().message;
  const Report report = resumed->get();
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result, Value::array({true, true}));
}

TEST(TypedFailure, HasItsIdAndDataWhereItIsCaught) {
  Engine engine = *Engine::create_one_shot();
  Provider shop("shop");
  shop.add("buy", [](const Value&) -> Result<Value> {
    Error error{ErrorCode::tool_error, "none is left"};
    error.typed = std::make_shared<const FailureType>(
        "app.errors.out_of_stock", Value::object({{"at", Value::date(5)}, {"left", 0}}));
    return fail(std::move(error));
  });
  const Report caught = engine
                            .execute(
                                "shop.buy().catch((e) => [e instanceof Error, e.code, "
                                "e.message, e.id, e.data.left, e.data.at instanceof Date])",
                                {.providers = {shop}})
                            .get();
  ASSERT_TRUE(caught.ok()) << caught.error.message;
  EXPECT_EQ(caught.result,
            Value::array({true, "tool_error", "none is left", "app.errors.out_of_stock", 0, true}));
  const Report uncaught = engine.execute("await shop.buy()", {.providers = {shop}}).get();
  EXPECT_EQ(uncaught.error.code, ErrorCode::tool_error);
  EXPECT_EQ(uncaught.error.message, "none is left");
}

TEST(TypedFailure, LeavesOutDataThatIsTooLarge) {
  Engine engine = *Engine::create_one_shot();
  Provider shop("shop");
  shop.add("buy", [](const Value&) -> Result<Value> {
    Error error{ErrorCode::tool_error, "none is left"};
    error.typed =
        std::make_shared<const FailureType>("x", Value(std::string(std::size_t{2} << 20, 'x')));
    return fail(std::move(error));
  });
  const Report caught =
      engine
          .execute("shop.buy().catch((e) => [e.message, e.id, 'data' in e])", {.providers = {shop}})
          .get();
  ASSERT_TRUE(caught.ok()) << caught.error.message;
  EXPECT_EQ(caught.result, Value::array({"none is left", "x", false}));
}

}  // namespace
}  // namespace cordon
