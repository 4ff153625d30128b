#include "cordon/host/source_prep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Done = SourcePrep::Done;

const CallLedger no_calls;
const std::atomic<bool> never = false;

bool refuse_place(StripPlaces::Place&) { return false; }

js::Thrown syntax_error() {
  js::Thrown thrown;
  thrown.is_syntax_error = true;
  thrown.error = {"SyntaxError", "unexpected token", "    at program.js:2:3\n"};
  return thrown;
}

SourcePrep script(std::string source, Limits limits = {}) {
  return {{.source = std::move(source)}, {.name = "program.js", .limits = limits}};
}

js::Stripped refusal(js::StripRefusal::Kind kind) {
  js::StripRefusal refused;
  refused.kind = kind;
  refused.message = "no enums";
  refused.line = 2;
  refused.column = 1;
  return refused;
}

const ExecutionError& error_of(const Done& done) { return std::get<ExecutionError>(done); }

TEST(SourcePrep, KnowsTypeScriptByItsNameOrByWhatItIsTold) {
  EXPECT_FALSE(script("1").is_to_strip());
  EXPECT_TRUE(SourcePrep({.source = "1"}, {.name = "a.ts"}).is_to_strip());
  EXPECT_TRUE(SourcePrep({.source = "1", .is_typescript = true}, {.name = "a.js"}).is_to_strip());
  const auto saved = std::make_shared<const ProgramSources>();
  EXPECT_FALSE(SourcePrep({}, {.name = "a.ts", .saved = saved}).is_to_strip());
}

TEST(SourcePrep, LooksForTypesAfterASyntaxErrorAndNoOther) {
  const SourcePrep source = script("1");
  EXPECT_TRUE(source.may_have_types(syntax_error()));
  js::Thrown at_run_time = syntax_error();
  at_run_time.is_syntax_error = false;
  EXPECT_FALSE(source.may_have_types(at_run_time));
  EXPECT_FALSE(source.may_have_types(Value(1)));
  const auto saved = std::make_shared<const ProgramSources>();
  EXPECT_FALSE(SourcePrep({}, {.saved = saved}).may_have_types(syntax_error()));
}

TEST(SourcePrep, StripsAProgramOnce) {
  TypeScriptService service(1);
  SourcePrep source = script("const a: number = 1;\na");
  source.refuse(syntax_error());
  source.begin_strip(service, 0, refuse_place);
  EXPECT_FALSE(source.may_have_types(syntax_error()));
  ASSERT_TRUE(source.is_stripping());
  ASSERT_FALSE(source.waits_for_place());
  std::optional<Done> done;
  while (!done) done = source.strip(std::chrono::steady_clock::now() + 1s, never, no_calls);
  EXPECT_TRUE(std::holds_alternative<SourcePrep::ProgramReady>(*done));
  EXPECT_FALSE(source.is_stripping());
  EXPECT_EQ(source.text().source, "const a         = 1;\na");
  EXPECT_EQ(source.sources().text, "const a: number = 1;\na");
}

TEST(SourcePrep, ShowsTheTextAsItWasWritten) {
  SourcePrep source = script("let a: b;\nthrow a");
  EXPECT_TRUE(std::holds_alternative<SourcePrep::ProgramReady>(
      source.end_program(js::Stripped(js::JavaScript{"let a   ;\nthrow a"}), no_calls)));
  const SourceExcerpt excerpt = source.excerpt_at({"program.js", 1, 5});
  ASSERT_EQ(excerpt.lines.size(), 1u);
  EXPECT_EQ(excerpt.lines[0], "let a: b;");
}

TEST(SourcePrep, ShowsTheJavaScriptErrorWhereThereAreNoTypes) {
  for (const bool is_valid : {true, false}) {
    SourcePrep source = script("let a;\nx y");
    source.refuse(syntax_error());
    const Done done = source.end_program(is_valid ? js::Stripped(js::JavaScript{"let a;\nx y"})
                                                  : refusal(js::StripRefusal::Kind::invalid),
                                         no_calls);
    EXPECT_EQ(error_of(done).code, ErrorCode::syntax_error);
    EXPECT_EQ(error_of(done).message, "unexpected token");
    EXPECT_EQ(error_of(done).excerpt.lines.back(), "x y");
    EXPECT_EQ(error_of(done).hint, "");
  }
}

