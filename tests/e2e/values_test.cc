// Which values leave `cordon run`: `--values`, and what it says of those that may not leave.

#include <string>

#include "cordon_command.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/codec/json/decode.h"
#include "cordon/value.h"

namespace cordon::e2e {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Ended run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  return cordon(Command{.arguments = std::move(arguments)});
}

TEST(RunValues, LeaveAsJsonWhereAskedTo) {
  Ended ended = run({"--values", "json", "-e",
                     "class Cart { items = [1]; total() { return 1 } }\n"
                     "({at: new Date(0), cart: new Cart(), page: new URL('http://a/b')})"});
  EXPECT_EQ(
      ended.output,
      "{\"at\":\"1970-01-01T00:00:00.000Z\",\"cart\":{\"items\":[1]},\"page\":\"http://a/b\"}\n")
      << ended.errors;
  ended = run({"--values", "json", "-e", "({seen: new Map()})"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.output, IsEmpty());
  EXPECT_THAT(ended.errors, HasSubstr("an object of class Map at seen\n"
                                      "  hint: write Object.fromEntries(seen)\n"));
}

TEST(RunValues, AreRefusedWithWhatToWrite) {
  const std::pair<const char*, const char*> cases[] = {
      {"({createdAt: new Date()})",
       "hint: write createdAt.toISOString(); or run it with --values json\n"},
      {"({rows: [{when: new Date()}]})",
       "hint: write rows[0].when.toISOString(); or run it with --values json\n"},
      {"class A { x = 1 }; ({a: new A()})", "hint: write {...a}; or run it with --values json\n"},
      {"new Map([[1, 2]])", "hint: write Object.fromEntries(result)\n"},
      {"({list: [10n]})",
       "hint: write String(list[0]), or Number(list[0]) if it is below 2 ** 53\n"},
  };
  for (const auto& [code, hint] : cases) {
    const Ended ended = run({"-e", code});
    EXPECT_EQ(ended.exit_code, 1) << code;
    EXPECT_THAT(ended.errors, HasSubstr(hint)) << code;
  }
  const Ended ended = run({"--json", "-e", "({createdAt: new Date()})"});
  const Value report = json::decode(ended.output).value_or(Value());
  EXPECT_EQ(report["error"]["hint"],
            Value("write createdAt.toISOString(); or run it with --values json"));
  EXPECT_EQ(report["error"]["place"], Value("createdAt"));
}

TEST(RunValues, AreInputsAndAnswersOfProvidersToo) {
  const Folder folder;
  const std::string provider =
      "shop=" + folder.file("shop.js",
                            "export const when = () => ({at: new Date(0)});\n"
                            "export const echo = (value) => value;\n"
                            "export const seen = () => ({ids: new Set([1])});");
  Ended ended = run({"--provider", provider, "--values", "json", "-e",
                     "[await shop.when(), await shop.echo({at: new Date(1)})]"});
  EXPECT_EQ(ended.output,
            "[{\"at\":\"1970-01-01T00:00:00.000Z\"},{\"at\":\"1970-01-01T00:00:00.001Z\"}]\n")
      << ended.errors;
  ended = run({"--provider", provider, "-e", "await shop.when()"});
  EXPECT_THAT(ended.errors, HasSubstr("an object of class Date at at; in the tool, write "
                                      "at.toISOString()\n"));
  ended = run({"--provider", provider, "-e", "await shop.echo({at: new Date()})"});
  EXPECT_THAT(ended.errors,
              HasSubstr("hint: write at.toISOString(); or run it with --values json\n"));
  ended = run({"--provider", provider, "--values", "json", "-e", "await shop.seen()"});
  EXPECT_THAT(ended.errors, HasSubstr("in the tool, write [...ids]\n"));
}

TEST(RunValues, KeepTheirRuleInAnImage) {
  const Folder folder;
  const std::string image = folder.path() + "/program.image";
  const std::string code = "await tools.ask({at: new Date(0)}); new Date(1)";
  Ended ended = run({"--values", "json", "--sleep-on", "tools.ask", "--save", image, "-e", code});
  EXPECT_THAT(ended.output, HasSubstr("tools.ask({\"at\":\"1970-01-01T00:00:00.000Z\"})"))
      << ended.errors;
  ended = run({"--resume", image, "--result", "1"});
  EXPECT_EQ(ended.output, "\"1970-01-01T00:00:00.001Z\"\n") << ended.errors;
  ended = run({"--resume", image, "--result", "1", "--values", "strict"});
  EXPECT_EQ(ended.exit_code, 64);
  EXPECT_THAT(ended.errors, HasSubstr("a saved program keeps its rule"));
  const std::string provider =
      "shop=" + folder.file("shop.js", "export const when = () => new Date(2);");
  run({"--provider", provider, "--sleep-on", "tools.ask", "--save", image, "-e",
       "await tools.ask(); await shop.when()"});
  ended = run({"--provider", provider, "--resume", image, "--result", "1", "--values", "json"});
  EXPECT_EQ(ended.output, "\"1970-01-01T00:00:00.002Z\"\n") << ended.errors;
  const std::string strict = "await tools.ask(); new Date(1)";
  run({"--sleep-on", "tools.ask", "--save", image, "-e", strict});
  ended = run({"--resume", image, "--result", "1"});
  EXPECT_THAT(ended.errors, HasSubstr("hint: write result.toISOString()\n"));
}

TEST(RunValues, HaveTwoRules) {
  const Ended ended = run({"--values", "jsn", "-e", "1"});
  EXPECT_EQ(ended.exit_code, 64);
  EXPECT_THAT(ended.errors, HasSubstr("did you mean json?"));
  EXPECT_THAT(ended.errors, Not(HasSubstr("rich")));
}

}  // namespace
}  // namespace cordon::e2e
