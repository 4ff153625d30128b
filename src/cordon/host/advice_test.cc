#include "cordon/host/advice.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/engine.h"

namespace cordon::host {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Engine& engine() {
  static Engine engine = *Engine::create_one_shot();
  return engine;
}

Report run(const std::string& code, ExecuteOptions options = {}) {
  return engine().execute(code, std::move(options)).get();
}

std::string hint_of(const std::string& code, ExecuteOptions options = {}) {
  const Report report = run(code, std::move(options));
  EXPECT_TRUE(report.failed()) << code;
  return report.error.hint;
}

Provider provider(const std::string& name, const std::vector<std::string>& tools) {
  Provider provider(name);
  for (const std::string& tool : tools)
    provider.add(tool, [](Value) -> Result<Value> { return 1; });
  return provider;
}

ExecuteOptions with_tools() {
  return {.providers = {provider("mail", {"send", "list"}), provider("api", {"httpGet", "ping"})}};
}

ExecuteOptions with_modules() { return {.modules = {{"./lib/total.js", "export const a = 1"}}}; }

// When a guest gets one of these names, its row is to be taken out.
TEST(MissingGlobals, AreMissingAndEachHasItsHint) {
  std::set<std::string_view> seen;
  for (const MissingName& global : missing_globals()) {
    const std::string name(global.name);
    SCOPED_TRACE(name);
    EXPECT_TRUE(seen.insert(global.name).second) << "it is there twice";
    EXPECT_EQ(run("typeof " + name).result, Value("undefined"));
    EXPECT_EQ(run("'" + name + "' in globalThis").result, Value(false));
    const Report report = run("const a = " + name + ".b");
    EXPECT_EQ(report.error.message, name + " is not defined");
    EXPECT_EQ(report.error.hint, advice_on_global(global, {}));
    EXPECT_THAT(report.error.hint, Not(IsEmpty()));
    EXPECT_LT(report.error.hint.size(), 250u);
    EXPECT_THAT(report.error.suggestions, IsEmpty());
  }
}

TEST(MissingPackages, EachHaveTheirHint) {
  std::set<std::string_view> seen;
  for (const MissingName& package : missing_packages()) {
    const std::string name(package.name);
    SCOPED_TRACE(name);
    EXPECT_TRUE(seen.insert(package.name).second) << "it is there twice";
    EXPECT_EQ(hint_of("import x from '" + name + "'; x"), advice_on_import(name, {}));
    EXPECT_EQ(advice_on_import("npm:" + name + "@1.2.3/part", {}), advice_on_import(name, {}));
    EXPECT_EQ(advice_on_import("node:" + name + "/part", {}), advice_on_import(name, {}));
    EXPECT_THAT(advice_on_import(name, {}), Not(IsEmpty()));
  }
}

TEST(Advice, NamesTheToolsThatComeNearest) {
  EXPECT_EQ(hint_of("await fetch('https://example.com')", with_tools()),
            "there is no network; its tools are api.httpGet, api.ping, mail.send, mail.list");
  EXPECT_EQ(hint_of("await fetch('x')", {.providers = {provider("mail", {"send"})}}),
            "there is no network; its tool is mail.send");
  EXPECT_EQ(hint_of("await fetch('x')"), "there is no network; this program was given no tools");
  EXPECT_EQ(
      hint_of("fs.readFileSync('x')", {.providers = {provider("disk", {"list", "readText"})}}),
      "there are no files; its tools are disk.readText, disk.list");
}

TEST(Advice, CountsTheToolsThatItDoesNotName) {
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back("tool" + std::to_string(i));
  names.emplace_back("downloadPage");
  names.push_back(std::string(200, 'x'));
  const std::string hint = hint_of("fetch('x')", {.providers = {provider("a", names)}});
  EXPECT_THAT(hint, StartsWith("there is no network; its tools are a.downloadPage, a.tool0, "));
  EXPECT_THAT(hint, HasSubstr("(and 16 more)"));
  EXPECT_LT(hint.size(), 200u);
}

TEST(Advice, KnowsOpenNamespaces) {
  Provider books("books");
  books.add_any([](const std::string&, Value, Reply reply) { reply(Value(1)); });
  EXPECT_EQ(hint_of("fetch('x')", {.providers = {books}}),
            "there is no network; its tool is books.*");
}

TEST(Advice, IsThereForMembersOfTheGlobalObjectToo) {
  const std::string network = "there is no network; this program was given no tools";
  EXPECT_EQ(hint_of("await globalThis.fetch('x')"), network);
  EXPECT_EQ(hint_of("globalThis.process.env.KEY"), hint_of("process.env.KEY"));
  EXPECT_EQ(hint_of("window.fetch('x')"), "the global object is globalThis");
  EXPECT_THAT(hint_of("({}).fetch('x')"), IsEmpty()) << "but not of others";
}

TEST(Advice, SaysWhereValuesComeFrom) {
  EXPECT_EQ(hint_of("process.env.KEY", {.input = Value(1)}), "values come in `input`");
  EXPECT_THAT(hint_of("process.argv[2]"), HasSubstr("this program was given none"));
  EXPECT_THAT(hint_of("input.rows"), HasSubstr("this program was given none"));
  EXPECT_THAT(hint_of("process.env.KEY", {.program = ProgramRule::execbox}),
              Not(HasSubstr("input")));
}

TEST(Advice, ForAnImportNamesTheModulesThatThereAre) {
  const std::string modules = "packages cannot be imported; this program has ./lib/total.js";
  EXPECT_EQ(hint_of("import _ from 'left-pad'", with_modules()), modules);
  EXPECT_EQ(hint_of("await import('left-pad')", with_modules()), modules);
  EXPECT_EQ(hint_of("require('left-pad')", with_modules()), modules);
  EXPECT_EQ(hint_of("import x from '@scope/name'", with_modules()), modules);
  EXPECT_EQ(hint_of("import x from 'npm:left-pad@4'"),
            "packages cannot be imported; this program has no files to import");
  EXPECT_EQ(hint_of("import x from 'https://esm.sh/lodash'", with_modules()),
            "addresses cannot be imported; this program has ./lib/total.js");
  EXPECT_THAT(hint_of("import _ from 'lodash'", with_modules()),
              testing::AllOf(HasSubstr("groupBy"), HasSubstr("this program has ./lib/total.js")));
  EXPECT_EQ(hint_of("import { inspect } from 'node:unheard-of'"),
            "Node's modules cannot be imported; this program has no files to import");
}

TEST(Advice, ForRequireIsThatOfItsModule) {
  EXPECT_THAT(hint_of("const fs = require('fs')"), StartsWith("there are no files"));
  EXPECT_THAT(hint_of("const { randomUUID } = require(\"node:crypto\")"),
              HasSubstr("the global crypto"));
  EXPECT_THAT(hint_of("const name = 'x'; require(name)"), StartsWith("packages cannot"));
}

TEST(Advice, SaysNothingOfFiles) {
  EXPECT_THAT(hint_of("import './totl.js'", with_modules()), IsEmpty()) << "the message lists them";
  EXPECT_THAT(hint_of("await import('../x.js')"), IsEmpty());
}

TEST(Advice, LeavesTheProgramsOwnNamesTheFirstWord) {
  EXPECT_EQ(hint_of("const paths = []; path.join('a')"),
            "there is no path; did you mean paths or Math?");
  EXPECT_THAT(hint_of("path.join('a')"), HasSubstr("join")) << "Math is not what was meant";
  EXPECT_THAT(hint_of("const fetched = 1; fetch('x')"), StartsWith("there is no network"));
}

TEST(Advice, NamesTheToolsWhereANamespaceIsMissing) {
  EXPECT_EQ(hint_of("await gdrive.send({})", with_tools()),
            "there is no gdrive; its tools are mail.send, mail.list, api.httpGet, api.ping");
  EXPECT_THAT(hint_of("await gdrive.send({})"), IsEmpty());
  EXPECT_THAT(hint_of("unheard.of + 1", with_tools()), IsEmpty());
}

TEST(Advice, NamesTheToolThatIsCalledWithoutItsNamespace) {
  EXPECT_EQ(hint_of("await list({})", with_tools()), "write mail.list");
  EXPECT_EQ(hint_of("const lists = 1; [1].map(list)", with_tools()), "write mail.list");
  EXPECT_EQ(hint_of("await list({})",
                    {.providers = {provider("mail", {"list"}), provider("disk", {"list"})}}),
            "write mail.list or disk.list");
}

TEST(Advice, IsSilentWhereNothingIsWrong) {
  EXPECT_EQ(run("typeof fetch + typeof process + typeof require").result,
            Value("undefinedundefinedundefined"));
  EXPECT_EQ(run("globalThis.process?.env ?? 'none'").result, Value("none"));
  EXPECT_EQ(run("try { fetch('x') } catch (e) { e.message }; (() => { try { fetch() } catch (e) { "
                "return e.message } })()")
                .result,
            Value("fetch is not defined"));
}

TEST(Advice, GoesWithTheErrorThatEndsTheProgram) {
  EXPECT_THAT(hint_of("await import('lodash').catch(() => 0); throw new Error('other')"),
              IsEmpty());
  EXPECT_THAT(hint_of("try { fetch('x') } catch (e) { throw e }"),
              StartsWith("there is no network"));
}

TEST(Advice, ForTheEndOfAProcessIsTheEndOfAProgram) {
  EXPECT_EQ(hint_of("if (true) process.exit(1)"),
            "a program ends after its last statement, or with `return` outside of all functions");
}

TEST(Advice, TellsAPromiseThatWasTakenForItsAnswer) {
  EXPECT_EQ(hint_of("const rows = Promise.resolve([1]); rows.map((n) => n)"),
            "rows is a promise, and has no map; write (await rows).map");
  EXPECT_EQ(hint_of("const o = {p: (async () => 1)()}; o.p?.toFixed(1)"),
            "o.p is a promise, and has no toFixed; write (await o.p).toFixed");
  EXPECT_EQ(hint_of("const row = Promise.resolve({tags: []}); row.tags.map((n) => n)"),
            "row is a promise, and has no tags; write (await row).tags");
}

TEST(Advice, IsThereForMembersOfNodesCrypto) {
  EXPECT_THAT(hint_of("crypto.createHash('md5')"), HasSubstr("subtle.digest"));
  EXPECT_THAT(hint_of("crypto.createHmac('sha256', 'k')"), HasSubstr("subtle.sign"));
}

TEST(Advice, KnowsTheWordsOfOtherLanguages) {
  EXPECT_EQ(hint_of("const x = None"), "write null");
  EXPECT_EQ(hint_of("len([1])"), "write value.length");
  EXPECT_THAT(hint_of("for (const i of range(5)) {}"), HasSubstr("Array.from"));
}

TEST(Advice, KnowsWhatOtherLanguagesCallIt) {
  EXPECT_EQ(hint_of("['a'].contains('a')"), "there is no contains; write includes");
  EXPECT_EQ(hint_of("' a'.strip()"), "there is no strip; write trim");
  EXPECT_EQ(hint_of("const rows = [1]; rows.data.length"), "rows is an array, and has no data");
  EXPECT_EQ(hint_of("const rows = [1]; rows.lenght.x"), "there is no lenght; did you mean length?");
}

TEST(Advice, ReachesTheFunctionsOfAModule) {
  Result<Module> module = engine().load("export default () => process.env.KEY");
  ASSERT_TRUE(module.has_value());
  EXPECT_EQ(module->call("default").get().error.hint,
            "values come as the argument of the function that is called");
}

}  // namespace
}  // namespace cordon::host