TEST(SourcePrep, ShowsTheErrorOfTypeScriptThatWasNamedSo) {
  SourcePrep source({.source = "let a;\nx y"}, {.name = "a.ts"});
  const Done done = source.end_program(refusal(js::StripRefusal::Kind::invalid), no_calls);
  EXPECT_EQ(error_of(done).code, ErrorCode::syntax_error);
  EXPECT_EQ(error_of(done).message, "no enums");
  EXPECT_EQ(error_of(done).location->line, 2u);
  EXPECT_EQ(error_of(done).excerpt.lines.back(), "x y");
}

TEST(SourcePrep, LeavesTypeScriptThatNobodyCouldReadToTheParser) {
  SourcePrep source({.source = "1"}, {.name = "a.ts"});
  const Done done = source.end_program(refusal(js::StripRefusal::Kind::unread), no_calls);
  EXPECT_TRUE(std::holds_alternative<SourcePrep::ProgramReady>(done));
}

// The error that is shown of a text that may be either.
std::string shown(const char* text, std::uint32_t line, std::uint32_t column,
                  const js::StripRefusal& refusal) {
  SourcePrep source({.source = text, .first_line = 10}, {.name = "program.js"});
  js::Thrown thrown = syntax_error();
  thrown.error.stack =
      "    at program.js:" + std::to_string(line) + ":" + std::to_string(column) + "\n";
  source.refuse(std::move(thrown));
  return error_of(source.end_program(js::Stripped(refusal), no_calls)).message;
}

TEST(SourcePrep, ShowsTheErrorThatCameFurther) {
  using Kind = js::StripRefusal::Kind;
  const char* const text = "let a: b;\nx 'y'";
  EXPECT_EQ(shown(text, 10, 6, {Kind::invalid, "types", 2, 3}), "types");
  EXPECT_EQ(shown(text, 10, 6, {Kind::invalid, "types", 1, 7}), "types");
  EXPECT_EQ(shown(text, 10, 6, {Kind::invalid, "types", 1, 6}), "unexpected token");
  EXPECT_EQ(shown(text, 11, 1, {Kind::invalid, "types", 1, 6}), "unexpected token");
  // A string is the same in both languages, so no type has stopped JavaScript's parser.
  EXPECT_EQ(shown(text, 11, 3, {Kind::invalid, "types", 2, 6}), "unexpected token");
  EXPECT_EQ(shown(text, 11, 1, {Kind::unsupported, "types", 1, 1}), "types");
  EXPECT_EQ(shown(text, 10, 6, {Kind::unread, "", 0, 0}), "unexpected token");
}

// The program itself has been read then.
TEST(SourcePrep, LooksForNoTypesWhereAnImportedModuleHasTheError) {
  js::Thrown thrown = syntax_error();
  thrown.error.stack = "    at ./lib.js:2:3\n";
  EXPECT_FALSE(script("import './lib.js'").may_have_types(thrown));
}

TEST(SourcePrep, HasTheRunsOfWhatWasWrittenAnew) {
  SourcePrep source({.source = "enum A {}"}, {.name = "a.ts"});
  EXPECT_TRUE(source.take_runs().empty());
  source.end_program(js::Stripped(js::JavaScript{"var A", Bytes(20)}), no_calls);
  EXPECT_EQ(source.sources().text, "enum A {}");
  EXPECT_EQ(source.take_runs().size(), 20u);
}

TEST(SourcePrep, SaysWhatOfTypeScriptIsUnsupported) {
  SourcePrep source = script("1;\nenum A {}");
  source.refuse(syntax_error());
  const Done done = source.end_program(refusal(js::StripRefusal::Kind::unsupported), no_calls);
  EXPECT_THAT(error_of(done).message, HasSubstr("no enums"));
  EXPECT_EQ(error_of(done).excerpt.lines.back(), "enum A {}");
}

TEST(SourcePrep, TellsLackOfMemoryApartFromASyntaxError) {
  const Result<js::Stripped> lacking = cordon::fail(ErrorCode::memory_limit, "");
  SourcePrep known = SourcePrep({.source = "1"}, {.name = "a.ts"});
  EXPECT_EQ(error_of(known.end_program(lacking, no_calls)).code, ErrorCode::memory_limit);
  SourcePrep guessed = script("x y");
  guessed.refuse(syntax_error());
  const Done done = guessed.end_program(lacking, no_calls);
  EXPECT_EQ(error_of(done).code, ErrorCode::syntax_error);
  EXPECT_THAT(error_of(done).hint, HasSubstr("may be TypeScript"));
}

TEST(SourcePrep, LeavesAProgramThatIsTooLargeToStripToTheParser) {
  SourcePrep source = SourcePrep({.source = "1"}, {.name = "a.ts"});
  const Done done = source.end_program(cordon::fail(ErrorCode::too_large, ""), no_calls);
  EXPECT_TRUE(std::holds_alternative<SourcePrep::ProgramReady>(done));
  EXPECT_EQ(source.text().source, "1");
}

