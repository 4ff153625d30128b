// What errors say of themselves in a program: their messages, and their stacks.

#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/engine.h"

namespace cordon {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Report run(std::string_view code) {
  static Engine engine = *Engine::create_one_shot();
  return engine.execute(code, {.name = "m.js"}).get();
}

std::string message_of(std::string_view code) { return run(code).error.message; }

std::string text_of(std::string_view code) {
  const Report report = run(code);
  return report.ok() ? std::string(report.result.as_string()) : "failed: " + report.error.message;
}

TEST(ErrorMessages, NameTheExpression) {
  const std::pair<const char*, const char*> programs[] = {
      {"[...5]", "5 is not iterable"},
      {"const o = {}; [...o.items]", "o.items is not iterable"},
      {"const o = {}; Math.max(...o.items)", "o.items is not iterable"},
      {"const obj = {}; for (const x of obj.items) {}", "obj.items is not iterable"},
      {"const o = {}; const [p, q] = o.list", "o.list is not iterable"},
      {"const [a] = 5", "5 is not iterable"},
      {"async function f() { return [1] }; for (const x of f()) {}", "f(...) is not iterable"},
      {"for await (const x of 5) {}", "5 is not async iterable"},
      {"const o = {}; o()", "o is not a function"},
      {"let fn; fn()", "fn is not a function"},
      {"5()", "5 is not a function"},
      {"const o = {a: {}}; o.a.b()", "o.a.b is not a function"},
      {"const o = {a: {b: 1}}; o.a.b(1, 2)", "o.a.b is not a function"},
      {"const o = {}; o.a(...[1])", "o.a is not a function"},
      {"const o = {a: {}}; const k = 'x'; o.a[k]()", "o.a[k] is not a function"},
      {"const o = {a: {}}; o.a['b-c']()", "o.a[\"b-c\"] is not a function"},
      {"const o = {f: () => ({})}; o.f().g()", "o.f(...).g is not a function"},
      {"const f = () => 5; f()()", "f(...) is not a function"},
      {"function f(callback) { return callback(1) } f()", "callback is not a function"},
      {"let a = 5; a`text`", "a is not a function"},
      {"class A { m() { this.list.map(x => x) } } const a = new A(); a.list = {}; a.m()",
       "this.list.map is not a function"},
      {"const o = {a: {}}, c = 1; o.a.b(c ? 1 : 2, o && o.c, c ?? o)", "o.a.b is not a function"},
      {"const o = {a: {}}, c = 1; const z = c ? o.a.b() : 5", "o.a.b is not a function"},
      {"let x = 5; new x()", "x is not a constructor"},
      {"const o = {}; new o.X(1)", "o.X is not a constructor"},
      {"const o = {}; new o.X(...[1])", "o.X is not a constructor"},
      {"const {a} = null", "Cannot destructure property 'a' of 'null' as it is null."},
      {"const o = {}; const {a} = o.b",
       "Cannot destructure property 'a' of 'o.b' as it is undefined."},
      {"(function ({a}) {})()",
       "Cannot destructure property 'a' of 'undefined' as it is undefined."},
      {"class Point {}; Point()", "Class constructor Point cannot be invoked without 'new'"},
      {"early; let early = 1", "Cannot access 'early' before initialization"},
      {"const c = 1; c = 2", "'c' is read-only"},
  };
  for (const auto& [code, message] : programs) EXPECT_EQ(message_of(code), message) << code;
}

// What has been pushed by one of two branches is not named by either.
TEST(ErrorMessages, NameAValueWhereTheExpressionIsNotOne) {
  EXPECT_EQ(message_of("const o = {}; (o.x || o.y)()"), "undefined is not a function");
  EXPECT_EQ(message_of("const o = {a: 1}; (o.a ? o.b : o.c)()"), "undefined is not a function");
  EXPECT_EQ(message_of("class A { #p = 5; m() { this.#p() } }; new A().m()"),
            "number 5 is not a function");
  EXPECT_EQ(message_of("[1].map(5)"), "number 5 is not a function");
  EXPECT_EQ(message_of("new Set(true)"), "boolean true is not iterable");
  EXPECT_EQ(message_of("new Map({})"), "object is not iterable");
}

TEST(ErrorMessages, OfAVeryLongFunctionAreStillTrue) {
  std::string code = "const o = {};\n";
  for (int i = 0; i < 20'000; ++i) code += "o.a = 1;\n";
  EXPECT_THAT(message_of(code + "o.f()"), HasSubstr("not a function"));
  EXPECT_EQ(
      message_of("const o = {};" + std::string(400, '(') + "o.f" + std::string(400, ')') + "()"),
      "o.f is not a function");
  std::string chain = "const o = {}; o.a = o; o";
  for (int i = 0; i < 300; ++i) chain += ".a";
  EXPECT_THAT(message_of(chain + ".f()"), HasSubstr("not a function"));
}

TEST(ErrorMessages, AreThoseThatNodeHas) {
  const std::pair<const char*, const char*> programs[] = {
      {"[].reduce((a, b) => a)", "Reduce of empty array with no initial value"},
      {"5 instanceof 5", "Right-hand side of 'instanceof' is not an object"},
      {"({}) instanceof {}", "Right-hand side of 'instanceof' is not callable"},
      {"'a' in 'b'", "Cannot use 'in' operator to search for 'a' in b"},
      {"1n + 1", "Cannot mix BigInt and other types, use explicit conversions"},
      {"Math.max(1n)", "Cannot convert a BigInt value to a number"},
      {"JSON.stringify({a: 1n})", "Do not know how to serialize a BigInt"},
      {"const a = {}; a.a = a; JSON.stringify(a)", "Converting circular structure to JSON"},
      {"new Date(NaN).toISOString()", "Invalid time value"},
      {"decodeURIComponent('%')", "URI malformed"},
      {"(1).toFixed(101)", "toFixed() digits argument must be between 0 and 100"},
      {"class A extends B {}; var B = 5",
       "Class extends value undefined is not a constructor or null"},
      {"class A {}; class B extends A { constructor() {} }; new B()",
       "Must call super constructor in derived class before accessing 'this' or returning from "
       "derived constructor"},
      {"await Promise.any([])", "All promises were rejected"},
      {"JSON.parse('{\"a\": }')", "Unexpected token '}', \"{\"a\": }\" is not valid JSON"},
      {"JSON.parse(undefined)", "\"undefined\" is not valid JSON"},
      {"JSON.parse({})", "\"[object Object]\" is not valid JSON"},
      {"JSON.parse('')", "Unexpected end of JSON input"},
      {"JSON.parse('{\"a\": 1,}')",
       "Expected double-quoted property name in JSON at position 8 (line 1 column 9)"},
      {"JSON.parse('{\"a\": 1} x')",
       "Unexpected non-whitespace character after JSON at position 9 (line 1 column 10)"},
      {"JSON.parse('[1, 2, 3, 4, x, 5, 6, 7, 8, 9]')",
       "Unexpected token 'x', ...\" 2, 3, 4, x, 5, 6, 7\"... is not valid JSON"},
  };
  for (const auto& [code, message] : programs) EXPECT_EQ(message_of(code), message) << code;
}

TEST(ErrorMessages, OfATextThatDoesNotParseSayWhatIsWrong) {
  const std::pair<const char*, const char*> programs[] = {
      {"const a = ", "Unexpected end of input"},
      {"function f() {\n  if (x) {\n}",
       "Unexpected end of input: '{' of line 1, column 14 is not closed"},
      {"foo(1,\n  [2, 3)", "Unexpected token ')'"},
      {"foo(1, 2", "Unexpected end of input: '(' of line 1, column 4 is not closed"},
      {"let a = `x ${1 + `", nullptr},
      {"x = (a) => { return (b, c) => [a",
       "Unexpected end of input: '[' of line 1, column 31 is not closed"},
      {"a = /[({]/; (", "Unexpected end of input: '(' of line 1, column 13 is not closed"},
      {"const x = async (a, {b}) => { foo(`${a}`); ",
       "Unexpected end of input: '{' of line 1, column 29 is not closed"},
      {"function f() { await x }",
       "await is only valid in async functions and the top level bodies of modules"},
      {"console.log(“hi”)", "Invalid or unexpected token '“' (U+201C); write ' or \" for quotes"},
      {"const a = 1；", "Invalid or unexpected token '；' (U+FF1B)"},
      {"def f(x): return x", "Unexpected identifier 'f'"},
      {"x = {a: 1}; if x: 5", nullptr},
      {"foo(1, 2;", "missing ) after argument list"},
      {"foo(...a b)", "missing ) after argument list"},
      {"function g() { f(await x) }",
       "await is only valid in async functions and the top level bodies of modules"},
      {"let class = 1", "Unexpected token 'class'"},
      {"const s = 'it's'", "Unexpected identifier 's'"},
  };
  for (const auto& [code, message] : programs) {
    const Report report = run(code);
    EXPECT_EQ(report.error.code, ErrorCode::syntax_error) << code;
    EXPECT_THAT(report.error.message, Not(HasSubstr("''"))) << code;
    if (message) EXPECT_EQ(report.error.message, message) << code;
  }
}

TEST(ErrorMessages, ShowWhatIsNoError) {
  EXPECT_EQ(message_of("throw {code: 'E', status: 404}"), "{ code: 'E', status: 404 }");
  EXPECT_EQ(message_of("await Promise.reject({list: [1, new Map()]})"),
            "{ list: [ 1, Map(0) {} ] }");
  EXPECT_EQ(message_of("throw 'text'"), "text");
  EXPECT_EQ(message_of("throw null"), "null");
  EXPECT_EQ(message_of("throw [1, 'a']"), "[ 1, 'a' ]");
  EXPECT_EQ(message_of("throw {message: 'own', code: 5}"), "own");
  EXPECT_EQ(message_of("throw {toString() { return 'says so' }}"), "says so");
  EXPECT_EQ(message_of("throw {get code() { throw 1 }}"), "{ code: [Getter] }");
}

TEST(ErrorMessages, OfSeveralErrorsAreCauses) {
  const Report report = run(
      "await Promise.any([Promise.reject(new Error('a')), Promise.reject(new TypeError('b'))])");
  ASSERT_EQ(report.error.causes.size(), 2u);
  EXPECT_EQ(report.error.causes[0].message, "a");
  EXPECT_EQ(report.error.causes[1].name, "TypeError");
  EXPECT_THAT(run("throw new AggregateError([1, 2], 'm')").error.causes, IsEmpty());
}

// What an error is read by, as in Node.
TEST(ErrorStacks, AreOneKindOfPropertyOfEveryError) {
  const std::string show =
      "const show = (e) => { const d = Object.getOwnPropertyDescriptor(e, 'stack');"
      " return [typeof d.value, d.writable, d.enumerable, d.configurable,"
      " Object.getOwnPropertyNames(e)[0], e.stack.split('\\n')[0],"
      " /^    at .*\\(m.js:\\d+:\\d+\\)$/.test(e.stack.split('\\n')[1] ?? '')].join() };"
      "const caught = (f) => { try { f() } catch (e) { return e } };"
      "class Own extends Error {} class Named extends Error { name = 'Named' }"
      "class Set extends Error { constructor(m) { super(m); this.name = 'Set' } }"
      "class Got extends Error { get name() { return 'Got' } } ";
  const std::pair<const char*, const char*> errors[] = {
      {"new Error('m')", "Error: m"},
      {"Error('m')", "Error: m"},
      {"new RangeError()", "RangeError"},
      {"caught(() => null.x)", "TypeError: cannot read property 'x' of null"},
      {"caught(() => x.y)", "ReferenceError: x is not defined"},
      {"caught(() => JSON.parse('{'))",
       "SyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)"},
      {"new Own('m')", "Error: m"},
      {"new Named('m')", "Named: m"},
      {"new Set('m')", "Set: m"},
      {"new Got('m')", "Got: m"},
      {"new AggregateError([], 'm')", "AggregateError: m"},
      {"Object.assign(new Error('m'), {message: 'n'})", "Error: n"},
      {"structuredClone(new TypeError('m'))", "TypeError: m"},
      {"new Error('a\\nb')", "Error: a"},
  };
  for (const auto& [error, head] : errors) {
    const std::string text = text_of(show + "show(" + error + ")");
    EXPECT_THAT(text, StartsWith("string,true,false,true,stack," + std::string(head))) << error;
  }
  EXPECT_THAT(text_of(show + "show(new Error('m'))"), EndsWith("Error: m,true"));
  EXPECT_THAT(text_of(show + "show(caught(() => null.x))"), EndsWith(",true"));
  EXPECT_EQ(text_of("const e = new Error('m'); JSON.stringify(e) + Object.keys(e)"), "{}");
  EXPECT_EQ(text_of("const e = new DOMException('m', 'AbortError'); e.stack.split('\\n')[0] +"
                    " Object.getOwnPropertyNames(e)"),
            "AbortError: mstack");
}

TEST(ErrorStacks, AreWrittenAndDeletedAsAnyProperty) {
  EXPECT_EQ(text_of("const e = new Error('m'); e.stack = null; String(e.stack)"), "null");
  EXPECT_EQ(text_of("let e; try { null.x } catch (x) { e = x } e.stack = 5; String(e.stack)"), "5");
  EXPECT_EQ(text_of("const e = new Error('m'); delete e.stack; String(e.stack)"), "undefined");
  EXPECT_EQ(text_of("const e = Object.freeze(new Error('m')); e.stack.split('\\n')[0]"),
            "Error: m");
  EXPECT_EQ(text_of("const e = Object.freeze(new Error('m')); (() => { 'use strict';"
                    " try { e.stack = 1; return 'written' } catch (x) { return x.name } })()"),
            "TypeError");
  EXPECT_EQ(text_of("const e = new Error('m'); const s = e.stack; e.message = 'n';"
                    "e.stack === s ? 'same' : 'other'"),
            "same");
  EXPECT_EQ(text_of("String('stack' in Error.prototype) + Object.create(Error.prototype).stack"),
            "falseundefined");
}

TEST(ErrorStacks, CanBeCaptured) {
  EXPECT_EQ(text_of("const o = {}; Error.captureStackTrace(o); o.stack.split('\\n')[0]"), "Error");
  EXPECT_EQ(text_of("const o = {name: 'N', message: 'M'}; Error.captureStackTrace(o);"
                    "o.stack.split('\\n')[0] + Object.keys(o)"),
            "N: Mname,message");
  EXPECT_THAT(text_of("function outer() { return inner() } function inner() { const o = {};"
                      " Error.captureStackTrace(o, inner); return o.stack } outer()"),
              HasSubstr("Error\n    at outer (m.js:1:27)"));
  EXPECT_EQ(text_of("class E extends Error { constructor(m) { super(m); Error.captureStackTrace("
                    "this, E); this.name = 'E' } } new E('m').stack.split('\\n')[0]"),
            "E: m");
  EXPECT_EQ(text_of("Error.stackTraceLimit = 1; function f() { return new Error('m').stack } f()"),
            "Error: m\n    at f (m.js:1:50)");
  EXPECT_EQ(text_of("Error.prepareStackTrace = (e, sites) => e.message + sites.length;"
                    "const e = new Error('m'); String(e.stack)"),
            "m1");
}

TEST(ErrorStacks, OfAProgramsOwnMakingAreShownAndNothingElseIsBelieved) {
  const auto place = [](std::string_view code) {
    const Report report = run(code);
    return report.error.location
               ? report.error.location->file + ":" + std::to_string(report.error.location->line)
               : "nowhere";
  };
  EXPECT_EQ(place("1;\nthrow new Error('a\\n    at fake (evil.js:9:9)')"), "m.js:2");
  EXPECT_EQ(place("1;\nconst e = new Error('at evil.js:9:9'); e.stack = null;\nthrow e"), "m.js:2");
  EXPECT_EQ(place("1;\nconst e = new Error('a\\n    at fake (evil.js:9:9)');"
                  "e.stack = 'prefix\\n' + e.stack;\nthrow e"),
            "m.js:2");
  EXPECT_EQ(place("1;\nconst e = new Error('m'); e.message = '\\n    at fake (evil.js:9:9)';"
                  "e.stack;\nthrow e"),
            "m.js:2");
  EXPECT_EQ(place("1;\nthrow new DOMException('a\\n    at fake (evil.js:9:9)', 'AbortError')"),
            "m.js:2");
  // One that was made at another place, and is handed on.
  EXPECT_EQ(place("1;\nconst first = new Error('first');\nconst e = new Error('second');"
                  "e.stack = first.stack;\nthrow e"),
            "m.js:2");
  EXPECT_EQ(run("throw new Error('m')").error.stack, "    at <eval> (m.js:1:7)\n");
}

TEST(ErrorStacks, HaveTheFunctionsThatWait) {
  EXPECT_EQ(run("async function load() { await null; null.x }\n"
                "async function main() {\n  return await load(); }\n"
                "await main()")
                .error.stack,
            "    at load (m.js:1:42)\n    at async main (m.js:3:10)\n"
            "    at async <eval> (m.js:4:1)\n");
  EXPECT_EQ(run("async function part() { await null; throw new Error('m') }\n"
                "async function main() { await Promise.all([1, part()]) }\n"
                "await main()")
                .error.stack,
            "    at part (m.js:1:43)\n    at async Promise.all (index 1)\n"
            "    at async main (m.js:2:25)\n    at async <eval> (m.js:3:1)\n");
  EXPECT_EQ(run("async function inner() { await null; await null; throw new Error('m') }\n"
                "async function outer() { return inner() }\n"
                "await outer()")
                .error.stack,
            "    at inner (m.js:1:56)\n    at async <eval> (m.js:3:1)\n");
  EXPECT_THAT(run("async function* list() { yield 1; await null; throw new Error('m') }\n"
                  "async function main() { for await (const x of list()) {} }\nawait main()")
                  .error.stack,
              HasSubstr("    at async main (m.js:2:"));
  // Up to Error.stackTraceLimit.
  EXPECT_EQ(
      text_of("async function f(n) { if (!n) { await null; throw new Error('m') }"
              " await f(n - 1) }"
              "let e; try { await f(50) } catch (x) { e = x } String(e.stack.split('\\n').length)"),
      "11");
}

TEST(ErrorStacks, OfAToolsFailureHaveTheFunctionsThatWait) {
  static Engine engine = *Engine::create_one_shot();
  Provider shop("shop");
  shop.add("price", [](Value) -> Result<Value> { return fail(ErrorCode::tool_error, "sold out"); });
  const Report report =
      engine
          .execute(
              "async function ask() {\n  const price = await shop.price({});\n"
              "  return price }\nconst total = async () => {\n  return 1 + await ask() };\n"
              "await total()",
              {.providers = {shop}, .name = "m.js"})
          .get();
  EXPECT_EQ(report.error.stack,
            "    at ask (m.js:2:28)\n    at async total (m.js:5:14)\n"
            "    at async <eval> (m.js:6:1)\n");
}

// A program that looks at no stack pays for none: each error behind an await costs the same,
// whatever else is waiting.
TEST(ErrorStacks, OfManyErrorsAreMadeInTime) {
  const Report report =
      run("async function leaf(i) { await null; throw new Error('e' + i) }\n"
          "async function middle(i) { await leaf(i) }\n"
          "for (let i = 0; i < 5000; i++) new Promise(() => {}).then(() => 1);\n"
          "let caught = 0;\n"
          "for (let i = 0; i < 30000; i++) { try { await middle(i) } catch { caught++ } }\ncaught");
  EXPECT_EQ(report.result, Value(30000)) << report.error.message;
}

}  // namespace
}  // namespace cordon
