// Where an error is and what it is about, of real programs.

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/engine.h"

namespace cordon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Report run(std::string_view code, std::vector<Provider> providers = {}) {
  static Engine engine = *Engine::create_one_shot();
  return engine.execute(code, {.providers = std::move(providers), .name = "m.js"}).get();
}

std::string place_of(const Report& report) {
  if (!report.error.location) return "nowhere";
  const SourceLocation& at = *report.error.location;
  return std::to_string(at.line) + ":" + std::to_string(at.column) +
         (report.error.function.empty() ? "" : " in " + report.error.function);
}

// The same for a program that is written anew, since it has an enum behind its last line.
std::string place_of_transformed(std::string code) {
  const std::size_t fence = code.rfind("\n```");
  code.insert(std::min(fence, code.size()), "\nenum Added {}");
  static Engine engine = *Engine::create_one_shot();
  return place_of(engine.execute(code, {.name = "m.ts"}).get());
}

TEST(ErrorPlaces, AreThoseThatNodeNames) {
  const std::pair<const char*, const char*> programs[] = {
      {"const a = {}; a.b.c", "1:19"},
      {"const a = {}; a.b()", "1:17"},
      {"  nope()", "1:3"},
      {"throw new Error('y')", "1:7"},
      {"const a = {}; a['q'].z", "1:22"},
      {"[].reduce((x) => x)", "1:4"},
      {"const a = {}; new a.b()", "1:15"},
      {"const a = {}; a()", "1:15"},
      {"await Promise.reject(new Error('z'))", "1:22"},
      {"const a = {}; 'é€😀' + a.b.c", "1:28"},
      {"const a = { b: {} };\na.b\n  .c\n  .d()", "4:4"},
      {"async function f() {\n  await null;\n  throw new Error('late');\n}\nawait f()", "3:9 in f"},
      {"const o = {}; o.f = function foo() { this.x.y }; o.f()", "1:45 in foo"},
      {"JSON.parse('{')", "1:6"},
      {"eval('nope()')", "1:1"},
      {"'😀'; let y = ;", "1:15"},
      {"```js\nlet y = ;\n```", "2:9"},
      {"let a = 1;\nlet a = 2;", "2:5"},
      {"const a = 1;\nvar b, a;", "2:8"},
      {"if (1) {\n  continue; }", "2:3"},
      {"let a = 1;\nlet r = /(/;", "2:9"},
      {"const f = (a) =>\n  a + /a/gg", "2:7"},
      {"import './a.js';\nexport default /[b-a]/", "2:16"},
      {"setTimeout(() => {\n  throw new Error('t') }, 0); await new Promise(() => {})", "2:9"},
      {"Promise.reject(new Error('nobody')); 5", "1:16"},
      // For a class of the program's own: where the error is made, not where the class is.
      {"class A extends Error {}\nthrow new A('a')", "2:7"},
      {"class A extends TypeError {\n  constructor(m) {\n    super(m); } }\n"
       "class B extends A {}\nfunction f() { throw new B('b') }\nf()",
       "5:22 in f"},
      {"class A extends Error { constructor() {\n super('a'); throw new Error('b') } }\nnew A()",
       "2:20 in A"},
  };
  for (const auto& [code, place] : programs) {
    EXPECT_EQ(place_of(run(code)), place) << code;
    EXPECT_EQ(place_of_transformed(code), place) << code;
  }
}

// These are found out about when the whole text has been read.
TEST(ErrorPlaces, AreKnownOfNamesThatWereNeverDeclared) {
  EXPECT_EQ(place_of(run("class A {\n  m() { return this.#nope }\n}")), "2:21");
  EXPECT_EQ(place_of(run("const a = 1;\nexport { a, nope as b };")), "2:13");
}

TEST(ErrorPlaces, OfANameThatIsDeclaredTwiceComeWithTheName) {
  EXPECT_EQ(run("let twice; let twice").error.message, "'twice' has already been declared");
}

TEST(ErrorPlaces, OfACallAreThoseOfItsFunctionWhateverItsArgumentsCall) {
  const Report report =
      run("function f(x) {\n  throw new Error(x) }\nf(\n  [1].map((x) => x),\n  Math.max(1, 2))");
  EXPECT_EQ(place_of(report), "2:9 in f");
  EXPECT_THAT(report.error.stack, HasSubstr("(m.js:3:1)"));
}

TEST(ErrorPlaces, OfStacksAreThoseOfTheProgramAndOfWhatItCalled) {
  EXPECT_EQ(run("const t = new EventTarget();\n"
                "t.addEventListener('x', function f() { throw new Error('heard') });\n"
                "t.dispatchEvent(new Event('x'))")
                .error.stack,
            "    at f (m.js:2:46)\n    at <eval> (m.js:3:3)\n");
  EXPECT_EQ(run("[1].map(function f() { throw new Error('mapped') })").error.stack,
            "    at f (m.js:1:30)\n    at map (native)\n    at <eval> (m.js:1:5)\n");
}

TEST(ErrorPlaces, AreKnownOfWhatIsNoError) {
  EXPECT_EQ(place_of(run("1;\n  throw 'text'")), "2:9");
  EXPECT_EQ(place_of(run("1;\nthrow { code: 5 }")), "2:7");
}