TEST(SourcePrep, RefusesAModuleThatIsNoTypeScript) {
  for (const auto kind : {js::StripRefusal::Kind::invalid, js::StripRefusal::Kind::unsupported}) {
    SourcePrep source({}, {.modules = {{"./a.ts", "let a: b;\nx y"}}});
    ASSERT_FALSE(source.load("./a.ts", js::ImportKind::module).has_value());
    const Done done = source.end_module(refusal(kind));
    const auto& module = std::get<SourcePrep::ModuleReady>(done).module;
    ASSERT_TRUE(module.has_value());
    EXPECT_EQ(std::get<js::StripRefusal>(*module).line, 2u);
  }
}

TEST(SourcePrep, GivesTheParserAModuleThatNobodyCouldReadAsItIs) {
  SourcePrep source({}, {.modules = {{"./a.ts", "x y"}}});
  ASSERT_FALSE(source.load("./a.ts", js::ImportKind::module).has_value());
  const Done done = source.end_module(refusal(js::StripRefusal::Kind::unread));
  const auto& module = std::get<SourcePrep::ModuleReady>(done).module;
  ASSERT_TRUE(module.has_value());
  EXPECT_EQ(std::get<js::JavaScript>(*module).text, "x y");
}

TEST(SourcePrep, StripsNoTypesOfWhatIsImportedAsText) {
  SourcePrep source({}, {.modules = {{"./a.ts", "x: y"}}});
  for (const js::ImportKind kind : {js::ImportKind::text, js::ImportKind::bytes})
    EXPECT_EQ(std::get<js::JavaScript>(**source.load("./a.ts", kind)).text, "x: y");
}

TEST(SourcePrep, LooksForAFenceOnceAndOnlyWhereTheTextItselfIsWrong) {
  const auto refused_at = [](std::string stack) {
    js::Thrown thrown;
    thrown.is_syntax_error = true;
    thrown.error = {"SyntaxError", "no", std::move(stack)};
    return js::Outcome(std::move(thrown));
  };
  const std::string text = "A ` and it:\n```ts\nlet a: b\n```\n";
  SourcePrep source({.source = text}, {.name = "main.js"});
  EXPECT_EQ(source.text().source, text);
  EXPECT_FALSE(source.take_fence(refused_at("    at lib.js:1:1\n")));
  EXPECT_TRUE(source.take_fence(refused_at("    at main.js:1:4\n")));
  EXPECT_EQ(source.text().source, "let a: b\n");
  EXPECT_EQ(source.text().first_line, 3u);
  EXPECT_TRUE(source.is_to_strip());
  EXPECT_FALSE(source.refusal().has_value());
  EXPECT_FALSE(source.take_fence(refused_at("    at main.js:3:1\n")));
  EXPECT_EQ(source.sources().first_line, 3u);
}

TEST(SourcePrep, NamesAModuleThatCannotBeStripped) {
  SourcePrep source({}, {.modules = {{"./a.ts", "1"}}});
  ASSERT_FALSE(source.load("./a.ts", js::ImportKind::module).has_value());
  const Done large = source.end_module(cordon::fail(ErrorCode::too_large, "too much"));
  EXPECT_THAT(std::get<SourcePrep::ModuleReady>(large).module.error().message,
              HasSubstr("'./a.ts': too much"));
  ASSERT_FALSE(source.load("./a.ts", js::ImportKind::module).has_value());
  EXPECT_EQ(error_of(source.end_module(cordon::fail(ErrorCode::memory_limit, ""))).code,
            ErrorCode::memory_limit);
}

TEST(SourcePrep, HasModulesOfAnImageAfterItsOwn) {
  auto saved = std::make_shared<ProgramSources>();
  saved->import_base = "main.js";
  saved->text = "import './b.js'";
  saved->modules = {{"./a.js", "saved"}, {"./b.js", "saved"}};
  SourcePrep source({}, {.name = "main.js", .modules = {{"./a.js", "own"}}, .saved = saved});
  EXPECT_EQ(source.resolve("main.js", "./b.js", js::ImportKind::module), "./b.js");
  EXPECT_EQ(std::get<js::JavaScript>(**source.load("./a.js", js::ImportKind::module)).text, "own");
  EXPECT_EQ(std::get<js::JavaScript>(**source.load("./b.js", js::ImportKind::module)).text,
            "saved");
  EXPECT_EQ(source.sources().modules.count("./b.js"), 1u);
}

}  // namespace
}  // namespace cordon::host
