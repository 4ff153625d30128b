// Providers of which every name is a tool, as programs see them: ordinary ones, and those that try
// to get more out of them than a call.

#include <atomic>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/engine.h"

namespace cordon {
namespace {

using testing::HasSubstr;

// Answers with the name that was called and its input; of "missing" it knows nothing.
Provider remote() {
  return Provider("rank").add_any([](std::string tool, Value input, Reply reply) {
    if (tool == "missing") return reply(fail(ErrorCode::tool_error, "no function missing"));
    reply(Value::array({std::move(tool), std::move(input)}));
  });
}

class OpenProvider : public testing::Test {
 protected:
  Engine engine = *Engine::create_one_shot();

  Report run(std::string_view code, ExecuteOptions options = {}) {
    options.providers.push_back(remote());
    return engine.execute(code, std::move(options)).get();
  }
  Value value_of(std::string_view code) {
    Report report = run(code);
    EXPECT_TRUE(report.ok()) << code << ": " << report.error.message;
    return report.result;
  }
  bool holds(std::string_view code) { return value_of(code) == Value(true); }
};

TEST_F(OpenProvider, GivesTheHostTheNameThatWasCalled) {
  const Report report =
      run("[await rank.score({n: 1}), await rank['app.tasks.add'](2), await rank['名前 x'](), "
          "await Promise.all(['a', 'b'].map((name) => rank[name](3)))]");
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result,
            Value::array({Value::array({"score", Value::object({{"n", 1}})}),
                          Value::array({"app.tasks.add", 2}), Value::array({"名前 x", nullptr}),
                          Value::array({Value::array({"a", 3}), Value::array({"b", 3})})}));
  ASSERT_EQ(report.calls.size(), 5u);
  EXPECT_EQ(report.calls[0].provider, "rank");
  EXPECT_EQ(report.calls[0].tool, "score");
  EXPECT_EQ(report.calls[1].tool, "app.tasks.add");
  EXPECT_EQ(report.calls[2].tool, "名前 x");
  EXPECT_EQ(report.calls[4].tool, "b");
  EXPECT_TRUE(report.calls[4].ok);
}

TEST_F(OpenProvider, FailsACallAsItsFunctionSays) {
  EXPECT_EQ(value_of("rank.missing(1).catch((e) => [e instanceof Error, e.code, e.message])"),
            Value::array({true, "tool_error", "no function missing"}));
  const Report report = run("await rank.score(); await rank.missing(1)");
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error.code, ErrorCode::tool_error);
  EXPECT_EQ(report.error.message, "no function missing");
  EXPECT_FALSE(report.calls[1].ok);
  EXPECT_EQ(run("rank.score(() => 1)").error.code, ErrorCode::serialization_error);
}

TEST_F(OpenProvider, IsTheSameFunctionForTheSameName) {
  EXPECT_TRUE(holds("rank.score === rank['sco' + 're'] && rank.score !== rank.other"));
  EXPECT_EQ(value_of("[typeof rank.score, rank.score.name, rank.score.length]"),
            Value::array({"function", "score", 1}));
  EXPECT_EQ(value_of("const { score: s } = rank; await s.call(null, 1)"),
            Value::array({"score", 1}));
  EXPECT_THAT(run("new rank.score(1)").error.message, HasSubstr("not a constructor"));
}