TEST(ErrorPlaces, OfAToolsFailureAreThoseOfTheCall) {
  Provider shop("shop");
  shop.add("price", [](Value) -> Result<Value> { return fail(ErrorCode::tool_error, "sold out"); });
  const Report report =
      run("async function ask() {\n  return shop.price({ of: 'tea' }); }\n"
          "await ask()",
          {shop});
  EXPECT_EQ(report.error.message, "sold out");
  EXPECT_EQ(place_of(report), "2:15 in ask");
  ASSERT_TRUE(report.error.call.has_value());
  EXPECT_EQ(report.error.call->provider, "shop");
  EXPECT_EQ(report.error.call->tool, "price");
  EXPECT_EQ(report.error.call->input, R"({"of": "tea"})");
  EXPECT_THAT(report.error.hint, HasSubstr(R"(shop.price({"of": "tea"}))"));
}

TEST(ErrorPlaces, ComeWithTheLinesOfTheText) {
  const Report report = run("```js\n// one\nconst a = {};\na.b.c\n```");
  EXPECT_EQ(report.error.excerpt.first_line, 2u);
  EXPECT_THAT(report.error.excerpt.lines, ElementsAre("// one", "const a = {};", "a.b.c"));
  EXPECT_EQ(report.error.excerpt.before, "a.b.");

  const Report typed = run("```ts\nconst a: any = {};\n(a as any).b.c\n```");
  EXPECT_THAT(typed.error.excerpt.lines, ElementsAre("const a: any = {};", "(a as any).b.c"));
}

TEST(ErrorHints, NameWhatIsNearlyTheSame) {
  Provider shop("shop");
  shop.add("price", [](Value) -> Result<Value> { return 1; });
  shop.add("stock", [](Value) -> Result<Value> { return 1; });
  const Report report = run("await shop.prise({})", {shop});
  EXPECT_EQ(report.error.message, "shop.prise is not a function");
  EXPECT_THAT(report.error.suggestions, ElementsAre("price"));
  EXPECT_THAT(report.error.hint, HasSubstr("price"));
  EXPECT_THAT(run("await shpo.price({})", {shop}).error.suggestions, ElementsAre("shop"));
  EXPECT_THAT(run("const answer = 42; anwser").error.suggestions, ElementsAre("answer"));
  EXPECT_THAT(run("[1].filtre(Boolean)").error.suggestions, ElementsAre("filter"));
  EXPECT_THAT(run("'a'.toUppercase()").error.suggestions[0], "toUpperCase");
  EXPECT_THAT(run("console.lgo(1)").error.suggestions, ElementsAre("log"));
}

TEST(ErrorHints, NameThePropertyThatGaveUndefined) {
  const auto suggestions = [](std::string_view code) { return run(code).error.suggestions; };
  EXPECT_THAT(suggestions("const user = {name: 'x'}; user.nmae.length"), ElementsAre("name"));
  EXPECT_THAT(suggestions("let o = {items: []}; o.itmes.map(x => x)"), ElementsAre("items"));
  EXPECT_THAT(suggestions("function f(o) { return o.config.prot.value }; f({config: {port: 1}})"),
              ElementsAre("port"));
  EXPECT_THAT(suggestions("const a = {total: 1}; const f = () => a.totla.toFixed(2); f()"),
              ElementsAre("total"));
  EXPECT_THAT(suggestions("var shop = {price: 1}; await null; shop.pirce.x"), ElementsAre("price"));
  EXPECT_EQ(run("const u = {name: 1}; u.nmae.length").error.message,
            "cannot read property 'length' of undefined");

  // It is there, and undefined; or what was read is not the last thing before the error.
  EXPECT_THAT(suggestions("const o = {items: undefined, item: 1}; o.items.x"), IsEmpty());
  EXPECT_THAT(suggestions("const o = {b: 1, cc: 2}; (o.a ? o.b : o.c).d"), IsEmpty());
  // No getter or trap runs for a hint.
  EXPECT_THAT(suggestions("let n = 0; const o = {get a() { if (n++) throw 1; return {bb: 1} }};"
                          "o.a.b.c"),
              IsEmpty());
  EXPECT_THAT(suggestions("const o = new Proxy({name: 1}, {get: (t, k) => undefined}); o.nmae.x"),
              IsEmpty());
}

TEST(ErrorHints, ListWhatThereIsWhereNothingIsNear) {
  Provider shop("shop");
  shop.add("price", [](Value) -> Result<Value> { return 1; });
  const Report report = run("await shop.buyEverything({})", {shop});
  EXPECT_THAT(report.error.suggestions, IsEmpty());
  EXPECT_THAT(report.error.hint, HasSubstr("price"));
}

TEST(ErrorHints, AreNotThereForOtherErrors) {
  EXPECT_EQ(run("throw new TypeError('prise is not a function')").error.hint, "");
  EXPECT_EQ(run("const a = {}; a()").error.hint, "");
  EXPECT_EQ(run("null.x").error.hint, "");
}

TEST(ErrorHints, AskNoCodeOfTheProgram) {
  const Report report = run(
      "let asked = 0;\n"
      "const o = new Proxy({ price() {} }, { get: () => undefined, ownKeys: () => { for (;;); },\n"
      "  getPrototypeOf: () => { for (;;); } });\n"
      "o.prise()");
  EXPECT_EQ(report.error.code, ErrorCode::runtime_error);
  EXPECT_THAT(report.error.message, HasSubstr("not a function"));
  EXPECT_THAT(run("const o = { get prices() { for (;;); } }; o.prise()").error.suggestions,
              ElementsAre("prices"));
}

}  // namespace
}  // namespace cordon
