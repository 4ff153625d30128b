#include "cordon/runners/plain_program.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/describe.h"
#include "cordon/engine.h"

namespace cordon::runners {
namespace {

const std::vector<std::string>& plain_programs() {
  static const std::vector<std::string> programs = {
      "",
      "1 + 1",
      "1 + 1;\n",
      "// what it is\n/* for\n */ 1",
      "const a = 1, b = a * 2; let c; c = a < b ? [a, ...b] : { a, b: -c, 'd e': `x${c}y${a}z`, 1: "
      "a };\nreturn c",
      "const { a, b: [c, [d] = 1] } = await shop.read({ n: 1 });\nreturn a",
      "const { a, b: { c = 1 }, ...rest } = await shop.read(1)\nconst [x, y = x, ...z] = rest\nx + "
      "y",
      "for (const item of await shop.list()) { if (!item.ok) continue; else break }\nnull",
      "for (let i = 0, n = 3; i < n; i++) n--;\nfor (let i = 0; ; ) { break }",
      "while (a.b?.[0]?.(1) ?? c) { a.b = null; }",
      "const found = (await Promise.all(ids.map(async (id) => await shop.read({ id "
      "})))).filter((x) => x.price > 10);\n"
      "const sum = found.reduce((all, { price = 0 }) => all + price, 0);\nreturn { count: "
      "found.length, sum };",
      "try { await f() } catch (error) { console.log(error.message) } finally { done = true }",
      "try { f() } catch { throw new Error('no', { cause: 1 }) }",
      "const f = x => { return x };\nconst g = async x => await x, h = () => ({ x: 1 "
      "});\nf(g)(h())",
      "if (a) return\nelse b()\n",
      "a\n++b",
      "a = b\nc = d",
      "const f = (a) => {}\n(1)",
      "x.let.class.await = new A.B(1).c[d](e)",
      "a ? b : c ? d : e, f",
      "({ a: 1 }).a",
      "((1))",
      "`${`${1}`} }`",
      "'\\n\\'' + \"\\\"\" + 'ü €'",
      "typeof a === 'b' || !c && -d + +e instanceof F",
      "let s = ''; s += `- ${s.length > 0 ? `a${1}` : ''}\\n`; s",
      "return f(1);\nfunction f(a, { b } = {}) { return g(a); async function g(x) { return await x "
      "} }",
      "1.5e-3 * .5 + 0.25",
      "[].length\n[0]",
  };
  return programs;
}

// Some of them are JavaScript, too: it need not know all of it.
const std::vector<std::string>& other_programs() {
  static const std::vector<std::string> programs = {
      "const a: number = 1",
      "let a = b as string",
      "a!.b",
      "type A = string; 1",
      "interface A {} 1",
      "function f() {} f()",
      "f(); function* f() {}",
      "f(); function f(a, a) { let a }",
      "f(); async function f() { function g() { await 1 } }",
      "f(); let f; function f() {}",
      "if (1) function f() {}",
      "async () => 1",
      "() => 1",
      "x => 1",
      "(x) => 1",
      "'use strict'; 1",
      "export default 1",
      "import a from 'a'; a",
      "const a = 1; const a = 2",
      "let a; { let a }; let a",
      "const f = (a) => { let a }",
      "const f = (a, a) => 1",
      "try {} catch (e) { let e }",
      "const a",
      "let { a }",
      "for (const i = 0, j; ; ) {}",
      "if (a) let b = 1",
      "await = 1",
      "const f = () => { await 1 }",
      "const f = async (a = await 1) => a",
      "const f = ({ a }) => { 'use strict' }",
      "break",
      "while (1) { const f = () => { break } }",
      "a ?? b || c",
      "-a ** 2",
      "a++ ++",
      "1 = 2",
      "a + b = c",
      "a?.b = 1",
      "++a()",
      "a?.b\n`c`",
      "'\\x1'",
      "'\\u12'",
      "`\\u{}`",
      "010",
      "1a",
      "3.toString()",
      "a b",
      "a // b\r c d",
      "throw /* \r*/ a",
      "throw\na",
      "throw /*\n*/ a",
      "1 // a\xe2\x80\xa8 let b: c",
      "{ a: 1, b: 2 }",
      "({ __proto__: a, __proto__: b })",
      "({ '__proto__': a, '__proto__': b })",
      "({ a = 1 })",
      "({ if })",
      "a => {} + 1",
      "const f = a => {} + 1",
      "a || b => 1",
      "new a",
      "}",
      "{",
      "(",
      "`",
      "`${",
      "'",
      "/*",
      "<!-- a",
      "a\n--> b",
      "#!/bin/sh\n1",
      "let let = 1",
      "eval = 1",
      "arguments++",
      "```js\n1\n```",
      "Here is the program:\n\n```js\n1\n```",
      std::string("1\0", 2),
      "'\xff'",
      std::string(1000, '(') + "1" + std::string(1000, ')'),
  };
  return programs;
}

Engine& engine() {
  static Engine engine = *Engine::create({.workers = 0, .slots = 1});
  return engine;
}

// For each text whether an engine takes it for the body of an async function, and whether it may
// be a function as a whole or strict.
std::vector<bool> are_bodies(const std::vector<std::string>& texts) {
  ExecuteOptions options;
  options.input = Value::array_from(std::vector<Value>(texts.begin(), texts.end()));
  options.limits.memory_bytes = std::uint64_t{1} << 30;
  const Report report = engine()
                            .execute(R"js((() => {
            const AsyncFunction = (async () => {}).constructor;
            const parses = (text) => { try { AsyncFunction(text); return true } catch { return false } };
            const begins = /^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*(?:async\b|function\b|\(|"|'|[\p{ID_Start}$_][\p{ID_Continue}$]*\s*=>)/u;
            return input.map((text) => parses(text) && !begins.test(text));
          })())js",
                                     std::move(options))
                            .get();
  EXPECT_TRUE(report.ok()) << describe(report.error);
  std::vector<bool> bodies;
  for (const ValueView one : report.result.items()) bodies.push_back(one.as_bool());
  return bodies;
}

TEST(PlainProgram, KnowsHowMostProgramsAreWritten) {
  const std::vector<bool> bodies = are_bodies(plain_programs());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::string& program = plain_programs()[i];
    const bool begins_as_a_function = program.starts_with('(') || program.starts_with('\'');
    EXPECT_EQ(is_plain_program(program), !begins_as_a_function) << program;
    EXPECT_EQ(bodies[i], !begins_as_a_function) << program;
  }
}