TEST_F(OpenProvider, IsAnEmptyObjectToTheLanguage) {
  EXPECT_TRUE(holds("rank.a; Object.keys(rank).length === 0"));
  EXPECT_TRUE(holds("rank.a; Reflect.ownKeys(rank).length === 0"));
  EXPECT_TRUE(holds("let n = 0; for (const name in rank) ++n; n === 0"));
  EXPECT_TRUE(holds("!Object.hasOwn(rank, 'a') && !rank.hasOwnProperty('a')"));
  EXPECT_TRUE(holds("'score' in rank && Reflect.has(rank, 'x') && 'toString' in rank"));
  EXPECT_TRUE(holds("!('then' in rank) && !('toJSON' in rank) && !(Symbol.iterator in rank)"));
  EXPECT_TRUE(holds("String(rank) === '[object Object]' && `${rank}` === '[object Object]'"));
  EXPECT_TRUE(holds("JSON.stringify({ rank }) === '{\"rank\":{}}'"));
  EXPECT_TRUE(holds("rank.constructor === Object && rank.__proto__ === Object.prototype"));
  EXPECT_TRUE(holds("Object.getPrototypeOf(rank) === Object.prototype"));
  EXPECT_TRUE(holds("(await rank) === rank && rank == rank && rank !== {}"));
  EXPECT_TRUE(holds("rank instanceof Object && typeof rank === 'object'"));
  EXPECT_TRUE(holds("Object.keys({ ...rank }).length === 0"));
  EXPECT_TRUE(
      holds("let thrown; try { rank() } catch (e) { thrown = e } thrown instanceof "
            "TypeError"));
  EXPECT_TRUE(
      holds("let thrown; try { structuredClone(rank) } catch (e) { thrown = e } "
            "thrown.name === 'DataCloneError'"));
  const Report logged = run("console.log(rank); 1");
  ASSERT_EQ(logged.logs.size(), 1u);
  EXPECT_EQ(logged.logs[0].text, "{}");
  EXPECT_TRUE(logged.calls.empty());
}

TEST_F(OpenProvider, IsNoResult) {
  const Report report = run("({ a: [rank] })");
  EXPECT_EQ(report.error.code, ErrorCode::serialization_error);
  EXPECT_EQ(report.error.place, "a[0]");
  EXPECT_EQ(run("rank.score").error.code, ErrorCode::serialization_error);
  for (const ValueRule rule : {ValueRule::json, ValueRule::rich}) {
    ExecuteOptions options;
    options.values = rule;
    const Report other = run("({ a: rank })", options);
    EXPECT_TRUE(other.calls.empty());
  }
}

TEST_F(OpenProvider, TakesNoNamesThatCannotBeFunctions) {
  EXPECT_TRUE(holds("rank[Symbol('a')] === undefined && rank[Symbol.toPrimitive] === undefined"));
  EXPECT_TRUE(holds("rank[0] === undefined && rank['12'] === undefined && rank[''] === undefined"));
  EXPECT_TRUE(holds("rank['\\n'] === undefined && rank['a\\x1b[2J'] === undefined"));
  EXPECT_TRUE(holds("rank['\\x9b1'] === undefined && rank['a\\x7f'] === undefined"));
  EXPECT_TRUE(holds("rank['\\ud800'] === undefined && rank['a\\udc00'] === undefined"));
  EXPECT_TRUE(holds("rank['\\udc00\\ud800'] === undefined && rank['😀'] === rank['😀']"));
  EXPECT_TRUE(
      holds("rank['x'.repeat(257)] === undefined && typeof rank['x'.repeat(256)] === "
            "'function'"));
  EXPECT_TRUE(holds("rank['x'.repeat(1e6)] === undefined && rank['é'.repeat(1e6)] === undefined"));
  EXPECT_EQ(value_of("(await rank['名'.repeat(256)](1))[0].length"), Value(256));
}

TEST_F(OpenProvider, KeepsNoMoreThanItWasAskedToKeep) {
  ExecuteOptions options;
  options.limits.memory_bytes = 16u << 20;
  options.limits.time.total = std::chrono::seconds(60);
  const Report report =
      run("const first = rank.first; for (let i = 0; i < 1e6; ++i) if (!rank['n' + i]) throw i;"
          "[first === rank.first, typeof rank.n999999, (await rank.n999999(1))[0]]",
          options);
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result, Value::array({true, "function", "n999999"}));
}

