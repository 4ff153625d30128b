// The names of many tools stay with the host until a program touches them, and nothing shows it:
// each program here runs with two providers that have the same thousand tools. A name that is not
// UTF-8 makes the host list all of them.

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/describe.h"
#include "cordon/engine.h"
#include "cordon/json.h"

namespace cordon {
namespace {

Engine& engine() {
  static Engine engine = *Engine::create({.workers = 0, .slots = 4});
  return engine;
}

Provider shop_of(const std::string& last, int count = 1000) {
  Provider shop = Provider::with_exact_names("shop");
  const auto add = [&](const std::string& name) {
    shop.add(name, [name](const Value& input) -> Result<Value> {
      if (input == Value("fail")) return fail(ErrorCode::tool_error, name + " failed");
      return Value::array({name, input});
    });
  };
  for (const char* name : {"first", "7", "a b", "toString", "", "__proto__", "straße", "x\ny"})
    add(name);
  add(std::string("nul\0nul", 7));
  for (int i = 0; i < count; ++i) add("read_part_" + std::to_string(i));
  add("first");  // the last of a name counts
  add(last);
  return shop;
}

std::string told(const Report& report) {
  std::string text = report.ok() ? to_json(report.result).value_or("no JSON")
                                 : describe(report.error) + "\nhint: " + report.error.hint;
  for (const std::string& name : report.error.suggestions) text += "\nsuggestion: " + name;
  for (const LogLine& line : report.logs) text += "\nlog: " + line.text;
  for (const Warning& warning : report.warnings) text += "\nwarning: " + describe(warning);
  for (const CallRecord& call : report.calls)
    text += "\ncall: " + call.provider + "." + call.tool + (call.ok ? " ok" : " failed");
  return text;
}

std::string run(const std::string& code, const Provider& shop) {
  return told(engine().execute(code, {.providers = {shop}}).get());
}

// What both have of the last name, which differs.
constexpr std::string_view without_last =
    "const names = (list) => list.filter((name) => !String(name).startsWith('last'));";

TEST(ManyTools, LookAsIfAllOfThemWereThere) {
  const Provider asked = shop_of("last");
  const Provider listed = shop_of("last\xff");
  for (const char* program : {
           "names(Object.keys(shop))",
           "names(Reflect.ownKeys(shop))",
           "const all = []; for (const name in shop) all.push(name); names(all)",
           "[shop.first === shop.first, shop['first'] === shop.first, shop.read_part_9.name, "
           "shop.read_part_9.length, shop[7].name, shop[''].name, shop['x\\ny'].name]",
           "['first' in shop, 'nothing' in shop, 7 in shop, '07' in shop, Symbol.iterator in shop, "
           "'constructor' in shop, '__proto__' in shop, 'nul\\0nul' in shop, 'nul' in shop]",
           "[Object.hasOwn(shop, 'toString'), Object.hasOwn(shop, 'valueOf'), "
           "shop.propertyIsEnumerable('first')]",
           "const { value, ...rest } = Object.getOwnPropertyDescriptor(shop, 'read_part_3'); "
           "[rest, typeof value, value === shop.read_part_3]",
           "const at = (name) => Object.keys(shop).indexOf(name); const before = at('read_part_1');"
           "shop.read_part_1 = 5; shop.added = 1; delete shop.first; shop.first = 2;"
           "[at('read_part_1') === before - 1, shop.read_part_1, names(Object.keys(shop)).at(-1), "
           "at('added') < at('first')]",
           "delete shop.read_part_5; const gone = 'read_part_5' in shop; "
           "[gone, shop.read_part_5, delete shop.nothing, typeof shop.read_part_6]",
           "const kept = shop.read_part_4; Object.keys(shop); kept === shop.read_part_4",
           "const all = Object.keys(shop).map((name) => shop[name]); "
           "[new Set(all).size, all.every((f, i) => f === shop[Object.keys(shop)[i]])]",
           "let same = true; for (let i = 0; i < 100; i++) "
           "same &&= shop['read_part_' + i] === shop['read_part_' + i]; same",
           "Object.freeze(shop); 'use strict'; shop.first = 1; "
           "[Object.isFrozen(shop), Object.isSealed(shop), typeof shop.first]",
           "Object.preventExtensions(shop); shop.added = 1; "
           "[shop.added, Object.isExtensible(shop), names(Object.keys(shop)).length, "
           "typeof shop['nul\\0nul'], Object.isFrozen(shop)]",
           "Object.seal(shop); shop.first = 1; [shop.first, delete shop.read_part_1]",
           "Object.defineProperty(shop, 'first', { get: () => 'got', enumerable: false }); "
           "[shop.first, Object.keys(shop).includes('first')]",
           "Object.defineProperty(shop, 'first', { enumerable: false }); "
           "[typeof shop.first, Object.keys(shop).includes('first')]",
           "Object.setPrototypeOf(shop, { inherited: 1 }); "
           "[shop.inherited, typeof shop.first, shop.hasOwnProperty]",
           "const own = Object.create(shop); own.read_part_1 = 1; "
           "[own.read_part_1, typeof own.read_part_2, typeof shop.read_part_1, Object.keys(own)]",
           "const { first, read_part_8, ...rest } = shop; [first.name, read_part_8.name, "
           "names(Object.keys(rest)).length]",
           "const copy = { ...shop }; [copy.first === shop.first, names(Object.keys(copy)).length]",
           "Object.assign(shop, { first: 1, more: 2 }); [shop.first, "
           "names(Object.keys(shop)).at(-1)]",
           "[JSON.stringify(shop), JSON.stringify({ shop })]",
           "[String(shop), Object.prototype.toString.call(shop), typeof shop, shop instanceof "
           "Object]",
           "const seen = new Proxy(shop, {}); [typeof seen.first, 'first' in seen, 'x' in seen, "
           "names(Object.keys(seen)).length]",
           "with (shop) { var found = typeof read_part_11 } found",
           "names(Object.entries(shop).map(([name, f]) => name + typeof f))",
           "Object.groupBy(names(Object.keys(shop)), (name) => name.length)[4]",
           "const other = shop; shop = null; [typeof other.first, shop]",
           "delete globalThis.shop; typeof shop",
           "Object.entries(Object.getOwnPropertyDescriptors(shop)).slice(0, 3)",
           "shop[Symbol.iterator]",
           "shop[{ toString: () => 'first' }].name",
           "class Mine { constructor() { return shop } } "
           "class More extends Mine { #own = 1; static has(x) { return #own in x } } "
           "new More(); [More.has(shop), names(Object.keys(shop)).length]",
       }) {
    const std::string code = std::string(without_last) + program;
    EXPECT_EQ(run(code, asked), run(code, listed)) << program;
    EXPECT_THAT(run(code, asked), testing::Not(testing::HasSubstr("SyntaxError"))) << program;
  }
}

TEST(ManyTools, AreToldAboutAsIfAllOfThemWereThere) {
  const Provider asked = shop_of("last");
  const Provider listed = shop_of("last\xff");
  for (
      const char* program : {
          "await shop.read_part_5({ n: 1 })",
          "await shop.first(1)",  // the last of the name
          "await Promise.all([shop[7](1), shop['a b'](2), shop['straße'](3), shop['nul\\0nul'](4), "
          "shop.toString(5)])",
          "const all = []; for (let i = 0; i < 60; i++) all.push(await shop['read_part_' + i](i)); "
          "all",
          "Object.keys(shop); await shop.read_part_900(1)",
          "await shop.read_part_1('fail')",
          "shop.read_part_1('fail')",
          "await shop.read_prat_17()",
          "await shop.readPart5()",
          "await shop.nothing.at.all()",
          "shop.read_part_1.more.again()",
          "shop.first.a.b",
          "await shop()",
          "new shop.first()",
          "shop.then",
          "await shop",
          "shop",
          "({ a: [shop] })",
          "shop.first",
          "shop.read_part_1(); 1",
          "[1, 2].map(shop.read_part_1); 1",
          "console.log(shop.first, typeof shop)",
          "console.log(Object.keys(shop).length > 100); console.log(shop)",
          "console.log({ shop }); console.table(shop)",
          "structuredClone(shop)",
          "read_part_5(1)",
          "shopp.first()",
          "null.first",
      }) {
    EXPECT_EQ(run(program, asked), run(program, listed)) << program;
  }
}

TEST(ManyTools, CostAProgramTheMemoryOfThoseThatItTouches) {
  const auto memory = [](const Provider& shop, const std::string& code) {
    const Report report = engine().execute(code, {.providers = {shop}}).get();
    EXPECT_TRUE(report.ok()) << describe(report.error);
    return report.memory_bytes;
  };
  const Provider few = shop_of("last", 3);
  const Provider many = shop_of("last", 20'000);
  EXPECT_EQ(memory(many, "(await shop.first(1)).length"),
            memory(few, "(await shop.first(1)).length"));
  EXPECT_GT(memory(many, "Object.keys(shop).length"), memory(few, "Object.keys(shop).length"));
  // What a program asks for is its own.
  ExecuteOptions options{.providers = {many}};
  options.limits.memory_bytes = 4 << 20;
  const Report report = engine().execute("Object.keys(shop).length", options).get();
  EXPECT_EQ(report.error.code, ErrorCode::memory_limit);
}

TEST(ManyTools, SleepAndWakeWithTheNamesThatTheImageKnows) {
  ExecuteOptions options{.providers = {shop_of("last")}, .suspend_on = {"shop.read_part_3"}};
  const Report slept = engine()
                           .execute(
                               "const before = shop.read_part_2; await shop.first(0);"
                               "const answer = await shop.read_part_3(1);"
                               "[answer, before === shop.read_part_2, await shop.read_part_4(2), "
                               "await before(3), 'nothing' in shop, Object.keys(shop).length]",
                               options)
                           .get();
  ASSERT_TRUE(slept.is_suspended()) << describe(slept.error);
  const auto wake = [&](Provider shop) {
    Engine other = *Engine::create_one_shot();
    std::vector<Result<Value>> answers;
    answers.emplace_back("answered");
    Result<Execution> woken =
        other.resume(slept.suspended.image, std::move(answers), {.providers = {std::move(shop)}});
    EXPECT_TRUE(woken) << to_string(woken.error());
    return woken->get();
  };
  const Value expected = Value::array({"answered", true, Value::array({"read_part_4", 2}),
                                       Value::array({"read_part_2", 3}), false, 1010});
  EXPECT_EQ(wake(shop_of("last")).result, expected);
  // Others in front of them change nothing: their names count.
  Provider mixed = Provider::with_exact_names("shop");
  for (int i = 0; i < 50; ++i)
    mixed.add("new" + std::to_string(i), [](Value) -> Result<Value> { return 0; });
  for (const Tool& tool : shop_of("last").tools()) mixed.add_async(tool.name, tool.function);
  EXPECT_EQ(wake(mixed).result, expected);
  const Report without = wake(Provider("shop"));
  EXPECT_THAT(without.error.message, testing::HasSubstr("shop.read_part_4 was not given"));
}

TEST(ManyTools, MayBeAddedBetweenExecutions) {
  Provider shop("shop");
  for (int i = 0; i < 20; ++i)
    shop.add("t" + std::to_string(i), [](Value) -> Result<Value> { return 1; });
  EXPECT_EQ(run("'late' in shop", shop), "false");
  shop.add("late", [](Value) -> Result<Value> { return 2; });
  EXPECT_EQ(run("await shop.late()", shop), "2\ncall: shop.late ok");
}

TEST(ManyTools, MayBeUsedByManyThreadsAtOnce) {
  const Provider shop = shop_of("last");
  Engine pool = *Engine::create({.workers = 2, .slots = 8});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 20; ++n) {
        const std::string name = "read_part_" + std::to_string(i * 20 + n);
        const Report report =
            pool.execute("(await shop." + name + "(1))[0]", {.providers = {shop}}).get();
        EXPECT_EQ(report.result, Value(name)) << describe(report.error);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace cordon