TEST(PlainProgram, RefusesWhatItIsNotSureOf) {
  for (const std::string& program : other_programs())
    EXPECT_FALSE(is_plain_program(program)) << program;
}

// Parts of the programs above and of those in the examples, put together at random: whatever it
// takes, an engine takes too.
TEST(PlainProgram, TakesNothingThatAnEngineRefuses) {
  std::vector<std::string> parts;
  const auto take_apart = [&parts](const std::string& text) {
    constexpr std::string_view signs = "{}()[];,.<>+-*/%!?:=&|^`'\"\n ";
    std::string part;
    for (const char c : text) {
      if (!signs.contains(c)) {
        part += c;
        continue;
      }
      if (!part.empty()) parts.push_back(std::exchange(part, {}));
      parts.emplace_back(1, c);
    }
    if (!part.empty()) parts.push_back(part);
  };
  for (const std::string& program : plain_programs()) take_apart(program);
  for (const std::string& program : other_programs()) take_apart(program.substr(0, 100));
  std::vector<std::string> seeds = plain_programs();
  for (const std::string& program : other_programs())
    if (program.size() < 100 && !program.contains('\0') && !program.contains('\xff'))
      seeds.push_back(program);

  std::mt19937 random(1);
  const auto below = [&random](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  std::vector<std::string> taken;
  constexpr int tries = 300'000;
  for (int i = 0; i < tries; ++i) {
    std::string text = seeds[below(seeds.size())];
    if (below(3) == 0) text += (below(2) == 0 ? "\n" : ";") + seeds[below(seeds.size())];
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(text.size() + 1);
      const std::size_t cut = below(4);
      text.replace(at, cut, below(3) == 0 ? "" : parts[below(parts.size())]);
    }
    if (text.contains('\0') || text.contains('\xff') || !is_plain_program(text)) continue;
    taken.push_back(std::move(text));
  }
  EXPECT_GT(taken.size(), 10'000u);
  const std::vector<bool> bodies = are_bodies(taken);
  ASSERT_EQ(bodies.size(), taken.size());
  for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_TRUE(bodies[i]) << taken[i];
}

TEST(PlainProgram, KnowsManyOfTheExamples) {
  std::vector<std::string> programs;
  for (const auto& file : std::filesystem::directory_iterator("examples/programs")) {
    if (file.path().extension() != ".js") continue;
    std::ifstream in(file.path());
    programs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  const std::vector<bool> bodies = are_bodies(programs);
  std::size_t plain = 0;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (!is_plain_program(programs[i])) continue;
    ++plain;
    EXPECT_TRUE(bodies[i]) << programs[i];
  }
  RecordProperty("plain", std::to_string(plain) + " of " + std::to_string(programs.size()));
  EXPECT_GT(plain, 5u);
}

}  // namespace
}  // namespace cordon::runners