TEST_F(OpenProvider, IsNotChangedByWhatProgramsPutOnPrototypes) {
  EXPECT_EQ(value_of("Object.prototype.score = () => 'mine'; await rank.score(1)"),
            Value::array({"score", 1}));
  EXPECT_EQ(value_of("Object.defineProperty(Object.prototype, 'score', { get() { throw 1 } }); "
                     "await rank.score(1)"),
            Value::array({"score", 1}));
  EXPECT_EQ(value_of("Function.prototype.call = null; Object.prototype.name = 'x'; "
                     "await rank.score(1)"),
            Value::array({"score", 1}));
  // Names that are no functions come from there, with the object as `this`.
  EXPECT_TRUE(
      holds("Object.defineProperty(Object.prototype, 'toJSON', { get() { return this; }, "
            "configurable: true }); const same = rank.toJSON === rank; "
            "delete Object.prototype.toJSON; same"));
  EXPECT_TRUE(holds("Object.prototype.then = undefined; (await rank) === rank"));
}

TEST_F(OpenProvider, MayBeChangedByItsProgramAsAnyObject) {
  EXPECT_EQ(value_of("rank.score = (x) => x * 2; [rank.score(2), Object.keys(rank)]"),
            Value::array({4, Value::array({"score"})}));
  EXPECT_TRUE(holds("rank.a = 1; delete rank.a && typeof rank.a === 'function'"));
  EXPECT_TRUE(
      holds("const f = rank.a; Object.freeze(rank); rank.a === f && typeof rank.b === "
            "'function' && rank.b === rank.b"));
  EXPECT_TRUE(
      holds("Object.setPrototypeOf(rank, null); rank.toString === undefined && "
            "!('toString' in rank) && typeof rank.a === 'function'"));
  EXPECT_TRUE(holds("rank.__proto__ = { toString() { return 'me' } }; String(rank) === 'me'"));
  EXPECT_TRUE(
      holds("Object.setPrototypeOf(rank, new Proxy({}, { has() { throw 'no' } })); let "
            "thrown; try { 'then' in rank } catch (e) { thrown = e } thrown === 'no'"));
}

TEST_F(OpenProvider, WorksThroughOtherObjects) {
  EXPECT_EQ(value_of("await new Proxy(rank, {}).score(1)"), Value::array({"score", 1}));
  EXPECT_EQ(value_of("await Object.create(rank).score(1)"), Value::array({"score", 1}));
  EXPECT_TRUE(holds("const o = Object.create(rank); o.x = 1; o.x === 1 && rank.x !== 1"));
  EXPECT_EQ(value_of("await new Function('r', 'with (r) { return score(1) }')(rank)"),
            Value::array({"score", 1}));
  EXPECT_EQ(value_of("await Reflect.get(rank, 'score', {})(1)"), Value::array({"score", 1}));
  EXPECT_EQ(value_of("await rank?.['score']?.(1)"), Value::array({"score", 1}));
  EXPECT_EQ(value_of("class A extends Object {}; Object.setPrototypeOf(A.prototype, rank); "
                     "await new A().score(1)"),
            Value::array({"score", 1}));
  EXPECT_EQ(value_of("let kept = rank; rank = null; globalThis.gc?.(); await kept.score(1)"),
            Value::array({"score", 1}));
}

TEST_F(OpenProvider, CallsNoMoreThanMayBePending) {
  ExecuteOptions options;
  options.limits.pending_calls = 3;
  options.providers.push_back(Provider("never").add_any([](std::string_view, Value, Reply reply) {
    static std::vector<Reply> waiting;
    waiting.push_back(std::move(reply));
  }));
  const Report report = run(
      "for (let i = 0; i < 3; ++i) never['f' + i](); await never.one_more().catch(e => e.message)",
      options);
  EXPECT_EQ(report.result, Value("Too many pending tool calls")) << report.error.message;
}

