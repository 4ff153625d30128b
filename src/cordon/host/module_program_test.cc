// Programs that are ES modules, and what they import.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/engine.h"

namespace cordon {
namespace {

using testing::HasSubstr;

Engine& engine() {
  static Engine one = *Engine::create_one_shot();
  return one;
}

const std::map<std::string, std::string, std::less<>> modules = {
    {"lib/a.js", "export { b as a } from './b.js'; export default 7"},
    {"lib/b.js", "export const b = 5; export function thrower() {\n  throw new Error('deep');\n}"},
    {"broken.js", "export const fine = 1;\nexport const not = ;"},
    {"wants.js", "\nimport { nothing } from './lib/b.js';"},
    {"round/a.js", "import './b.js'; import './missing.js'; export const a = 1"},
    {"round/b.js", "import './a.js'; export const b = 1"},
    {"typed.ts", "export const n: number = 1;\n  export import c = require('c')"},
    {"types_broken.ts", "export const n: number = 1;\n  export const m: = 2"},
    {"data.json", R"({"list": [1, 2, {"three": 3}]})"},
    {"broken.json", "{\"a\":\n  oops}"},
    {"notes.txt", "\xEF\xBB\xBFone\ntwo \xC3\xBC"},
    {"bytes.bin", std::string("\x00\xFF\x01", 3)},
    {"empty.txt", ""},
};

Report run(std::string_view code) {
  return engine().execute(code, {.name = "main.js", .modules = modules}).get();
}

Value result_of(std::string_view code) {
  const Report report = run(code);
  EXPECT_TRUE(report.ok()) << code << ": " << report.error.message;
  return report.result;
}

std::string place_of(const Report& report) {
  if (!report.error.location) return "nowhere";
  const SourceLocation& at = *report.error.location;
  return at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

TEST(ModuleProgram, HasTheValueOfItsLastExpression) {
  const std::pair<const char*, Value> programs[] = {
      {"import { a } from './lib/a.js'; a + 1", 6},
      {"import { a } from './lib/a.js'; a + 1;", 6},
      {"import { a } from './lib/a.js'; a + 1 // more", 6},
      {"import { a } from './lib/a.js'\n;[a].length\n;;", 1},
      {"import { a } from './lib/a.js'; const t = `${'}'};`; t.length / /;/.source.length", 2},
      {"10\nimport { a } from './lib/a.js'", 10},
      {"const x = 3; x * 2; export { x }; export * from './lib/b.js'", 6},
      {"import { a } from './lib/a.js'; await Promise.resolve(a)", 5},
      {"import { a } from './lib/a.js'; Promise.resolve(a)", 5},
      {"import { a } from './lib/a.js'; ({a})['a']", 5},
  };
  for (const auto& [code, value] : programs) EXPECT_EQ(result_of(code), value) << code;
}

TEST(ModuleProgram, HasNoValueWhereItEndsInSomethingElse) {
  for (const char* code :
       {"export const a = 1", "1; export const a = 1", "1; export function f() {}",
        "import './lib/a.js'; for (const x of [1]) x", "import './lib/a.js'; if (true) 1",
        "import './lib/a.js'; 1; let y = 2", "import './lib/a.js'", "1; export class A {}"}) {
    EXPECT_TRUE(result_of(code).is_undefined()) << code;
  }
}

TEST(ModuleProgram, HasItsDefaultExportBeforeItsLastExpression) {
  EXPECT_EQ(result_of("export default 1; 2"), Value(1));
  EXPECT_EQ(result_of("export { default } from './lib/a.js'; 2"), Value(7));
  EXPECT_EQ(result_of("const five = 5; export { five as default }; 2"), Value(5));
}

TEST(ModuleProgram, HasItsLastExpressionAsItsDefaultExport) {
  const std::string code =
      "import * as self from './main.js'; export const a = 1; Object.keys(self)";
  const Report report =
      engine().execute(code, {.name = "main.js", .modules = {{"main.js", code}}}).get();
  EXPECT_EQ(report.result, Value::array({"a", "default"})) << report.error.message;
}

TEST(ModuleProgram, CallsAFunctionThatIsItsValue) {
  for (const char* code :
       {"export default () => 3", "export default async function () { return 3 }",
        "import './lib/a.js'; async () => 3", "import './lib/a.js'; function main() { return 3 }",
        "import './lib/a.js'; async function main() { return 3 }"}) {
    EXPECT_EQ(result_of(code), Value(3)) << code;
  }
  EXPECT_TRUE(result_of("import './lib/a.js'; function main() { return 3 } function other() {}")
                  .is_undefined());
}

TEST(ModuleProgram, ReturnsAtItsTop) {
  EXPECT_EQ(result_of("import { a } from './lib/a.js'; if (a > 3) { return a } a * 100"), Value(5));
  EXPECT_EQ(result_of("import { a } from './lib/a.js'; try { return a } finally { 1 }"), Value(5));
  EXPECT_TRUE(result_of("import { a } from './lib/a.js'; if (!a) return 1; 2").is_undefined());
}

TEST(ModuleProgram, MayUseResourcesAtItsTop) {
  const std::string resource =
      "const log = []; const of = (name) => ({ name, [Symbol.dispose]() { log.push(name) } });";
  EXPECT_EQ(result_of(resource + "using a = of('a'); using b = of('b'); a.name + b.name"),
            Value("ab"));
  EXPECT_EQ(result_of(resource + "{ using a = of('a'); using b = of('b'); } log.join()"),
            Value("b,a"));
  EXPECT_EQ(
      result_of(
          "let closed = 0; await using a = { async [Symbol.asyncDispose]() { closed++ } }; closed"),
      Value(0));
  EXPECT_EQ(place_of(run("const using = 1;\nlet y = ;")), "main.js:2:9");
}

TEST(ModuleProgram, ImportsTextAndBytes) {
  EXPECT_EQ(result_of("import notes from './notes.txt' with { type: 'text' }; notes"),
            Value("one\ntwo \xC3\xBC"));
  EXPECT_EQ(result_of("(await import('./notes.txt', { with: { type: 'text' } })).default.length"),
            Value(9));
  EXPECT_EQ(result_of("import b from './bytes.bin' with { type: 'bytes' };"
                      "[b instanceof Uint8Array, ...b]"),
            Value::array({true, 0, 255, 1}));
  EXPECT_EQ(result_of("import b from './notes.txt' with { type: 'bytes' }; b.length"), Value(13))
      << "with its byte order mark";
  EXPECT_EQ(result_of("import t from './empty.txt' with { type: 'text' };"
                      "import b from './empty.txt' with { type: 'bytes' }; [t, b.length]"),
            Value::array({"", 0}));
  EXPECT_EQ(result_of("import * as all from './notes.txt' with { type: 'text' };"
                      "Object.keys(all)"),
            Value::array({"default"}));
}

TEST(ModuleProgram, ImportsOneFileInSeveralWays) {
  EXPECT_EQ(
      result_of("import a from './lib/a.js';\n"
                "import text from './lib/a.js' with { type: 'text' };\n"
                "import again from './lib/a.js' with { type: 'text' };\n"
                "import json from './data.json' with { type: 'json' };\n"
                "import source from './data.json' with { type: 'text' };\n"
                "import typed from './typed.ts' with { type: 'text' };\n"
                "import bytes from './data.json' with { type: 'bytes' };\n"
                "const { default: same } = await import('./data.json', {with: {type: 'bytes'}});\n"
                "[a, text.slice(0, 6), text === again, json.list[0], source[0],\n"
                " typed.includes('require'), bytes === same]"),
      Value::array({7, "export", true, 1, "{", true, true}));
}

TEST(ModuleProgram, CannotChangeImportedBytes) {
  EXPECT_EQ(
      result_of("import b from './bytes.bin' with { type: 'bytes' };\n"
                "const thrown = [];\n"
                "for (const attempt of [\n"
                "  () => { b[0] = 1 }, () => b.fill(1), () => b.buffer.transfer(),\n"
                "  () => structuredClone(b.buffer, { transfer: [b.buffer] }),\n"
                "  () => crypto.getRandomValues(b), () => new TextEncoder().encodeInto('x', b),\n"
                "  () => new DataView(b.buffer).setInt8(0, 1)]) {\n"
                "  try { attempt() } catch (error) { thrown.push(error.name) }\n"
                "}\n"
                "[...b, b.buffer.immutable, b.slice()[1], structuredClone(b)[1], ...thrown]"),
      Value::array({0, 255, 1, true, 255, 255, "TypeError", "TypeError", "TypeError",
                    "DataCloneError", "TypeError", "TypeError", "TypeError"}));
}

TEST(ModuleProgram, RefusesTextThatIsNotUtf8) {
  const Report report = run("import b from './bytes.bin' with { type: 'text' }; b");
  EXPECT_THAT(report.error.message, HasSubstr("it is not UTF-8; import it with { type: 'bytes' }"));
  EXPECT_EQ(place_of(report), "main.js:1:15");
}

TEST(ModuleProgram, RefusesUnknownAttributesAsASyntaxError) {
  const Report type = run("1;\nimport data from './data.json' with { type: 'css' }; data");
  EXPECT_EQ(type.error.code, ErrorCode::syntax_error);
  EXPECT_EQ(type.error.message,
            "there is no import type 'css': there is 'json', 'text' and 'bytes'");
  EXPECT_EQ(place_of(type), "main.js:2:32");
  const Report key = run("export * from './lib/a.js' with { kind: 'json' }");
  EXPECT_EQ(key.error.code, ErrorCode::syntax_error);
  EXPECT_EQ(key.error.message, "there is no import attribute 'kind', only type");
  EXPECT_EQ(result_of("import('./data.json', { with: { kind: 'a' } }).catch((e) => e.name)"),
            Value("SyntaxError"));
  EXPECT_EQ(result_of("import('./data.json', { with: { type: 'css' } }).catch((e) => e.name)"),
            Value("SyntaxError"));
}

TEST(ModuleProgram, ImportsJson) {
  EXPECT_EQ(result_of("import data from './data.json' with { type: 'json' }; data.list[2].three"),
            Value(3));
  EXPECT_EQ(result_of("const { default: data } = await import('./data.json', "
                      "{ with: { type: 'json' } }); data.list.length"),
            Value(3));
}

TEST(ModuleProgram, SaysHowJsonIsImported) {
  Report report = run("import data from './data.json'; data");
  EXPECT_EQ(report.error.name, "TypeError");
  EXPECT_THAT(report.error.message, HasSubstr("with { type: 'json' }"));
  EXPECT_EQ(place_of(report), "main.js:1:18");

  report = run("import data from './data.json' with { type: 'css' }; data");
  EXPECT_THAT(report.error.message, HasSubstr("'css'"));

  report = run("import data from './broken.json' with { type: 'json' }; data");
  EXPECT_EQ(report.error.code, ErrorCode::syntax_error);
  EXPECT_EQ(place_of(report), "broken.json:2:3");
}

TEST(ModuleProgram, NamesTheImportThatFoundNothing) {
  Report report = run("1;\nimport { a } from './lib/a.js';\n  import x from './lib/x.js'; x");
  EXPECT_EQ(report.error.code, ErrorCode::runtime_error);
  EXPECT_EQ(report.error.name, "ReferenceError");
  EXPECT_THAT(report.error.message, HasSubstr("'./lib/x.js'"));
  EXPECT_THAT(report.error.message, HasSubstr("lib/a.js"));
  EXPECT_EQ(place_of(report), "main.js:3:17");

  report = run("const later = 1;\nawait import('./lib/x.js')");
  EXPECT_EQ(report.error.name, "ReferenceError");
  EXPECT_EQ(report.error.location->line, 2u);
}

TEST(ModuleProgram, NamesTheImportOfANameThatIsNotThere) {
  Report report = run("import { a, c } from './lib/a.js'; c");
  EXPECT_EQ(report.error.code, ErrorCode::syntax_error);
  EXPECT_THAT(report.error.message, HasSubstr("'c'"));
  EXPECT_EQ(place_of(report), "main.js:1:22");

  report = run("import './wants.js'; 1");
  EXPECT_EQ(report.error.code, ErrorCode::syntax_error);
  EXPECT_EQ(place_of(report), "wants.js:2:25");
}

TEST(ModuleProgram, NamesThePlaceInAModuleThatDoesNotParse) {
  const Report report = run("import { fine } from './broken.js'; fine");
  EXPECT_EQ(report.error.code, ErrorCode::syntax_error);
  EXPECT_EQ(place_of(report), "broken.js:2:20");
}

TEST(ModuleProgram, NamesThePlaceInTypeScriptThatDoesNotParse) {
  for (const char* code :
       {"import { n } from './types_broken.ts'; n", "await import('./types_broken.ts')"}) {
    const Report report = run(code);
    EXPECT_EQ(report.error.name, "SyntaxError") << code;
    EXPECT_EQ(place_of(report), "types_broken.ts:2:19") << code;
    EXPECT_EQ(report.error.excerpt.lines.back(), "  export const m: = 2") << code;
    EXPECT_EQ(report.error.excerpt.before, "  export const m: ") << code;
  }
  EXPECT_EQ(run("import './types_broken.ts'").error.code, ErrorCode::syntax_error);
}

TEST(ModuleProgram, NamesThePlaceOfTypesThatCannotBeStripped) {
  for (const char* code : {"import { n } from './typed.ts'; n", "await import('./typed.ts')"}) {
    const Report report = run(code);
    EXPECT_EQ(report.error.name, "SyntaxError") << code;
    EXPECT_THAT(report.error.message, HasSubstr("require")) << code;
    EXPECT_EQ(place_of(report), "typed.ts:2:3") << code;
    EXPECT_EQ(report.error.excerpt.lines.back(), "  export import c = require('c')") << code;
  }
  EXPECT_EQ(run("import './typed.ts'").error.code, ErrorCode::syntax_error);
}

TEST(ModuleProgram, NamesThePlaceInAModuleThatThrows) {
  const Report report = run("import { thrower } from './lib/b.js';\nthrower()");
  EXPECT_EQ(report.error.message, "deep");
  EXPECT_EQ(report.error.location->file, "lib/b.js");
  EXPECT_EQ(report.error.location->line, 2u);
  EXPECT_THAT(report.error.stack, HasSubstr("main.js:2:"));
}

TEST(ModuleProgram, ShowsTheErrorOfWhatItIsNearestTo) {
  // The first line is wrong in a script alone.
  EXPECT_EQ(place_of(run("import { a } from './lib/a.js';\nlet y = ;")), "main.js:2:9");
  EXPECT_EQ(place_of(run("export const a = 1;\nlet y = ;")), "main.js:2:9");
  // No module either way.
  EXPECT_EQ(place_of(run("let y = ; // import")), "main.js:1:9");
}

TEST(ModuleProgram, GoesOnAfterAnImportThatFailed) {
  EXPECT_EQ(
      result_of("let n = 0;\n"
                "for (const name of ['./wants.js', './broken.js', './lib/x.js', './wants.js'])"
                "  await import(name).catch(() => ++n);\n"
                "const { a } = await import('./lib/a.js'); n + a"),
      Value(9));
}

TEST(ModuleProgram, FailsAgainWithAModuleWhosePartnerIsMissingSomething) {
  EXPECT_EQ(result_of("const names = [];\n"
                      "for (const name of ['a', 'b', 'a', 'b'])"
                      "  await import(`./round/${name}.js`).catch((e) => names.push(e.name));\n"
                      "names.join()"),
            Value("ReferenceError,ReferenceError,ReferenceError,ReferenceError"));
}

TEST(ModuleProgram, HasModulesOfOurOwn) {
  EXPECT_EQ(
      result_of("import { TaskError } from 'cordon:task';"
                "const e = new TaskError('a.b', 'no', {n: 1});"
                "[e instanceof Error, e.name, `${e}`, e.id, e.data.n, Object.keys(e)].join()"),
      Value("true,TaskError,TaskError: no,a.b,1,id,data"));
  EXPECT_EQ(result_of("(await import('cordon:task')).TaskError.name"), Value("TaskError"));
  const Report unknown = run("import 'cordon:nope'; 1");
  EXPECT_THAT(unknown.error.message,
              HasSubstr("Cannot find module 'cordon:nope': there is cordon:task"));
  EXPECT_THAT(run("import { TaskError } from 'cordon:task'; new TaskError()").error.message,
              HasSubstr("id"));
}

}  // namespace
}  // namespace cordon
