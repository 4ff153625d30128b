// Programs as models write them: Markdown around the code. And files that are imported as text or
// bytes.

#include <filesystem>
#include <fstream>
#include <string>

#include "cordon_command.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::e2e {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Ended run(std::vector<std::string> arguments, std::string input = {}) {
  arguments.insert(arguments.begin(), "run");
  return cordon(Command{.arguments = std::move(arguments), .input = std::move(input)});
}

TEST(RunMarkdown, RunsTheOneFenceAmongProse) {
  const std::string text =
      "Sure, here's a program that adds them up:\n\n```js\nconst a = 40;\na + 2\n```\n\nIt prints "
      "42.\n";
  const Folder folder;
  EXPECT_EQ(run({"-"}, text).output, "42\n");
  EXPECT_EQ(run({"-e", text}).output, "42\n");
  EXPECT_EQ(run({folder.file("plan.md", text)}).output, "42\n");
  EXPECT_EQ(run({"-"}, "1. Run:\n\n   ```ts\n   const a: number = 1;\n   a\n   ```\n").output,
            "1\n");
  EXPECT_EQ(run({"-"}, "It's this:\n```bash\nnpm i\n```\n```js\n1\n```\n```json\n1\n```\n").output,
            "1\n");
}

TEST(RunMarkdown, CountsTheLinesOfTheWholeText) {
  const Ended ended = run({"-"}, "Here is it:\n\n```js\nconst a = 1;\nnothing(a);\n```\nDone.\n");
  EXPECT_THAT(ended.errors,
              HasSubstr("  at stdin:5:1\n    4 | const a = 1;\n    5 | nothing(a);\n"));
}

TEST(RunMarkdown, ImportsFromTheFolderOfItsFile) {
  const Folder folder;
  folder.file("a.js", "export default 5");
  EXPECT_EQ(
      run({folder.file("plan.md", "Don't wait:\n```js\nimport a from './a.js';\na\n```\n")}).output,
      "5\n");
}

TEST(RunMarkdown, SaysWhyThereIsNoProgram) {
  Ended ended = run({"-"}, "First it's this:\n```js\nf()\n```\nand then\n```js\ng()\n```\n");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.output, IsEmpty());
  EXPECT_EQ(ended.errors,
            "error: syntax_error: the text has 2 code fences (lines 2 and 6); give one program\n"
            "  at stdin:6:1\n"
            "    4 | ```\n"
            "    5 | and then\n"
            "    6 | ```js\n"
            "      | ^\n");
  EXPECT_THAT(run({"-"}, "Use this:\n```py\nprint(1)\n```\n").errors,
              HasSubstr("the code fence in line 2 is py, and a program is JavaScript or "
                        "TypeScript\n"));
  EXPECT_THAT(
      run({"-"}, "Use this:\n```js\nconst a = 1;\n").errors,
      HasSubstr("the code fence that begins in line 2 has no end, so the program may be cut "
                "off\n"));
  EXPECT_THAT(run({"-"}, "I'm sorry, but there is no such tool.\n").errors,
              HasSubstr("hint: it looks like prose and not like a program"));
  EXPECT_THAT(run({"-e", "const a = ;"}).errors, Not(HasSubstr("prose")));
}

class RunImports : public testing::Test {
 protected:
  RunImports() {
    folder.file("notes.txt", "one\ntwo\n");
    folder.file("data.csv", "a,b\n1,2\n");
    folder.file("pixel.png", std::string("\x89PNG\x00\xFF", 6));
    folder.file("secrets.txt", "s3cret");
    folder.file("server.key", "s3cret");
    folder.file(".env", "s3cret");
    folder.file("app.log", "s3cret");
    folder.file("cordon.json", "{}");
  }
  Ended run_file(const std::string& code, std::vector<std::string> arguments = {}) {
    arguments.push_back(folder.file("main.js", code));
    return run(std::move(arguments));
  }

  Folder folder;
};

TEST_F(RunImports, ReadsTextAndBytes) {
  const Ended ended = run_file(
      "import notes from './notes.txt' with { type: 'text' };\n"
      "import pixel from './pixel.png' with { type: 'bytes' };\n"
      "const { default: csv } = await import('./data.csv', { with: { type: 'text' } });\n"
      "[notes.split('\\n').length, [...pixel], csv.trim().split('\\n').at(-1)]");
  EXPECT_EQ(ended.output, "[3,[137,80,78,71,0,255],\"1,2\"]\n") << ended.errors;
}

TEST_F(RunImports, KeepsSecretsFromPrograms) {
  for (const char* name : {"./secrets.txt", "./server.key", "./.env", "./app.log", "./cordon.json",
                           "../notes.txt", "/etc/passwd"}) {
    for (const char* type : {"text", "bytes"}) {
      const Ended ended =
          run_file("import it from '" + std::string(name) + "' with { type: '" + type + "' };\nit");
      EXPECT_EQ(ended.exit_code, 1) << name;
      EXPECT_THAT(ended.errors, HasSubstr("Cannot find module")) << name;
      EXPECT_THAT(ended.errors, Not(HasSubstr("s3cret"))) << name;
    }
  }
}

TEST_F(RunImports, SaysWhatThereIsAndHowToImportIt) {
  EXPECT_THAT(run_file("import a from './note.txt' with { type: 'text' }; a").errors,
              HasSubstr("Cannot find module './note.txt': there is ./data.csv, ./main.js, "
                        "./notes.txt\n  at main.js:1:15\n"));
  EXPECT_THAT(run_file("import a from './notes.txt'; a").errors,
              HasSubstr("'./notes.txt': import it with { type: 'text' }"));
  EXPECT_THAT(run_file("import a from './pixel.png' with { type: 'text' }; a").errors,
              HasSubstr("'./pixel.png': import it with { type: 'bytes' }"));
  EXPECT_THAT(run_file("import a from './notes.txt' with { type: 'css' }; a").errors,
              HasSubstr("error: syntax_error: there is no import type 'css': there is 'json', "
                        "'text' and 'bytes'\n  at main.js:1:29\n"));
}

TEST_F(RunImports, CarriesThemInAnImage) {
  const std::string image = folder.path() + "/program.image";
  Ended ended = run_file(
      "const answer = await tools.ask();\n"
      "const { default: notes } = await import('./notes.txt', { with: { type: 'text' } });\n"
      "const { default: pixel } = await import('./pixel.png', { with: { type: 'bytes' } });\n"
      "const { default: csv } = await import(answer, { with: { type: 'text' } });\n"
      "[notes.length, pixel.length, csv.length]",
      {"--sleep-on", "tools.ask", "--save", image});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  for (const char* name : {"notes.txt", "pixel.png", "data.csv"})
    std::filesystem::remove(folder.path() + "/" + name);
  ended = run({"--resume", image, "--result", "\"./data.csv\""});
  EXPECT_EQ(ended.output, "[8,6,8]\n") << ended.errors;
}

}  // namespace
}  // namespace cordon::e2e
