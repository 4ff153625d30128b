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
  return text_for_runner({code, "p.js", std::move(input)}, engine()).value().code;
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
    const std::string afresh = text_for_runner(program, engine()).value().code;
    EXPECT_EQ(text_for_runner(program, engine(), &memo).value().code, afresh);
    EXPECT_EQ(text_for_runner(program, engine(), &memo).value().code, afresh);
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
  // By accident a label and a template.
  EXPECT_EQ(result("Result:\n```js\n5\n```\n"), "5");
  EXPECT_EQ(result("Answer: `x`\n\n```js\nreturn 6\n```\n"), "6");
  const std::string in_comment = "export const a = 1;\n/*\n```js\n5\n```\n*/";
  EXPECT_EQ(text(in_comment), in_comment);
}

TEST(ProgramText, SaysWhatCannotRun) {
  const auto refusal = [](std::string_view code, std::string_view file) {
    const auto sent = text_for_runner({code, file}, engine());
    if (sent) return std::string("it is sent");
    const ExecutionError& error = sent.error();
    EXPECT_TRUE(error.is(ErrorCode::syntax_error));
    return std::to_string(error.location->line) + ":" + std::to_string(error.location->column) +
           " " + error.excerpt.lines.back();
  };
  EXPECT_EQ(refusal("1;\nimport fs = require('fs');", "p.ts"), "2:1 import fs = require('fs');");
  EXPECT_EQ(refusal("const a: = 1", "p.ts"), "1:10 const a: = 1");
  EXPECT_EQ(refusal("Either\n```js\n1\n```\nor this:\n```js\n2\n```\n", "stdin").substr(0, 3),
            "6:1");
  EXPECT_EQ(refusal("const a: = 1", "p.js"), "it is sent");
}

TEST(ProgramText, DefinesTheInputAsHere) {
  const Value input = Value::object({{"a", 1}});
  EXPECT_EQ(result("Object.keys(globalThis).includes('input')", input), "false");
  EXPECT_EQ(result("delete globalThis.input; typeof input", input), "\"undefined\"");
  EXPECT_EQ(result("input = 3; input", input), "3");
  // What the program declares by that name is its own.
  EXPECT_EQ(result("function input() { return 7 } input()", input), "7");
  EXPECT_EQ(result("let input = 8; input", input), "8");
  EXPECT_EQ(result("var input; input", input), R"({"a":1})");
  EXPECT_EQ(result("var input = 9; input", input), "9");
  EXPECT_EQ(result("function input() { return 7 } return input()", input), "7");
}

TEST(ProgramText, KnowsItsPlaces) {
  // A program, its input, and where it fails.
  const auto place = [](std::string_view code, std::optional<Value> input = {},
                        std::string_view file = "p.js") {
    const SentProgram sent = text_for_runner({code, file, std::move(input)}, engine()).value();
    ExecutionError error =
        engine().execute(sent.code, {.program = ProgramRule::execbox}).get().error;
    sent.places.put_right(error);
    if (!error.location) return std::string("nowhere");
    return error.location->file + ":" + std::to_string(error.location->line) + ":" +
           std::to_string(error.location->column) + " " + error.excerpt.lines.back();
  };
  EXPECT_EQ(place("1;  nowhere.x"), "p.js:1:5 1;  nowhere.x");
  EXPECT_EQ(place("1;  nowhere.x", Value("\xC3\xA4\xF0\x9F\x98\x80")), "p.js:1:5 1;  nowhere.x");
  EXPECT_EQ(place("1;\nnowhere.x", Value(1)), "p.js:2:1 nowhere.x");
  EXPECT_EQ(place("'use strict'; nowhere", Value(1)), "p.js:1:15 'use strict'; nowhere");
  EXPECT_EQ(place("(input) => nowhere", Value(1)), "p.js:1:12 (input) => nowhere");
  EXPECT_EQ(place("export default () => nowhere"), "p.js:1:22 export default () => nowhere");
  EXPECT_EQ(place("Here it is:\n\n```js\nlet a = 1;\na.b.c\n```\n"), "p.js:5:5 a.b.c");
  EXPECT_EQ(place("const a: number = 1; a.b.c", Value(1), "p.ts"),
            "p.ts:1:26 const a: number = 1; a.b.c");
  EXPECT_EQ(place("enum E { x }\nfunction f(e: E): void { nowhere }\nf(E.x)", {}, "p.ts"),
            "p.ts:2:26 function f(e: E): void { nowhere }");
}

TEST(ProgramText, GivesAFunctionNoName) {
  EXPECT_EQ(result("(function () { return (new Error('x')).stack.includes('program ') })"),
            "false");
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
