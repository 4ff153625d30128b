#include "cordon/runners/program_text.h"

#include <string>

#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::runners {
namespace {

Engine& engine() {
  static Engine one = *Engine::create_one_shot();
  return one;
}

std::string text(std::string_view code, std::optional<Value> input = {}) {
  return text_for_runner({code, "p.js", std::move(input)}, engine()).value();
}

// What a runner makes of it that calls no functions and knows no types, as JSON.
std::string result(std::string_view code, std::optional<Value> input = {}) {
  const Report report =
      engine().execute(text(code, std::move(input)), {.program = ProgramRule::execbox}).get();
  return report.ok() ? to_json(report.result).value_or("undefined") : to_string(report.error);
}

TEST(ProgramText, LeavesPlainProgramsAlone) {
  for (const char* code : {"1 + 1", "const a = 1;\na", "return 5", "not a program (", "",
                           "import a from './b.js'; a", "(await f()).x; g()"})
    EXPECT_EQ(text(code), code);
}

TEST(ProgramText, CallsAProgramThatIsOneFunction) {
  EXPECT_EQ(result("async () => 5"), "5");
  EXPECT_EQ(result("(input) => input.n + 1;\n", Value::object({{"n", 1}})), "2");
  EXPECT_EQ(result("x => x", Value("in")), "\"in\"");
  EXPECT_EQ(result("// why\nfunction main(input) { return input }", Value(7)), "7");
  EXPECT_EQ(result("async function main() { return 'called'; }"), "\"called\"");
  EXPECT_EQ(result("(() => 3)()"), "3");
  EXPECT_EQ(result("(1 + 2) * 3"), "9");
  EXPECT_EQ(result("function f() { return 1 } f() + 1"), "2");
}

TEST(ProgramText, CallsALoneFunctionWithWhatStandsAroundIt) {
  EXPECT_EQ(result("(x) => x; // why; so", Value(4)), "4");
  EXPECT_EQ(result("(x) => 'a;//b' + x;\n/* ; */;\n// end", Value(4)), "\"a;//b4\"");
  EXPECT_EQ(result("export default (x) => x + 1", Value(4)), "5");
  EXPECT_EQ(result("// why\nexport default async function main(x) { return [x]; }", Value(4)),
            "[4]");
  EXPECT_EQ(result("export default 5", Value(4)), "5");
}

TEST(ProgramText, GivesTheInputBesideAllPrograms) {
  for (const char* nothing : {"", "  ", "// only a comment", "/* c */"})
    EXPECT_EQ(result(nothing, Value(1)), "undefined") << nothing;
  EXPECT_EQ(result("'use strict'; (function () { return typeof this })() + input", Value(1)),
            "\"undefined1\"");
}

TEST(ProgramText, SeesFunctionsBehindWhateverMayStandBeforeThem) {
  EXPECT_EQ(result("\xC2\xA0 x => 1"), "1");
  EXPECT_EQ(result("\xEF\xBB\xBF"
                   "async () => 2"),
            "2");
  EXPECT_EQ(result("/* => */ function f() { return 3 }"), "3");
  EXPECT_EQ(result("\v\f(() => 4)"), "4");
  EXPECT_EQ(result("(5)"), "5");
  EXPECT_EQ(result("\xC3\xA4 => 6"), "6");
}

TEST(ProgramText, IsTheSameWhenTheProgramIsKnown) {
  ProgramMemo memo;
  for (const char* code : {"1 + 1", "(input) => input", "const a: number = 1; a", "1 +", "",
                           "'use strict'; this", "export default (1 + 2)"}) {
    const ProgramToSend program{code, "p.js", Value(1)};
    const std::string afresh = text_for_runner(program, engine()).value();
    EXPECT_EQ(text_for_runner(program, engine(), &memo).value(), afresh);
    EXPECT_EQ(text_for_runner(program, engine(), &memo).value(), afresh);
  }
}

TEST(ProgramMemo, KeepsTheLastFew) {
  ProgramMemo memo;
  for (int i = 0; i < 40; ++i)
    memo.keep(std::to_string(i), {.is_body = true, .is_strict = false, .lone = std::to_string(i)});
  EXPECT_FALSE(memo.find("23"));
  EXPECT_EQ(memo.find("24").value().lone, "24");
  EXPECT_EQ(memo.find("39").value().lone, "39");
  memo.keep(std::string(100'000, ' '), {});
  EXPECT_FALSE(memo.find(std::string(100'000, ' ')));
  EXPECT_TRUE(memo.find("24"));
}

TEST(ProgramText, GivesTheInputAsData) {
  const Value odd = from_json(R"({"__proto__": {"a": 1}, "t": "\"\u2028\\"})").value();
  EXPECT_EQ(result("[Object.keys(input), input.a, input.t.length]", odd),
            R"([["__proto__","t"],null,3])");
  EXPECT_EQ(result("if (input) return 'given'; return 'none'", Value(true)), "\"given\"");
}

TEST(ProgramText, TakesTypesAwayWhereThereAreSome) {
  EXPECT_EQ(result("const a: number = 20;\na + 1"), "21");
  EXPECT_EQ(result("(n: number): number => n * 2", Value(4)), "8");
  EXPECT_EQ(result("```ts\ntype A = string; const a: A = 'fenced'; a\n```"), "\"fenced\"");
}

TEST(ProgramText, KeepsTheLastStatementWhereNamespacesAre) {
  EXPECT_EQ(result("namespace N { export const q = 1 }\n[N.q]"), "[1]");
  EXPECT_EQ(result("namespace N { export const q = 1 }\nreturn N.q"), "1");
  EXPECT_EQ(result("enum E { a = 4 }\nE.a"), "4");
  EXPECT_EQ(result("enum E { a = 4 }\nE.a\nvar b;"), "undefined");
}

TEST(ProgramText, FindsTheProgramInMarkdown) {
  EXPECT_EQ(result("Here it is:\n\n```js\n(x) => x + 1\n```\nIt adds.", Value(1)), "2");
  EXPECT_EQ(result("With types it is:\n```ts\nconst a: number = 3; a\n```"), "3");
  const std::string in_comment = "export const a = 1;\n/*\n```js\n5\n```\n*/";
  EXPECT_EQ(text(in_comment), in_comment);
}

TEST(ProgramText, KeepsItsLines) {
  const std::string code = "\n\nthrow new Error('here')";
  const Report report =
      engine().execute(text(code, Value(1)), {.program = ProgramRule::execbox}).get();
  ASSERT_TRUE(report.error.location.has_value());
  EXPECT_EQ(report.error.location->line, 3U);
}

}  // namespace
}  // namespace cordon::runners
