// `cordon run` as its users see it: arguments and files in, two streams and an exit code out.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "cordon_command.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/codec/json/decode.h"
#include "cordon/value.h"

namespace cordon::e2e {
namespace {

using namespace std::chrono_literals;
using e2e::cordon;  // an overload of which is below
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

Ended cordon(std::vector<std::string> arguments, std::string input = {}) {
  return cordon(Command{.arguments = std::move(arguments), .input = std::move(input)});
}

// `cordon run ARGUMENTS…`
Ended run(std::vector<std::string> arguments, std::string input = {}) {
  arguments.insert(arguments.begin(), "run");
  return cordon(std::move(arguments), std::move(input));
}

Value json_of(const Ended& ended) {
  EXPECT_TRUE(ended.output.ends_with("\n"));
  EXPECT_EQ(std::ranges::count(ended.output, '\n'), 1) << "one object on one line";
  const Result<Value> value = json::decode(ended.output);
  EXPECT_TRUE(value.has_value()) << ended.output;
  return value.value_or(Value());
}

Value run_json(std::vector<std::string> arguments, int exit_code, std::string input = {}) {
  arguments.insert(arguments.begin(), "--json");
  const Ended ended = run(std::move(arguments), std::move(input));
  EXPECT_EQ(ended.exit_code, exit_code) << ended.output << ended.errors;
  return json_of(ended);
}

void expect_usage_error(const Ended& ended, const std::string& words) {
  EXPECT_EQ(ended.exit_code, 64) << ended.output << ended.errors;
  EXPECT_THAT(ended.output, IsEmpty());
  EXPECT_THAT(ended.errors, HasSubstr(words));
}

// Results.

TEST(Run, PrintsTheResultAsJsonAndALineEnd) {
  const std::pair<const char*, const char*> programs[] = {
      {"1 + 1", "2\n"},
      {"1 + 1;", "2\n"},
      {"1 + 1 // two", "2\n"},
      {"({a: [1, 'x', null, true], b: {}})", "{\"a\":[1,\"x\",null,true],\"b\":{}}\n"},
      {"'é \\u0001'", "\"é \\u0001\"\n"},
      {"await Promise.resolve(5)", "5\n"},
      {"() => 'called'", "\"called\"\n"},
      {"async function main() { return 'called' }", "\"called\"\n"},
      {"return 3", "3\n"},
      {"export default 'module'", "\"module\"\n"},
      {"null", "null\n"},
      {"-0", "0\n"},
      {"[undefined, , 1]", "[null,null,1]\n"},
      {"({a: undefined})", "{}\n"},
  };
  for (const auto& [code, output] : programs) {
    const Ended ended = run({"-e", code});
    EXPECT_EQ(ended.exit_code, 0) << code << ended.errors;
    EXPECT_EQ(ended.output, output) << code;
    EXPECT_THAT(ended.errors, IsEmpty()) << code;
  }
}

TEST(Run, PrintsNothingForUndefined) {
  for (const char* code : {"", "undefined", "const a = 1", "for (const x of [1]) x", "return"}) {
    const Ended ended = run({"-e", code});
    EXPECT_EQ(ended.exit_code, 0) << code;
    EXPECT_THAT(ended.output, IsEmpty()) << code;
  }
}

TEST(Run, WritesLoneSurrogatesAsEscapes) {
  EXPECT_EQ(run({"-e", "'\\ud800'"}).output, "\"\\ud800\"\n");
}

TEST(Run, TakesTheProgramFromAFileAndFromStandardInput) {
  const Folder folder;
  const std::string file = folder.file("main.js", "const a = 20;\na + 22\n");
  EXPECT_EQ(run({file}).output, "42\n");
  EXPECT_EQ(run({"-"}, "6 * 7").output, "42\n");
  EXPECT_EQ(run({"-"}, "").exit_code, 0);
  const Ended relative = cordon(Command{.arguments = {"run", "main.js"}, .folder = folder.path()});
  EXPECT_EQ(relative.output, "42\n");
}

TEST(Run, ImportsFromTheFolderOfItsFileAndBelow) {
  const Folder folder;
  std::filesystem::create_directories(folder.path() + "/app/lib");
  folder.file("secret.js", "export default 'secret'");
  folder.file("app/lib/sum.js", "export const sum = (a, b) => a + b;");
  folder.file("app/data.json", "[20, 22]");
  const std::string main = folder.file("app/main.js",
                                       "import { sum } from './lib/sum.js';\n"
                                       "import data from './data.json' with { type: 'json' };\n"
                                       "const { sum: again } = await import('./lib/sum.js');\n"
                                       "again === sum && sum(...data)\n");
  EXPECT_EQ(run({main}).output, "42\n");
  EXPECT_EQ(cordon({.arguments = {"run", "main.js"}, .folder = folder.path() + "/app"}).output,
            "42\n");

  std::filesystem::create_symlink("../secret.js", folder.path() + "/app/link.js");
  for (const char* specifier : {"../secret.js", "./lib/../../secret.js", "./link.js"}) {
    const std::string out =
        folder.file("app/out.js", std::string("import s from '") + specifier + "';\ns");
    const Value report = run_json({out}, 1);
    EXPECT_THAT(report["error"]["message"].as_string(), HasSubstr(specifier));
    EXPECT_THAT(report["error"]["message"].as_string(), HasSubstr("./lib/sum.js"));
    EXPECT_EQ(report["error"]["location"]["file"], Value("out.js"));
    EXPECT_EQ(report["error"]["location"]["line"], Value(1));
  }
}

TEST(Run, ImportsNothingWhereTheProgramIsNoFile) {
  const Folder folder;
  folder.file("sum.js", "export default 1");
  const std::string code = "import sum from './sum.js'; sum";
  for (const Command& command :
       {Command{.arguments = {"run", "-e", code}, .folder = folder.path()},
        Command{.arguments = {"run", "-"}, .input = code, .folder = folder.path()},
        Command{.arguments = {"run", "/dev/stdin"}, .input = code, .folder = folder.path()}}) {
    const Ended ended = cordon(command);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.output, IsEmpty());
    EXPECT_THAT(ended.errors, HasSubstr("there are no modules to import"));
  }
}

TEST(Run, LetsAProviderImportFromItsOwnFolder) {
  const Folder folder;
  std::filesystem::create_directories(folder.path() + "/shop");
  folder.file("shop/prices.json", R"({"tea": 3})");
  const std::string shop = folder.file("shop/shop.js",
                                       "import prices from './prices.json' with { type: 'json' };\n"
                                       "export const price = ({ of }) => prices[of];");
  EXPECT_EQ(run({"--provider", "shop=" + shop, "-e", "await shop.price({ of: 'tea' })"}).output,
            "3\n");
}

TEST(Run, TakesCodeThatBeginsWithADash) {
  EXPECT_EQ(run({"-e", "-1"}).output, "-1\n");
  EXPECT_EQ(run({"-e", "--[1][0]"}).output, "0\n");
  EXPECT_EQ(run({"-e", "-5 + 3"}).output, "-2\n");
  EXPECT_EQ(run({"--eval", "-e"}).exit_code, 1) << "a program named -e: e is not defined";
  EXPECT_EQ(run({"--eval=-3"}).output, "-3\n");
}

TEST(Run, TakesCodeInBracketsAndQuotesAsItStands) {
  EXPECT_EQ(run({"-e", "[1,2]"}).output, "[1,2]\n");
  EXPECT_EQ(run({"-e", "'quoted'"}).output, "\"quoted\"\n");
  EXPECT_EQ(run({"-e", "\"a b\""}).output, "\"a b\"\n");
  EXPECT_EQ(run({"-e", "{}"}).output, "");
}

TEST(Run, PrintsALargeResult) {
  const Ended ended =
      run({"--memory", "512MiB", "--timeout", "20000", "-e", "'x'.repeat(20000000)"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(ended.output.size(), 20000003u);
}

TEST(Run, PrintsAResultOfAThousandLevels) {
  const std::string code = "let a = 1; for (let i = 0; i < 1000; i++) a = [a]; a";
  EXPECT_EQ(run({"-e", code}).output, std::string(1000, '[') + "1" + std::string(1000, ']') + "\n");
  const Ended json = run({"--json", "-e", code});
  EXPECT_EQ(json.exit_code, 0) << json.errors;
  EXPECT_THAT(json.output, HasSubstr(std::string(1000, '[') + "1"));
}

// Input and tools.

TEST(Run, ShowsTheInputToTheProgram) {
  EXPECT_EQ(run({"--input", "{\"a\": [1, null]}", "-e", "input.a"}).output, "[1,null]\n");
  EXPECT_EQ(run({"--input", "0", "-e", "input"}).output, "0\n");
  EXPECT_EQ(run({"--input", "\"-\"", "-e", "input"}).output, "\"-\"\n");
  EXPECT_EQ(run({"--input", "-3", "-e", "input"}).output, "-3\n");
  EXPECT_EQ(run({"-e", "typeof input"}).output, "\"undefined\"\n");
  EXPECT_EQ(run({"--input", "{\"n\": 1}", "-e", "(input) => input.n"}).output, "1\n");
  EXPECT_EQ(run({"--input", "{\"__proto__\": 1}", "-e", "Object.keys(input)"}).output,
            "[\"__proto__\"]\n");
}

TEST(Run, RefusesAnInputThatIsNotJson) {
  for (const char* input : {"", "{", "undefined", "{'a': 1}", "1 2", "NaN", "[1,]", "// no\n1"}) {
    const Ended ended = run({"--input", input, "-e", "1"});
    expect_usage_error(ended, "--input");
  }
}

constexpr const char* shop = R"(
  let sold = 0;
  export function sell({ amount }) { sold += amount; return { sold }; }
  export async function fail(why) { throw new TypeError(why); }
  export const nothing = () => {};
  export const big = () => 1n;
  export function say(text) { console.log(text); }
  export const price = 5;
  function hidden() {}
)";

TEST(Run, OffersTheFunctionsThatAProviderExports) {
  const Folder folder;
  const std::string provider = "shop=" + folder.file("shop.js", shop);
  EXPECT_EQ(run({"--provider", provider, "-e", "Object.keys(shop).sort()"}).output,
            "[\"big\",\"fail\",\"nothing\",\"say\",\"sell\"]\n");
  EXPECT_EQ(run({"--provider", provider, "-e",
                 "await shop.sell({amount: 2}); (await shop.sell({amount: 3})).sold"})
                .output,
            "5\n")
      << "it keeps its state";
  EXPECT_EQ(run({"--provider", provider, "-e", "(await shop.nothing()) === undefined"}).output,
            "true\n");
}

TEST(Run, TakesAProviderRightBeforeTheProgram) {
  const Folder folder;
  const std::string shop_file = folder.file("shop.js", shop);
  const std::string main = folder.file("main.js", "(await shop.sell({amount: 1})).sold");
  EXPECT_EQ(run({"--provider", "shop=" + shop_file, main}).output, "1\n");
  EXPECT_EQ(run({main, "--provider", "shop=" + shop_file}).output, "1\n");
  EXPECT_EQ(run({"--provider", "shop=" + shop_file, "--provider", "other=" + shop_file, "-e",
                 "Object.keys(other).length"})
                .output,
            "5\n");
}

TEST(Run, KeepsProvidersApartFromTheProgram) {
  const Folder folder;
  const std::string provider =
      "shop=" + folder.file("shop.js",
                            "export const look = () => [typeof globalThis.secret, typeof shop,"
                            " typeof input, Object.prototype.polluted === undefined]");
  EXPECT_EQ(run({"--provider", provider, "--input", "1", "-e",
                 "globalThis.secret = 1; Object.prototype.polluted = 1; await shop.look()"})
                .output,
            "[\"undefined\",\"undefined\",\"undefined\",true]\n");
}

TEST(Run, FailsWithTheToolsOwnWords) {
  const Folder folder;
  const std::string provider = "shop=" + folder.file("shop.js", shop);
  Value report = run_json({"--provider", provider, "-e", "await shop.fail('sold out')"}, 1);
  EXPECT_EQ(report["error"]["code"], Value("tool_error"));
  EXPECT_EQ(report["error"]["message"], Value("sold out"));
  ASSERT_EQ(report["calls"].size(), 1u);
  EXPECT_EQ(report["calls"].at(0).find("ok"), Value(false));
  report = run_json({"--provider", provider, "-e", "await shop.sell(1n)"}, 1);
  EXPECT_EQ(report["error"]["code"], Value("serialization_error"));
  EXPECT_EQ(report["calls"].size(), 0u) << "a call whose input cannot leave is none";
  report = run_json({"--provider", provider, "-e", "await shop.big()"}, 1);
  EXPECT_EQ(report["error"]["code"], Value("serialization_error"));
}

TEST(Run, CountsTheWaitForAProviderAgainstTheTimeout) {
  const Folder folder;
  const std::string provider =
      "slow=" + folder.file("slow.js",
                            "export const forever = () => new Promise(() => {});"
                            "export const loop = () => { for (;;) {} }");
  for (const char* code : {"await slow.forever()", "await slow.loop()"}) {
    const Ended ended = run({"--timeout", "200", "--provider", provider, "-e", code});
    EXPECT_EQ(ended.exit_code, 1) << code;
    EXPECT_THAT(ended.errors, HasSubstr("timeout")) << code;
    EXPECT_LT(ended.took, 5s) << code;
  }
}

TEST(Run, MarksTheLogLinesOfAProvider) {
  const Folder folder;
  const std::string provider = "shop=" + folder.file("shop.js", shop);
  const Ended ended =
      run({"--provider", provider, "-e", "console.log('mine'); await shop.say('theirs')"});
  EXPECT_EQ(ended.errors, "[log] mine\n[shop log] theirs\n");
}

TEST(Run, RefusesAProviderThatIsNone) {
  const Folder folder;
  expect_usage_error(run({"--provider", "shop", "-e", "1"}), "NAME=FILE.js");
  expect_usage_error(run({"--provider", "=x.js", "-e", "1"}), "NAME=FILE.js");
  expect_usage_error(run({"--provider", "shop=", "-e", "1"}), "NAME=FILE.js");
  expect_usage_error(run({"--provider", "shop=/nonexistent.js", "-e", "1"}), "No such file");
  const std::string good = folder.file("good.js", "export const a = 1");
  expect_usage_error(run({"--provider", "ab=" + good, "--provider", "ab=" + good, "-e", "1"}),
                     "twice");
  expect_usage_error(run({"--provider", "a-b=" + good, "-e", "1"}),
                     "could not write the name 'a-b'");
  expect_usage_error(run({"--provider", "shop=" + folder.file("bad.js", "\xff"), "-e", "1"}),
                     "UTF-8");
}

TEST(Run, RefusesAProviderThatDoesNotLoad) {
  const Folder folder;
  const auto run_with = [&](const char* module) {
    return run({"--json", "--timeout", "1000", "--provider", "shop=" + folder.file("p.js", module),
                "-e", "1"});
  };
  const std::pair<const char*, const char*> modules[] = {
      {"1;\nexport function (", "Function statements require a function name ("},
      {"\n  throw new Error('at the top')", "at the top ("},
      {"import './none.js'", "Cannot find module './none.js'"},
      {"await new Promise(() => {})", "waits for a promise that nothing will settle ("},
      {"for (const a = [];;) a.push('x'.repeat(1e6))", "Memory limit of 67108864 bytes exceeded"}};
  const std::string file = folder.path() + "/p.js";
  for (const auto& [module, words] : modules) {
    const Ended ended = run_with(module);
    expect_usage_error(ended, words);
    EXPECT_THAT(ended.errors, StartsWith("cordon run: --provider: shop=" + file + ": ")) << module;
  }
  EXPECT_THAT(run_with("\n  throw new Error('at the top')").errors,
              HasSubstr("at the top (" + file + ":2:9)"));
  const Ended late = run_with("for (;;) {}");
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_THAT(late.output, HasSubstr(R"("code":"timeout")"));
}

// Failures.

TEST(Run, PrintsNothingOnStdoutWhereItFails) {
  const std::pair<const char*, const char*> programs[] = {
      {"throw new Error('no')", "runtime_error"},
      {"const = 1", "syntax_error"},
      {"for (;;) {}", "timeout"},
      {"await new Promise((done) => setTimeout(done, 1e8))", "timeout"},
      {"await new Promise(() => {})", "runtime_error"},
      {"new Uint8Array(1 << 30)", "memory_limit"},
      {"() => () => 1", "serialization_error"},
      {"JSON.parse('['.repeat(5000000))", "stack_overflow"},
      {"import 'fs'", "runtime_error"},
  };
  for (const auto& [code, expected] : programs) {
    const char* timeout = std::string_view(expected) == "timeout" ? "200" : "20000";
    const Ended ended = run({"--timeout", timeout, "-e", code});
    EXPECT_EQ(ended.exit_code, 1) << code;
    EXPECT_THAT(ended.output, IsEmpty()) << code;
    EXPECT_THAT(ended.errors, StartsWith("error: " + std::string(expected) + ": ")) << code;
  }
}

TEST(Run, NamesThePlaceOfAnError) {
  const Folder folder;
  const std::string file = folder.file("main.js", "const a = 1;\n\n  nothing();\n");
  Ended ended = run({file});
  EXPECT_THAT(ended.errors, HasSubstr("ReferenceError"));
  EXPECT_THAT(ended.errors, HasSubstr("at main.js:3:3"));
  EXPECT_THAT(ended.errors, Not(HasSubstr(folder.path()))) << "no more of the path than its name";
  ended = run({"-"}, "1;\nconst b = = 2;");
  EXPECT_THAT(ended.errors, HasSubstr("at stdin:2:11"));
  const Value report = run_json({"-e", "\n\nnull.x"}, 1);
  EXPECT_EQ(report["error"]["location"]["file"], Value("-e"));
  EXPECT_EQ(report["error"]["location"]["line"], Value(3));
}

TEST(Run, CountsLinesInTheTextAsItWasWrittenFencesIncluded) {
  EXPECT_EQ(run({"-"}, "```js\n6 * 7\n```\n").output, "42\n");
  EXPECT_THAT(run({"-"}, "```js\nconst a = 1;\nnothing();\n```\n").errors,
              HasSubstr("at stdin:3:1"));
  EXPECT_THAT(run({"-"}, "\n\n```javascript\nconst = 1;\n```").errors, HasSubstr("at stdin:4:7"));
  EXPECT_EQ(run({"-e", "```\n'`a`'\n```"}).output, "\"`a`\"\n");
}

TEST(Run, RunsTypeScriptByNameByFenceAndByItsLooks) {
  const Folder folder;
  const std::string typed = "interface A { n: number }\nconst a: A = {n: 21}\na.n * 2";
  EXPECT_EQ(run({folder.file("main.ts", typed)}).output, "42\n");
  EXPECT_EQ(run({folder.file("main.mts", "export default async (): Promise<number> => 7")}).output,
            "7\n");
  EXPECT_EQ(run({"-"}, "```ts\n" + typed + "\n```\n").output, "42\n");
  EXPECT_EQ(run({"-"}, "```typescript\n" + typed + "\n```\n").output, "42\n");
  EXPECT_EQ(run({"-e", typed}).output, "42\n");
}

TEST(Run, RunsTypeScriptThatHasMoreThanTypes) {
  const Folder folder;
  folder.file("unit.ts",
              "export enum Unit { C, F }\nexport namespace Text { export const no = 'no ' }\n");
  const std::string tools = folder.file(
      "tools.ts",
      "import { Text, Unit } from './unit.ts';\n\n"
      "export   async   function temp ( input : { unit : Unit } ) {\n"
      "   if ( input . unit === Unit . F )  throw   new   RangeError ( Text.no + Unit [ 1 ] ) ;\n"
      "   return   Unit [ input . unit ] ;\n}\n");
  EXPECT_EQ(run({"--provider", "t=" + tools, "-e", "await t.temp({unit: 0})"}).output, "\"C\"\n");
  EXPECT_THAT(run({"--provider", "t=" + tools, "-e", "await t.temp({unit: 1})"}).errors,
              HasSubstr("no F"));
  const std::string main =
      folder.file("main.ts",
                  "import { Unit } from './unit.ts';\n\n"
                  "class Sensor { constructor ( private  unit : Unit ) { }\n"
                  "   read ( ) { return  <any> this . unit . toFixed ( 1000 ) } }\n"
                  "new   Sensor ( Unit . F ) . read ( )\n");
  const Ended ended = run({main});
  EXPECT_THAT(ended.errors, HasSubstr("at main.ts:4:43\n"));
  EXPECT_THAT(ended.errors,
              HasSubstr("   read ( ) { return  <any> this . unit . toFixed ( 1000 ) } }"));
  EXPECT_THAT(ended.errors, HasSubstr("(main.ts:5:29)"));
}

TEST(Run, ShowsSyntaxErrorsOfTypeScriptWhereTheyAre) {
  const Folder folder;
  const std::string broken =
      folder.file("broken.ts", "const a: number = 1;\nexport const b = (c: number) => c +;\n");
  const std::string place =
      "  at broken.ts:2:36\n    1 | const a: number = 1;\n"
      "    2 | export const b = (c: number) => c +;\n      |                                    "
      "^\n";
  EXPECT_THAT(run({broken}).errors, HasSubstr(place));
  EXPECT_THAT(run({folder.file("main.js", "import './broken.ts'")}).errors, HasSubstr(place));
  EXPECT_THAT(run({folder.file("main.ts", "enum E {}\nawait import('./broken.ts')")}).errors,
              HasSubstr(place));
  EXPECT_THAT(run({"--provider", "t=" + broken, "-e", "1"}).errors,
              HasSubstr("broken.ts: Expression expected (" + broken + ":2:36)"));
  EXPECT_THAT(run({"-"}, "```ts\nlet a: number;\nlet b: = 2\n```\n").errors,
              HasSubstr("at stdin:3:8"));
}

TEST(Run, SaysWhereTypeScriptCannotBeStripped) {
  const Value report =
      run_json({"-"}, 1, "```ts\nconst a: number = 1\n  module M { let b }\n```\n");
  EXPECT_EQ(report["error"]["code"], Value("syntax_error"));
  EXPECT_EQ(report["error"]["location"]["line"], Value(3));
  EXPECT_EQ(report["error"]["location"]["column"], Value(3));
  EXPECT_THAT(run({"-e", "let x: number = "}).errors, HasSubstr("syntax_error"));
}

// Each level doubles what the parser of TypeScript tries: nobody sees the end of it.
std::string endless_typescript() {
  std::string text = "export const q: any = ";
  for (int i = 0; i < 40; ++i) text += "<a>(";
  return text + "1" + std::string(40, ')') + ";\n";
}

TEST(Run, StripsTheTypesOfWhatIsImportedUnderItsLimits) {
  const Folder folder;
  folder.file("endless.ts", endless_typescript());
  std::string large = "let f: any;\n";
  for (int i = 0; i < 30'000; ++i) large += "f = (x?: Array<number>): void => {};\n";
  folder.file("large.ts", large + "export default 7");
  for (const char* code : {"import './endless.ts'", "await import('./endless.ts')"}) {
    const Value report = run_json({"--timeout", "300", folder.file("main.js", code)}, 1);
    EXPECT_EQ(report["error"]["code"], Value("timeout")) << code;
  }
  const std::string tools = folder.file("tools.js", "import './endless.ts'; export const f = 1");
  EXPECT_EQ(
      run_json({"--timeout", "300", "--provider", "t=" + tools, "-e", "1"}, 1)["error"]["code"],
      Value("timeout"));
  const std::string main = folder.file("main.js", "import seven from './large.ts'; seven");
  EXPECT_EQ(run({main}).output, "7\n");
  const Value refused = run_json({"--memory", "16MiB", main}, 1);
  EXPECT_EQ(refused["error"]["code"], Value("memory_limit"));
  EXPECT_EQ(refused["error"]["message"],
            Value("Memory limit of 16777216 bytes exceeded while the types of large.ts were "
                  "stripped"));
}

TEST(Run, ImportsModulesAndNothingElseOfItsFolder) {
  const Folder folder;
  folder.file("token.txt", "s3cret-token\n");
  folder.file(".env", "PASSWORD=s3cret\n");
  folder.file("cordon.json", R"({"server": {"auth": {"token": "s3cret"}}})");
  folder.file("lib.js", "export default 1");
  const std::string main =
      folder.file("main.js",
                  "const texts = []; for (const name of ['./token.txt', './.env', './cordon.json'])"
                  "  await import(name, { with: { type: 'json' } }).catch((e) => "
                  "texts.push(e.message)); texts");
  const std::string there = "; there is ./lib.js, ./main.js";
  const std::string no_ending =
      "it is no module: those end in .js, .mjs, .cjs, .json, .ts, .mts or .cts";
  const Value report = run_json({main}, 0);
  EXPECT_EQ(report["result"],
            Value::array({"Cannot find module './token.txt': " + no_ending + there,
                          "Cannot find module './.env': "
                          "a name that begins with a dot is no module" +
                              there,
                          "Cannot find module './cordon.json': "
                          "it is kept from programs" +
                              there}));
}

TEST(Run, KeepsTheKeyOfItsImagesFromPrograms) {
  const Folder folder;
  const std::string key = folder.file("key.js", "s3cret_key_of_images\n");
  const std::string read = "await import('./key.js').catch((e) => e.message)";
  const std::string main = folder.file("main.js", "[" + read + ", await p.read()]");
  const std::string tools =
      folder.file("tools.js", "export const read = async () => " + read + ";");
  const Ended ended = run({"--image-key", key, "--save", folder.path() + "/saved", "--sleep-on",
                           "later", "--provider", "p=" + tools, main});
  const std::string text =
      "\"Cannot find module './key.js': it is kept from programs; there is ./main.js, ./tools.js\"";
  EXPECT_EQ(ended.output, "[" + text + "," + text + "]\n") << ended.errors;
}

TEST(Run, WaitsForTimersAndEndsWithTheResult) {
  EXPECT_EQ(run({"-e", "await new Promise((done) => setTimeout(done, 20, 'late'))"}).output,
            "\"late\"\n");
  const Ended early = run({"-e", "setInterval(() => console.log('never'), 1000); 'now'"});
  EXPECT_EQ(early.output, "\"now\"\n");
  EXPECT_THAT(early.errors, StartsWith("warning: the program ended before a timer was due"));
  const Value thrown = run_json(
      {"-e", "setTimeout(() => { throw new RangeError('tick') }, 1); await new Promise(() => {})"},
      1);
  EXPECT_EQ(thrown["error"]["code"], Value("runtime_error"));
  EXPECT_EQ(thrown["error"]["name"], Value("RangeError"));
  EXPECT_EQ(thrown["error"]["message"], Value("tick"));
  EXPECT_EQ(
      run_json({"--timeout", "60", "-e", "await new Promise((done) => setTimeout(done, 60000))"},
               1)["error"]["code"],
      Value("timeout"));
}

// What nobody awaits.

TEST(Run, BringsCallsThatNobodyAwaitsToTheirToolsAndSaysSo) {
  const Folder folder;
  const std::string provider =
      "mail=" + folder.file("mail.js",
                            "export const send = async (to) => {\n"
                            "  await new Promise((done) => setTimeout(done, 20));\n"
                            "  console.log('sent to ' + to);\n"
                            "};");
  Ended ended = run({"--provider", provider, "-e", "mail.send('ada');\n'done'"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output, "\"done\"\n");
  EXPECT_EQ(
      ended.errors,
      "[mail log] sent to ada\n"
      "warning: a call of mail.send was not awaited; write `await mail.send(…)`, or await the "
      "function that calls it (-e:1:6)\n");
  ended = run({"--provider", provider, "-e",
               "['ada', 'bob'].forEach(async (to) => { await mail.send(to) });\n'done'"});
  EXPECT_EQ(ended.output, "\"done\"\n");
  EXPECT_THAT(ended.errors,
              StartsWith("[mail log] sent to ada\n[mail log] sent to bob\n"
                         "warning: the result did not wait for 2 calls of mail.send;"));
}

TEST(RunJson, HasWarnings) {
  Value report = run_json({"-e", "const result = 6 * 7"}, 0);
  EXPECT_FALSE(report.contains("result"));
  ASSERT_EQ(report["warnings"].size(), 1u);
  EXPECT_EQ(report["warnings"].at(0).find("code"), Value("no_result"));
  EXPECT_THAT(std::string(report["warnings"].at(0)["message"].as_string()),
              HasSubstr("write `result` as its last line"));
  report = run_json({"-e", "6 * 7"}, 0);
  EXPECT_EQ(report["warnings"], Value::array({}));
}

TEST(Run, EndsAProgramThatWaitsInVainAtOnce) {
  const Ended ended =
      run({"--timeout", "60000", "-e", "const a = 1;\nawait new Promise(() => {})"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.errors,
              StartsWith("error: runtime_error: Error: the program waits for a promise "
                         "that nothing will settle\n  at -e:2:1\n"));
  EXPECT_LT(ended.took, 30s);
}

TEST(Run, FailsByARejectionThatNobodyHandles) {
  const Value report = run_json({"-e", "(async () => { throw new Error('lost') })(); 5"}, 1);
  EXPECT_EQ(report["error"]["code"], Value("runtime_error"));
  EXPECT_EQ(report["error"]["message"], Value("lost"));
}

TEST(Run, NamesThePlaceOfAValueThatMayNotLeave) {
  const Value report = run_json({"-e", "({a: [1, {deep: () => 1}]})"}, 1);
  EXPECT_EQ(report["error"]["code"], Value("serialization_error"));
  EXPECT_THAT(std::string(report["error"]["message"].as_string()), HasSubstr("a[1].deep"));
  EXPECT_THAT(run({"-e", "({a: [1, {deep: () => 1}]})"}).errors, HasSubstr("a[1].deep"));
}

TEST(Run, TellsTheChainOfCauses) {
  const Value report = run_json(
      {"-e", "throw new Error('top', {cause: new TypeError('middle', {cause: 'bottom'})})"}, 1);
  EXPECT_EQ(report["error"]["cause"]["name"], Value("TypeError"));
  EXPECT_EQ(report["error"]["cause"]["cause"]["message"], Value("bottom"));
  EXPECT_THAT(run({"-e", "throw new Error('top', {cause: new Error('why')})"}).errors,
              HasSubstr("caused by Error: why"));
}

TEST(Run, IsNotFooledByWordsOfAnError) {
  const Ended ended =
      run({"-e", "throw Object.assign(new Error('Execution timed out'), {code: 'timeout'})"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.errors, StartsWith("error: runtime_error: "));
}

// Limits.

TEST(Run, EndsAtItsTimeout) {
  const Ended ended = run({"--timeout", "150", "-e", "console.log('before'); for (;;) {}"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.errors, "[log] before\nerror: timeout: Execution timed out\n");
  EXPECT_GE(ended.took, 150ms);
  EXPECT_LT(ended.took, 3s);
}

TEST(Run, HasTheMemoryItIsGivenAndNoMore) {
  const std::string code = "new Uint8Array(20 << 20).length";
  EXPECT_EQ(run({"--memory", "64MiB", "-e", code}).output, "20971520\n");
  EXPECT_EQ(run({"--memory", "67108864", "-e", code}).output, "20971520\n");
  EXPECT_EQ(run({"--memory", "65536KiB", "-e", code}).output, "20971520\n");
  EXPECT_EQ(run({"--memory", "4GiB", "-e", code}).output, "20971520\n");
  EXPECT_EQ(run({"--memory", "8MiB", "-e", code}).exit_code, 1);
  EXPECT_EQ(run({"--memory", "1", "-e", "1 + 1"}).output, "2\n") << "a fresh sandbox needs nothing";
}

TEST(Run, RefusesNumbersThatAreNotPositiveDecimalIntegers) {
  for (const char* number : {"0", "-1", "+1", "1.5", "1e3", "0x10", "abc", "", " 1", "1 ", "1s",
                             "99999999999999999999", "31536000001"}) {
    expect_usage_error(run({"--timeout", number, "-e", "1"}), "--timeout");
  }
  for (const char* size : {"0", "-1", "64MB", "64 MiB", "1.5GiB", "MiB", "", "5GiB", "4294967297",
                           "99999999999999999999GiB"}) {
    expect_usage_error(run({"--memory", size, "-e", "1"}), "--memory");
  }
}

// Logs.

TEST(Run, ShowsLogsOnStderrAsTheyHappen) {
  bool seen_while_running = false;
  const Ended ended = cordon(Command{
      .arguments = {"run", "--timeout", "20000", "-e", "console.log('early'); for (;;) {}"},
      .on_errors =
          [&](pid_t child, const std::string& errors) {
            if (errors.find("[log] early\n") == std::string::npos || seen_while_running) return;
            seen_while_running = true;
            kill(child, SIGINT);
          },
  });
  EXPECT_TRUE(seen_while_running);
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_LT(ended.took, 15s) << "the line came before the end";
}

TEST(Run, DrawsWhatHappenedOnStderr) {
  const Folder folder;
  const std::string tools =
      folder.file("shop.js",
                  "export const price = async () => 5;\n"
                  "export const stock = async () => { throw new Error('x') };");
  const std::vector<std::string> arguments = {
      "--trace", "--provider", "shop=" + tools, "-e",
      "console.warn('careful'); await Promise.allSettled([shop.price(), shop.stock()]); 7"};
  const Ended ended = run(arguments);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output, "7\n");
  EXPECT_THAT(ended.errors, MatchesRegex(".*\n +[0-9.]+ ms +shop.price +[|] *=+ *[|] .* ms .* B "
                                         "out, .* B in\n.*"));
  EXPECT_THAT(ended.errors, HasSubstr("failed: tool_error: x"));
  EXPECT_THAT(ended.errors, MatchesRegex("[[]warn [0-9.]+ ms[]] careful\n.*"));
}

TEST(Run, WritesATraceFile) {
  const Folder folder;
  const std::string file = folder.path() + "/trace.json";
  EXPECT_EQ(run({"--trace-file", file, "-e", "console.log(1); 7"}).output, "7\n");
  std::ifstream opened(file);
  const std::string text(std::istreambuf_iterator<char>(opened), {});
  const Result<Value> trace = json::decode(text);
  ASSERT_TRUE(trace.has_value()) << text;
  EXPECT_TRUE((*trace)["traceEvents"].is_array());
  EXPECT_TRUE((*trace)["resourceSpans"].is_array());

  expect_usage_error(run({"--trace-file", folder.path() + "/no/x.json", "-e", "1"}),
                     "--trace-file");
  expect_usage_error(run({"--trace-format", "xml", "-e", "1"}), "--trace-format");
  EXPECT_EQ(run({"--trace-file", "/dev/full", "-e", "1"}).exit_code, 70);
}

TEST(Run, ShowsEachLevel) {
  const Ended ended = run({"-e",
                           "console.log('a'); console.info('b'); console.warn('c');"
                           "console.error('d'); console.debug('e', {f: 1}, undefined)"});
  EXPECT_EQ(ended.errors,
            "[log] a\n[info] b\n[warn] c\n[error] d\n[debug] e {\"f\":1} undefined\n");
  EXPECT_THAT(ended.output, IsEmpty());
}

TEST(Run, MakesControlCharactersVisible) {
  const Ended ended = run({"-e",
                           "console.log('\\x1b[2J\\x1b]0;x\\x07\\r\\b\\u009b1m\\u202e\\0'); throw "
                           "new Error('\\x1b[31m')"});
  EXPECT_THAT(ended.errors,
              HasSubstr("[log] \\x1b[2J\\x1b]0;x\\x07\\x0d\\x08\\x9b1m\\u202e\\x00\n"));
  EXPECT_THAT(ended.errors, HasSubstr("\\x1b[31m"));
  EXPECT_THAT(ended.errors, Not(HasSubstr("\x1b")));
}

TEST(Run, DoesNotLetAGuestWriteALineOfOurs) {
  const Ended ended = run({"-e", "console.log('x\\nerror: timeout: Execution timed out'); 1"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.errors, Not(HasSubstr("\nerror:")));
  EXPECT_THAT(ended.errors, HasSubstr("error: timeout"));
}

TEST(Run, CutsLogsAndSaysSo) {
  const Ended ended = run({"-e", "for (let i = 0; i < 200; i++) console.log('line ' + i)"});
  EXPECT_THAT(ended.errors, HasSubstr("[log] line 99\n"));
  EXPECT_THAT(ended.errors, Not(HasSubstr("line 100")));
  EXPECT_THAT(ended.errors, HasSubstr("cut"));
  const Value report =
      run_json({"-e", "for (let i = 0; i < 200; i++) console.log('line ' + i)"}, 0);
  EXPECT_EQ(report["logs"].size(), 100u);
  EXPECT_EQ(report["logsTruncated"], Value(true));
  const Value long_line = run_json({"-e", "console.log('x'.repeat(100000))"}, 0);
  EXPECT_EQ(long_line["logs"].at(0).find("text").size(), 64000u);
}

// --json.

TEST(RunJson, HasTheShapeThatProgramsRead) {
  const Folder folder;
  const std::string provider = "shop=" + folder.file("shop.js", shop);
  const Value report = run_json(
      {"--provider", provider, "-e", "console.warn('hi'); await shop.sell({amount: 1})"}, 0);
  EXPECT_EQ(report["ok"], Value(true));
  EXPECT_EQ(report["result"]["sold"], Value(1));
  EXPECT_EQ(Value::copy_of(report["logs"]),
            Value::array({Value::object({{"level", "warn"}, {"text", "hi"}})}));
  ASSERT_EQ(report["calls"].size(), 1u);
  const ValueView call = report["calls"].at(0);
  EXPECT_EQ(call.find("provider"), Value("shop"));
  EXPECT_EQ(call.find("tool"), Value("sell"));
  EXPECT_EQ(call.find("ok"), Value(true));
  EXPECT_GE(call.find("ms").as_number(), 0);
  EXPECT_TRUE(call.find("ms").is_number());
  EXPECT_TRUE(report["durationMs"].is_number());
  EXPECT_FALSE(report.contains("error"));
  EXPECT_FALSE(report.contains("logsTruncated"));
}

TEST(RunJson, HasNoResultForUndefined) {
  const Value report = run_json({"-e", "undefined"}, 0);
  EXPECT_EQ(report["ok"], Value(true));
  EXPECT_FALSE(report.contains("result"));
  EXPECT_EQ(run_json({"-e", "null"}, 0)["result"], Value(nullptr));
}

TEST(RunJson, IsPrintedOnFailureToo) {
  const std::pair<const char*, const char*> programs[] = {
      {"console.log('a'); throw new TypeError('no')", "runtime_error"},
      {"console.log('a'); for (;;) {}", "timeout"},
      {"console.log('a'); new Uint8Array(1 << 30)", "memory_limit"},
      {"console.log('a'); 1n", "serialization_error"},
  };
  for (const auto& [code, expected] : programs) {
    const char* timeout = std::string_view(expected) == "timeout" ? "300" : "20000";
    const Value report = run_json({"--timeout", timeout, "-e", code}, 1);
    EXPECT_EQ(report["ok"], Value(false)) << code;
    EXPECT_EQ(report["error"]["code"], Value(expected)) << code;
    EXPECT_TRUE(report["error"]["message"].is_string()) << code;
    EXPECT_FALSE(report.contains("result")) << code;
    EXPECT_EQ(report["logs"].size(), 1u) << "the logs so far: " << code;
    EXPECT_EQ(report["calls"].size(), 0u) << code;
    EXPECT_TRUE(report["durationMs"].is_number()) << code;
  }
  const Value thrown = run_json({"-e", "\nthrow new TypeError('no')"}, 1);
  EXPECT_EQ(thrown["error"]["name"], Value("TypeError"));
  EXPECT_THAT(std::string(thrown["error"]["stack"].as_string()), HasSubstr("-e:2:"));
  EXPECT_EQ(thrown["error"]["location"]["line"], Value(2));
}

TEST(RunJson, ListsCallsInTheirOrderAlsoTheUnanswered) {
  const Folder folder;
  const std::string provider =
      "p=" + folder.file("p.js",
                         "export const a = (x) => x; export const b = () => new Promise(() => {})");
  const Value report = run_json(
      {"--timeout", "300", "--provider", provider, "-e", "p.b(); await p.a(1); await p.b()"}, 1);
  EXPECT_EQ(report["error"]["code"], Value("timeout"));
  ASSERT_EQ(report["calls"].size(), 3u);
  EXPECT_EQ(report["calls"].at(0).find("tool"), Value("b"));
  EXPECT_EQ(report["calls"].at(0).find("ok"), Value(false));
  EXPECT_EQ(report["calls"].at(1).find("tool"), Value("a"));
  EXPECT_EQ(report["calls"].at(1).find("ok"), Value(true));
  EXPECT_EQ(report["calls"].at(2).find("ok"), Value(false));
}

TEST(RunJson, IsAsciiSafeForLoneSurrogatesAndControlCharacters) {
  const Ended ended = run({"--json", "-e", "console.log('\\ud800\\x1b'); '\\udfff'"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("\\udfff"), HasSubstr("\\ud800\\u001b")));
}

// Usage.

TEST(Cordon, AlonePrintsItsHelpToStderr) {
  const Ended ended = cordon(std::vector<std::string>{});
  EXPECT_EQ(ended.exit_code, 64);
  EXPECT_THAT(ended.output, IsEmpty());
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("run"), HasSubstr("doctor"), HasSubstr("--help")));
}

TEST(Cordon, HasHelpWithAnExampleForEachCommand) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"run", "--help"},
                                                    {"doctor", "--help"},
                                                    {"run", "-h"}}) {
    const Ended ended = cordon(arguments);
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.errors, IsEmpty());
    EXPECT_THAT(ended.output, HasSubstr("cordon"));
    if (arguments.size() > 1) {
      EXPECT_THAT(ended.output, HasSubstr("Example"));
    }
  }
  const std::string help = cordon({"run", "--help"}).output;
  for (const char* option :
       {"--eval", "--provider", "--timeout", "--memory", "--input", "--json"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
}

TEST(Cordon, TellsItsVersion) {
  const Ended ended = cordon({"--version"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.output, MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Cordon, RefusesWhatItDoesNotKnow) {
  for (const std::vector<std::string>& arguments : {
           std::vector<std::string>{"nonsense"},
           {"--nonsense"},
           {"run"},
           {"run", "--nonsense", "-e", "1"},
           {"run", "-x", "-e", "1"},
           {"run", "-e"},
           {"run", "--timeout"},
           {"run", "-e", "1", "--timeout"},
           {"run", "main.js", "-e", "1"},
           {"run", "a.js", "b.js"},
           {"run", "-e", "1", "-e", "2"},
           {"run", "--timeout", "5", "--timeout", "6", "-e", "1"},
           {"run", "--json=maybe", "-e", "1"},
           {"doctor", "now"},
           {"doctor", "--nonsense"},
           {"doctor", "run", "-e", "1"},
       }) {
    const Ended ended = cordon(arguments);
    EXPECT_EQ(ended.exit_code, 64) << testing::PrintToString(arguments) << ended.output;
    EXPECT_THAT(ended.output, IsEmpty()) << testing::PrintToString(arguments);
    EXPECT_THAT(ended.errors, Not(IsEmpty()));
  }
}

TEST(Run, RefusesAFileThatItCannotRead) {
  const Folder folder;
  expect_usage_error(run({"/nonexistent/main.js"}), "No such file");
  expect_usage_error(run({folder.path()}), "directory");
  expect_usage_error(run({folder.file("latin1.js", "'caf\xe9'")}), "UTF-8");
  expect_usage_error(run({"-"}, "'\xff'"), "UTF-8");
  if (geteuid() != 0) {
    const std::string secret = folder.file("secret.js", "1");
    chmod(secret.c_str(), 0);
    expect_usage_error(run({secret}), "Permission denied");
  }
}

TEST(Run, TakesAnEmptyFileAndOneWithAByteOrderMark) {
  const Folder folder;
  EXPECT_EQ(run({folder.file("empty.js", "")}).exit_code, 0);
  EXPECT_EQ(run({folder.file("bom.js",
                             "\xef\xbb\xbf"
                             "6 * 7")})
                .output,
            "42\n");
  EXPECT_EQ(run({folder.file("crlf.js", "const a = 1;\r\na + 1\r\n")}).output, "2\n");
  EXPECT_EQ(run({folder.file("hashbang.js", "#!/usr/bin/env cordon\n7")}).output, "7\n");
}

// Terminals, signals and streams that go away.

TEST(RunOnATerminal, HasColours) {
  const Ended ended = cordon(Command{.arguments = {"run", "-e", "console.error('x'); throw 1"},
                                     .errors = Stream::terminal});
  EXPECT_THAT(ended.errors, HasSubstr("\x1b[31m"));
  EXPECT_EQ(ended.exit_code, 1);
}

TEST(RunOnATerminal, HasNoneWhereNoColorIsSet) {
  const Ended ended = cordon(Command{.arguments = {"run", "-e", "console.error('x'); throw 1"},
                                     .errors = Stream::terminal,
                                     .environment = {{"NO_COLOR", "1"}}});
  EXPECT_THAT(ended.errors, Not(HasSubstr("\x1b")));
  EXPECT_THAT(ended.errors, HasSubstr("error: runtime_error"));
  const Ended empty = cordon(Command{.arguments = {"run", "-e", "throw 1"},
                                     .errors = Stream::terminal,
                                     .environment = {{"NO_COLOR", ""}}});
  EXPECT_THAT(empty.errors, HasSubstr("\x1b")) << "an empty NO_COLOR asks for nothing";
}

TEST(RunOnATerminal, WritesAResultWithoutColours) {
  const Ended ended =
      cordon(Command{.arguments = {"run", "-e", "({a: 1})"}, .output = Stream::terminal});
  EXPECT_EQ(ended.output, "{\"a\":1}\r\n");
}

TEST(RunInAPipe, HasNoColours) {
  EXPECT_THAT(run({"-e", "console.error('x'); throw 1"}).errors, Not(HasSubstr("\x1b")));
}

class RunSignalled : public testing::TestWithParam<int> {};

TEST_P(RunSignalled, CancelsTheGuestAndSaysSo) {
  for (const char* code :
       {"console.log('go'); try { for (;;) {} } finally { console.log('never') }",
        "console.log('go'); await new Promise((done) => setTimeout(done, 1e8))"}) {
    for (const bool json : {false, true}) {
      Command command{.arguments = {"run", "--timeout", "20000", "-e", code}};
      if (json) command.arguments.emplace_back("--json");
      bool sent = false;
      command.on_errors = [&](pid_t child, const std::string& errors) {
        if (!sent && errors.find("go") != std::string::npos) {
          sent = true;
          kill(child, GetParam());
        }
      };
      const Ended ended = cordon(command);
      EXPECT_EQ(ended.exit_code, 130) << code << ended.errors;
      EXPECT_THAT(ended.errors, HasSubstr("cancelled")) << code;
      EXPECT_THAT(ended.errors, Not(HasSubstr("never"))) << code;
      EXPECT_LT(ended.took, 5s) << code;
      if (json) {
        EXPECT_EQ(json_of(ended)["error"]["code"], Value("cancelled"));
      } else {
        EXPECT_THAT(ended.output, IsEmpty()) << code;
      }
    }
  }
}

TEST_P(RunSignalled, EndsWhereItStillReadsTheProgram) {
  const Ended ended = cordon(Command{
      .arguments = {"run", "-"},
      .input = "1 +",
      .keeps_input_open = true,
      .meanwhile =
          [](pid_t child) { return blocks(child, GetParam()) && kill(child, GetParam()) == 0; },
  });
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_THAT(ended.errors, HasSubstr("interrupted"));
  EXPECT_LT(ended.took, 5s);
}

TEST_P(RunSignalled, EndsWhereTypesOfAnImportAreStripped) {
  const Folder folder;
  folder.file("endless.ts", endless_typescript());
  const std::string main =
      folder.file("main.js", "console.log('now'); await import('./endless.ts')");
  bool sent = false;
  const Ended ended = cordon(Command{
      .arguments = {"run", "--timeout", "20000", main},
      .on_errors =
          [&](pid_t child, const std::string& errors) {
            if (sent || errors.find("now") == std::string::npos) return;
            sent = true;
            kill(child, GetParam());
          },
  });
  EXPECT_TRUE(sent);
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_THAT(ended.errors, HasSubstr("cancelled"));
  EXPECT_LT(ended.took, 15s);
}

TEST_P(RunSignalled, EndsWhereAProviderIsStillLoading) {
  const Folder folder;
  const std::string provider = "p=" + folder.file("p.js", "console.log('loading'); for (;;) {}");
  bool sent = false;
  const Ended ended = cordon(Command{
      .arguments = {"run", "--timeout", "20000", "--provider", provider, "-e", "1"},
      .on_errors =
          [&](pid_t child, const std::string& errors) {
            if (sent || errors.find("loading") == std::string::npos) return;
            sent = true;
            kill(child, GetParam());
          },
  });
  EXPECT_TRUE(sent);
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_LT(ended.took, 5s);
}

INSTANTIATE_TEST_SUITE_P(Signals, RunSignalled, testing::Values(SIGINT, SIGTERM),
                         [](const auto& tested) {
                           return tested.param == SIGINT ? "Int" : "Term";
                         });

TEST(Run, SaysThatNobodyTakesItsResult) {
  for (const Stream output : {Stream::closed_pipe, Stream::closed, Stream::full_device}) {
    const Ended ended =
        cordon(Command{.arguments = {"run", "-e", "'x'.repeat(1000000)"}, .output = output});
    EXPECT_EQ(ended.exit_code, 70);
    EXPECT_THAT(ended.errors, HasSubstr("standard output"));
  }
}

TEST(Run, GoesOnWhereNobodyTakesItsLogs) {
  for (const Stream errors : {Stream::closed_pipe, Stream::closed, Stream::full_device}) {
    const Ended ended = cordon(
        Command{.arguments = {"run", "-e", "for (let i = 0; i < 50; i++) console.log(i); 42"},
                .errors = errors});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.output, "42\n");
  }
}

TEST(Run, LeavesStandardInputToOthersWhereItIsNotTheProgram) {
  const Ended ended = cordon(Command{.arguments = {"run", "-e", "1"}, .keeps_input_open = true});
  EXPECT_EQ(ended.output, "1\n") << "it does not wait for an end of file";
}

// doctor.

TEST(Doctor, TellsWhatTheMachineOffers) {
  const Ended ended = cordon({"doctor"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_THAT(ended.errors, IsEmpty());
  for (const char* subject : {"Wasmtime", "QuickJS-ng", "processor", "huge pages", "seccomp",
                              "user namespaces", "vm.max_map_count", "open files", "1 + 1"}) {
    EXPECT_THAT(ended.output, HasSubstr(subject));
  }
  EXPECT_THAT(ended.output, Not(HasSubstr("\x1b")));
}

TEST(Doctor, TellsItAsJson) {
  const Ended ended = cordon({"doctor", "--json"});
  EXPECT_EQ(ended.exit_code, 0);
  const Value value = json_of(ended);
  EXPECT_EQ(value["ok"], Value(true));
  EXPECT_GE(value["findings"].size(), 8u);
  for (const ValueView finding : value["findings"].items()) {
    EXPECT_THAT(std::string(finding.find("grade").as_string()),
                testing::AnyOf("good", "limited", "missing"));
    EXPECT_FALSE(finding.find("subject").as_string().empty());
    EXPECT_FALSE(finding.find("state").as_string().empty());
  }
}

TEST(Doctor, HasColoursOnATerminalAlone) {
  EXPECT_THAT(cordon(Command{.arguments = {"doctor"}, .output = Stream::terminal}).output,
              HasSubstr("\x1b["));
  EXPECT_THAT(cordon(Command{.arguments = {"doctor"},
                             .output = Stream::terminal,
                             .environment = {{"NO_COLOR", "1"}}})
                  .output,
              Not(HasSubstr("\x1b[")));
}

}  // namespace
}  // namespace cordon::e2e