TEST_F(OpenProvider, PrefersTheToolsThatWereAdded) {
  Provider mixed = remote();
  mixed.add("score", [](Value) -> Result<Value> { return "added"; });
  Provider after("after");
  after.add("last", [](Value) -> Result<Value> { return "last"; });
  const Report report =
      engine
          .execute(
              "[Object.keys(rank), await rank.score(1), await rank.other(2), await "
              "after.last(), typeof after.other]",
              {.providers = {mixed, after}})
          .get();
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result, Value::array({Value::array({"score"}), "added",
                                         Value::array({"other", 2}), "last", "undefined"}));
  EXPECT_EQ(report.calls[1].tool, "other");
  EXPECT_EQ(report.calls[2].provider, "after");
}

TEST_F(OpenProvider, MayWaitOnThreadsOfItsOwn) {
  const Provider slow =
      Provider("slow").add_any_blocking([](std::string tool, Value input) -> Result<Value> {
        if (tool == "throws") throw std::runtime_error("it threw");
        return Value::array({std::string(tool), std::move(input)});
      });
  const Report report =
      engine
          .execute("[await slow.nap(1), await slow.throws().catch(e => e.message)]",
                   {.providers = {slow}})
          .get();
  EXPECT_EQ(report.result, Value::array({Value::array({"nap", 1}), "it threw"}))
      << report.error.message;
}

TEST_F(OpenProvider, IsThereInAModuleThatIsLoaded) {
  const Module module = *engine.load(
      "const f = rank.score; export default async (x) => [await f(x), await rank.other(x), f === "
      "rank.score];",
      {.providers = {remote()}});
  ExecuteOptions options;
  options.providers = {remote()};
  const Report report = module.call("default", 7, options).get();
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result,
            Value::array({Value::array({"score", 7}), Value::array({"other", 7}), true}));
  EXPECT_EQ(report.calls[0].tool, "score");

  // Without it, or with one that is open no more.
  options.providers.clear();
  EXPECT_EQ(module.call("default", 7, options).get().error.message,
            "the tool rank.score was not given to this execution");
  Provider closed("rank");
  closed.add("score", [](Value) -> Result<Value> { return "closed"; });
  options.providers = {closed};
  EXPECT_EQ(module.call("default", 7, options).get().error.message,
            "the tool rank.other was not given to this execution");
}

TEST_F(OpenProvider, StandsInForToolsThatAnImageLists) {
  Provider closed("rank");
  closed.add("score", [](Value) -> Result<Value> { return "closed"; });
  const Module module =
      *engine.load("export default (x) => rank.score(x);", {.providers = {closed}});
  ExecuteOptions options;
  options.providers = {remote()};
  EXPECT_EQ(module.call("default", 7, options).get().result, Value::array({"score", 7}));
}

TEST_F(OpenProvider, MayBeSleptOn) {
  ExecuteOptions options;
  options.suspend_on = {"rank.approve"};
  const Report slept =
      run("const kept = rank.later; const a = await rank.score(1); const b = await "
          "rank.approve({q: 1});"
          "[a, b, await kept(2), kept === rank.later]",
          options);
  ASSERT_TRUE(slept.is_suspended()) << slept.error.message;
  ASSERT_EQ(slept.suspended.calls.size(), 1u);
  EXPECT_EQ(slept.suspended.calls[0].provider, "rank");
  EXPECT_EQ(slept.suspended.calls[0].tool, "approve");
  std::vector<Result<Value>> answers;
  answers.emplace_back("yes");
  Result<Execution> resumed =
      engine.resume(slept.suspended.image, std::move(answers), {.providers = {remote()}});
  ASSERT_TRUE(resumed.has_value()) << resumed.error().message;
  const Report report = resumed->get();
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result,
            Value::array({Value::array({"score", 1}), "yes", Value::array({"later", 2}), true}));
  EXPECT_EQ(report.calls[0].tool, "approve");
}

}  // namespace
}  // namespace cordon
