// TypeScript that has more than types is written anew. What it means, and where it says that it is.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/engine.h"
#include "cordon/module.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::map<std::string, std::string, std::less<>> modules = {
    {"color.ts",
     "export enum Color { Red, Green = 'g' }\n"
     "export const enum Size { Small = 1, Large }\n"
     "export namespace Text {\n  export const shout = (s: string) => s.toUpperCase();\n}\n"
     "export interface Row { id: number }\n"},
    {"throws.ts",
     "enum Level { Low }\n\nexport class Account {\n  constructor ( private  level : Level ) { }\n"
     "  check ( ) : void {  throw   new Error ( 'at ' + this.level )  }\n}\n"},
    {"text.js", "export const text = 'of JavaScript'"},
};

Engine& engine() {
  static Engine one = *Engine::create_one_shot();
  return one;
}

Report run(std::string_view code, std::vector<Provider> providers = {}) {
  return engine()
      .execute(code, {.providers = std::move(providers), .name = "main.ts", .modules = modules})
      .get();
}

Value result_of(std::string_view code) {
  const Report report = run(code);
  EXPECT_TRUE(report.ok()) << code << ": " << report.error.message;
  return report.result;
}

std::string place_of(const SourceLocation& at) {
  return at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string place_of(const Report& report) {
  return report.error.location ? place_of(*report.error.location) : "nowhere";
}

// Values.

TEST(TransformedTypes, HaveEnumsWithTheirNames) {
  EXPECT_EQ(result_of("enum E { A, B = 5, C, D = C * 2, S = 's', L = 'abc'.length }\n"
                      "[E.A, E.B, E.C, E.D, E.S, E.L, E[0], E[5], Object.keys(E).length]"),
            Value::array({0, 5, 6, 12, "s", 3, "A", "B", 11}));
  EXPECT_EQ(result_of("const enum E { A = 1 << 2, B = A | 1 }\n E.B"), Value(5));
  EXPECT_EQ(result_of("enum E { A }\nenum E { B = 7 }\n[E.A, E.B, E[7]]"),
            Value::array({0, 7, "B"}));
  EXPECT_EQ(result_of("function f(e: number) { enum E { A, B } return E[e] }\nf(1)"), Value("B"));
}

TEST(TransformedTypes, HaveNamespacesThatAreJoined) {
  EXPECT_EQ(result_of("namespace N { export const a = 1; const hidden = 2;\n"
                      "  export namespace Inner { export const b = hidden } }\n"
                      "namespace N { export const c = N.a + 2 }\n"
                      "namespace A.B { export const d = 4 }\n"
                      "[N.a, N.Inner.b, N.c, A.B.d, (N as any).hidden === undefined]"),
            Value::array({1, 2, 3, 4, true}));
  EXPECT_EQ(
      result_of("function f() { return f.extra }\nnamespace f { export const extra = 9 }\nf()"),
      Value(9));
  EXPECT_EQ(result_of("namespace N { export interface I { a: number } }\nlet i: N.I = {a: 1}; i.a"),
            Value(1));
}

// Fields come first, as in Node.
TEST(TransformedTypes, HaveParameterProperties) {
  EXPECT_EQ(result_of("class P { sum: number;\n"
                      "  constructor(private readonly x: number, public y = 2, z?: number) {\n"
                      "    this.sum = this.x + this.y } }\n"
                      "JSON.stringify(new P(1))"),
            Value(R"({"x":1,"y":2,"sum":3})"));
  EXPECT_EQ(
      result_of("class A { a = 1 }\n"
                "class B extends A { b = this.a + 1; constructor(public c: number) { super() } }\n"
                "JSON.stringify(new B(3))"),
      Value(R"({"a":1,"c":3,"b":2})"));
  EXPECT_EQ(result_of("class A { set x(v: number) { throw v } }\n"
                      "class B extends A { x = 5; constructor(public y: number) { super() } }\n"
                      "new B(1).x"),
            Value(5))
      << "a field is defined, not set";
}

TEST(TransformedTypes, HaveCasts) {
  EXPECT_EQ(result_of("const a = <number> <unknown> '7'; a"), Value("7"));
  EXPECT_EQ(result_of("const a = <T>(x: T): T => x; enum E {}\na(3)"), Value(3));
}

TEST(TransformedTypes, AreSharedByModules) {
  EXPECT_EQ(
      result_of("import { Color, Size, Text, type Row } from './color.ts';\n"
                "import type { Other } from './there_is_none.ts';\n"
                "import { text } from './text.js';\n"
                "enum Own { A = 4 }\nconst row: Row = { id: Own.A };\n"
                "[Color.Red, Color[0], Color.Green, Size.Large, Text.shout('a'), row.id, text]"),
      Value::array({0, "Red", "g", 2, "A", 4, "of JavaScript"}));
  EXPECT_EQ(result_of("(await import('./color.ts')).Color.Green"), Value("g"));
}

// Models write no `type`, and compilers that see all types leave such an import out.
TEST(TransformedTypes, NeedNotBeImportedAsTypes) {
  for (const char* more : {"", "enum Own { A }\n", "export const x = 1;\n"}) {
    EXPECT_EQ(result_of(more + std::string("import { Color, Row } from './color.ts';\n"
                                           "import Nobody from './color.ts';\n"
                                           "const row: Row = { id: 5 };\n"
                                           "function f(r: Row): Nobody { return r.id as any }\n"
                                           "[f(row), Color.Red]")),
              Value::array({5, 0}))
        << more;
  }
  for (const char* code :
       {"import { Row } from './color.ts'; Row", "import { Row } from './color.ts'; () => Row",
        "import { Row } from './color.ts'; eval('1')", "export { Row } from './color.ts'"}) {
    const Report report = run(code);
    EXPECT_EQ(report.error.code, ErrorCode::syntax_error) << code;
    EXPECT_THAT(report.error.message, HasSubstr("`import type`")) << code;
  }
  // JavaScript has no types.
  EXPECT_EQ(run("import { nope } from './text.js'; 1").error.message,
            "Could not find export 'nope' in module 'text.js'");
}

// The result.

TEST(TransformedTypes, LeaveTheResultAsItIs) {
  EXPECT_EQ(result_of("enum E { A = 3 }\nE.A"), Value(3));
  EXPECT_EQ(result_of("namespace N { export const a = 1 }\nN.a"), Value(1));
  EXPECT_EQ(result_of("export namespace N { export const a = 1 }\nN.a"), Value(1));
  EXPECT_EQ(result_of("function main(n?: number) { enum E { A, B } return E.B }"), Value(1));
  EXPECT_EQ(result_of("async (n?: number) => { return <any> 4 }"), Value(4));
  EXPECT_EQ(result_of("enum E { A = 2 }\nreturn E.A"), Value(2));
  EXPECT_EQ(result_of("  namespace N { export const a = 6 }\nif (true) { return N.a }"), Value(6));
  EXPECT_EQ(result_of("enum E { A = 8 }\nexport default () => E.A"), Value(8));
  EXPECT_EQ(result_of("'use strict'; enum E {}\n(function () { return this === undefined })()"),
            Value(true));
  EXPECT_EQ(result_of("enum E {}\n`a\n  ${1}\n`"), Value("a\n  1\n"));
}

TEST(TransformedTypes, AreNotTakenForTheEndOfTheProgram) {
  EXPECT_THAT(run("namespace N { export const a = 1 }\nN.a").warnings, IsEmpty());
  EXPECT_THAT(run("namespace N { export const a = 1 }\nconsole.log(N.a)").warnings, IsEmpty());
  const auto warned = [](std::string_view code) {
    const Report report = run(code);
    return report.warnings.empty() ? std::string() : report.warnings[0].message;
  };
  EXPECT_THAT(warned("enum E { A }"), HasSubstr("`E`"));
  EXPECT_THAT(warned("enum E { A }\nconst found = E.A"), HasSubstr("`found`"));
  EXPECT_THAT(warned("namespace N { export const a = 1 }\nconst found = N.a"),
              HasSubstr("`found`"));
  EXPECT_THAT(warned("enum E { A }\nasync function main() {}"), HasSubstr("main"));
}

// Places.

constexpr std::string_view spaced =
    "enum Level { Low , High }\n\n"
    "function   outer ( level : Level ) {\n"
    "    return   inner ( <Level> level , { a : 1 } ) ;\n"
    "}\n"
    "const inner = ( level : Level , o : object ) => {\n"
    "   throw   new   TypeError ( `é😀 ${ level }` ) ; }\n";

TEST(TransformedTypes, KeepTheirPlacesInStacks) {
  const Report report = run(std::string(spaced) + "  outer ( Level . High )");
  EXPECT_EQ(place_of(report), "main.ts:7:12");
  EXPECT_EQ(report.error.excerpt.lines.back(),
            "   throw   new   TypeError ( `é😀 ${ level }` ) ; }");
  EXPECT_EQ(report.error.excerpt.before, "   throw   ");
  EXPECT_EQ(
      report.error.stack,
      "    at inner (main.ts:7:12)\n    at outer (main.ts:4:14)\n    at <eval> (main.ts:8:3)\n");
}

TEST(TransformedTypes, KeepTheirPlacesInWhatTheProgramSees) {
  const Value stack = result_of(std::string(spaced) +
                                "try { outer ( 1 ) } catch ( e ) { ( e as Error ) . stack }\n"
                                "let s; try { outer ( 1 ) } catch ( e ) { s = e.stack }; s");
  const std::string text = stack.value_or(std::string());
  EXPECT_THAT(text, HasSubstr("at inner (main.ts:7:12)"));
  EXPECT_THAT(text, HasSubstr("at <eval> (main.ts:9:14)"));
}

TEST(TransformedTypes, CountLinesFromTheFence) {
  const Report report = run("\n```ts\n" + std::string(spaced) + "outer ( 0 )\n```\n");
  EXPECT_EQ(place_of(report), "main.ts:9:12");
  EXPECT_THAT(report.error.stack, HasSubstr("main.ts:10:1"));
}

TEST(TransformedTypes, KeepTheirPlacesInModules) {
  Report report = run("import { Account } from './throws.ts';\nnew Account(0).check()");
  EXPECT_EQ(place_of(report), "throws.ts:5:31");
  EXPECT_THAT(report.error.excerpt.lines.back(), HasSubstr("throw   new Error"));
  EXPECT_THAT(report.error.stack, HasSubstr("main.ts:2:16"));
  report = run("const { Account } = await import ( './throws.ts' );\nnew Account(0).check()");
  EXPECT_EQ(place_of(report), "throws.ts:5:31");
}

TEST(TransformedTypes, KeepThePlacesOfWhatTheParserFindsLater) {
  EXPECT_EQ(place_of(run("enum E {}\n  let   a = 1;\nlet   a = 2")), "main.ts:3:7");
  EXPECT_EQ(place_of(run("enum E {}\n\n  import { nope }  from  './text.js'; nope")),
            "main.ts:3:26");
  EXPECT_EQ(place_of(run("enum E {}\n\n  import  './nowhere.js'")), "main.ts:3:11");
  EXPECT_EQ(place_of(run("enum E {}\n\n  await   import ( './nowhere.js' )")), "main.ts:3:11");
  EXPECT_EQ(place_of(run("enum E {}\nclass A {\n  m ( ) {  return   this . #nope }\n}")),
            "main.ts:3:28");
  EXPECT_EQ(place_of(run("enum E {}\nconst   r  =  /(/")), "main.ts:2:15");
}

// A carriage return alone ends a line too, as in the lines that are shown.
TEST(TransformedTypes, CountAllLineEnds) {
  EXPECT_EQ(place_of(run("/* \r */ enum E {}\r\n'a\\\rb';\n  nope ( )")), "main.ts:5:3");
}

TEST(TransformedTypes, KeepThePlacesOfCallsThatNobodyAwaits) {
  Provider mail("mail");
  mail.add("send", [](Value in) -> Result<Value> { return in; });
  const Report report =
      run("enum E { A = 1 }\n\n   mail . send ( { to :  E.A } ) ;\n'done'", {mail});
  EXPECT_EQ(report.result, Value("done")) << report.error.message;
  ASSERT_EQ(report.warnings.size(), 1u);
  ASSERT_TRUE(report.warnings[0].location.has_value());
  EXPECT_EQ(place_of(*report.warnings[0].location), "main.ts:3:11");
}

TEST(TransformedTypes, KeepThePlaceOfAVainWait) {
  EXPECT_EQ(place_of(run("enum E {}\n\n   await   new   Promise ( ( ) => { } )")), "main.ts:3:4");
}

TEST(TransformedTypes, DoNotMoveWhatAProgramCompilesItself) {
  EXPECT_EQ(place_of(run("enum E {}\n\n\n   eval ( 'nope()' )")), "main.ts:4:4");
  EXPECT_EQ(place_of(run("enum E {}\n\n\n   new   Function ( 'nope()' ) ( )")), "main.ts:4:4");
}

// Syntax errors.

TEST(TransformedTypes, AreRefusedWhereTheyMeanNothing) {
  const std::tuple<const char*, const char*, const char*> programs[] = {
      {"enum E {}\n  @sealed class A {}", "main.ts:2:3", "decorators are not supported"},
      {"class A {\n  @log\n  m(): void {} }", "main.ts:2:3", "decorators are not supported"},
      {"class A {\n  m( @inject() a: number) {} }", "main.ts:2:6", "decorators are not supported"},
      {"class A { constructor(@inject() private a: number) {} }", "main.ts:1:23",
       "decorators are not supported"},
      {"1;\n  import fs = require('fs')", "main.ts:2:3", "write `import x from"},
      {"1;\n  export = 5", "main.ts:2:3", "write `export default`"},
      {"const a: number = 1;\nconst b: = 2", "main.ts:2:10", "Unexpected token"},
      {"const a = 1;\nconst b = f(1 2)", "main.ts:2:15", "Expected"},
  };
  for (const auto& [code, place, message] : programs) {
    const Report report = run(code);
    EXPECT_EQ(report.error.code, ErrorCode::syntax_error) << code;
    EXPECT_EQ(report.error.name, "SyntaxError") << code;
    EXPECT_EQ(place_of(report), place) << code;
    EXPECT_THAT(report.error.message, HasSubstr(message)) << code;
    EXPECT_FALSE(report.error.excerpt.lines.empty()) << code;
  }
  EXPECT_THAT(engine().execute("@sealed class A {}").get().error.message,
              HasSubstr("decorators are not supported"));
  EXPECT_THAT(engine().execute("me@example.org").get().error.message,
              testing::Not(HasSubstr("decorators")));
}

// Images.

TEST(TransformedTypes, KeepTheirPlacesInImages) {
  Provider tools("tools");
  tools.add("ask", [](Value) -> Result<Value> { return 1; });
  const Report slept =
      engine()
          .execute(
              std::string(spaced) + "const level =  await  tools . ask ( ) ;\n outer ( level )",
              {.providers = {tools}, .name = "main.ts", .suspend_on = {"tools.ask"}})
          .get();
  ASSERT_TRUE(slept.is_suspended()) << slept.error.message;
  std::vector<Result<Value>> answers;
  answers.emplace_back(1);
  Engine other = *Engine::create_one_shot();
  const Report woken = other.resume(slept.suspended.image, std::move(answers))->get();
  EXPECT_EQ(place_of(woken), "main.ts:7:12");
  EXPECT_EQ(woken.error.excerpt.lines.back(),
            "   throw   new   TypeError ( `é😀 ${ level }` ) ; }");
  EXPECT_THAT(woken.error.stack, HasSubstr("main.ts:9:2"));
}

TEST(TransformedTypes, OfAModuleThatIsLoadedOnceKeepTheirPlaces) {
  const Module module =
      *engine().load(std::string(spaced) + "export function go() {  return  outer ( 0 ) }",
                     {.name = "tools.ts", .modules = modules});
  const Report report = run("await kept.go()", {module.provider("kept")});
  EXPECT_FALSE(report.ok());
  EXPECT_THAT(report.error.message, HasSubstr("é😀 0"));
  const auto wrong = engine().load("export const a: = 1", {.name = "tools.ts"});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_THAT(wrong.error().message, HasSubstr("(tools.ts:1:17)"));
}

// Limits.

TEST(TransformedTypes, EndAtTheMemoryLimitAndAtTheTimeout) {
  std::string lines = "enum E { A }\n";
  for (int i = 0; i < 30'000; ++i) lines += "f = (x?: Array<number>): void => {};\n";
  const Report memory =
      engine()
          .execute(lines, {.limits = {.time = {.total = 30s}, .memory_bytes = 24 << 20},
                           .name = "main.ts"})
          .get();
  EXPECT_EQ(memory.error.code, ErrorCode::memory_limit);
  EXPECT_THAT(memory.error.message, HasSubstr("the types of main.ts"));
  std::string endless = "enum E { A }\nexport const q: any = ";
  for (int i = 0; i < 40; ++i) endless += "<a>(";
  endless += "1" + std::string(40, ')');
  const Report time =
      engine().execute(endless, {.limits = {.time = {.total = 50ms}}, .name = "main.ts"}).get();
  EXPECT_EQ(time.error.code, ErrorCode::timeout);
}

}  // namespace
}  // namespace cordon
