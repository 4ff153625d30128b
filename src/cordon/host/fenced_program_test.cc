#include "cordon/host/fenced_program.h"

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

FencedProgram program_in(std::string_view text) {
  const FenceChoice choice = choose_fence(text);
  const auto* program = std::get_if<FencedProgram>(&choice);
  EXPECT_NE(program, nullptr) << text;
  return program == nullptr ? FencedProgram() : *program;
}

FenceRefusal refusal_of(std::string_view text) {
  const FenceChoice choice = choose_fence(text);
  const auto* refusal = std::get_if<FenceRefusal>(&choice);
  EXPECT_NE(refusal, nullptr) << text;
  return refusal == nullptr ? FenceRefusal() : *refusal;
}

TEST(FencedProgram, IsInTheOneFence) {
  const FencedProgram program = program_in("Here it is:\n\n```js\n1 + 1\n```\nDone.\n");
  EXPECT_EQ(program.text, "1 + 1\n");
  EXPECT_EQ(program.first_line, 4u);
  EXPECT_EQ(program.language, "js");
  for (const char* language : {"", "js", "JavaScript", "ts", "tsx", "mjs", "jsx", "program"})
    EXPECT_EQ(program_in("a\n```" + std::string(language) + "\n1\n```").text, "1\n") << language;
}

TEST(FencedProgram, IsTheOneOfOurLanguagesAmongOthers) {
  EXPECT_EQ(program_in("```bash\nls\n```\n```js\n1\n```\n```json\n{}\n```").text, "1\n");
  EXPECT_EQ(program_in("```json\n{}\n```\n```\n1\n```").text, "1\n");
  EXPECT_EQ(program_in("```ts\n1\n```\nprints\n```\n1\n```").text, "1\n");
}

TEST(FencedProgram, IsUnknownWhereThereAreSeveral) {
  const FenceRefusal refusal = refusal_of("a\n\n```js\n1\n```\nb\n```js\n2\n```\n");
  EXPECT_EQ(refusal.message, "the text has 2 code fences (lines 3 and 7); give one program");
  EXPECT_EQ(refusal.line, 7u);
  EXPECT_EQ(refusal_of("```\n1\n```\n```\n2\n```").message,
            "the text has 2 code fences (lines 1 and 4); give one program");
  std::string many;
  for (int i = 0; i < 7; ++i) many += "```js\n```\n";
  EXPECT_EQ(refusal_of(many).message,
            "the text has 7 code fences (lines 1, 3, 5, 7, 9, …); give one program");
}

TEST(FencedProgram, IsNoneOfAnotherLanguage) {
  EXPECT_EQ(refusal_of("a\n```python\n1\n```").message,
            "the code fence in line 2 is python, and a program is JavaScript or TypeScript");
}

TEST(FencedProgram, IsNoneThatIsCutOff) {
  EXPECT_EQ(refusal_of("a\n```js\n1").message,
            "the code fence that begins in line 2 has no end, so the program may be cut off");
}

TEST(FencedProgram, IsWithoutTheIndentationOfItsFence) {
  EXPECT_EQ(program_in("1. a\n   ```js\n   `a\n     b`\n c\n\n   ```").text, "`a\n  b`\nc\n\n");
}

TEST(FencedProgram, IsNotInAComment) {
  EXPECT_TRUE(std::holds_alternative<NoFence>(choose_fence("let a; let a\n/*\n```js\n1\n```\n*/")));
  EXPECT_TRUE(std::holds_alternative<NoFence>(choose_fence("let a = 1")));
  EXPECT_EQ(program_in("of src/**/*.js:\n```js\n1\n```").text, "1\n");
  EXPECT_EQ(program_in("/* a */\n```js\n1\n```").text, "1\n");
}

TEST(FencedProgram, IsSureWhereNoProgramCouldHaveAFence) {
  for (const std::string_view text :
       {"```js\n1\n```", "Code:\n```js\n1\n```", "Use `total`\n```\n1\n```", "- ```js\n1\n```"})
    EXPECT_TRUE(is_surely_markdown(text)) << text;
  for (const std::string_view text :
       {"1", "/*\n```js\n1\n```\n*/", "const a = `\n```js\n`", "'\\\n```js\n'", "~~~\n1\n~~~"})
    EXPECT_FALSE(is_surely_markdown(text)) << text;
}

TEST(Prose, IsKnownByItsFirstWords) {
  for (const std::string_view text :
       {"I cannot do that.", "Here is the program:", "\nSorry, that isn't possible", "# Plan\n1. a",
        "**Answer**: 42", "> quoted", "- one of them", "1. First do this", "Das geht so nicht"})
    EXPECT_TRUE(is_prose(text)) << text;
  for (const std::string_view text :
       {"", "1 + 1", "const a b c", "async function foo bar", "x instanceof", "return the value of",
        "let total is 5", "main()", "a = b"})
    EXPECT_FALSE(is_prose(text)) << text;
}

}  // namespace
}  // namespace cordon::host
