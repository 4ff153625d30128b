#include "cordon/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/cli/command.h"
#include "cordon/cli/help.h"

namespace cordon::cli {
namespace {

using testing::HasSubstr;

WordCheck check(std::string_view name, const std::vector<std::string>& words) {
  const std::unique_ptr<Invocation> invocation = find_command(name)->make();
  CLI::App app;
  bind(app, *invocation);
  return check_words(app, name, words);
}

std::string mistake(std::string_view name, const std::vector<std::string>& words) {
  return check(name, words).mistake.value_or("none");
}

TEST(CheckWords, NamesTheOptionThatWasMeant) {
  EXPECT_EQ(mistake("run", {"--tiemout", "5", "-e", "1"}),
            "unknown option --tiemout; did you mean --timeout? `cordon run --help` lists them");
  EXPECT_EQ(mistake("run", {"--tiemout=5", "-e", "1"}),
            "unknown option --tiemout; did you mean --timeout? `cordon run --help` lists them");
  EXPECT_THAT(mistake("runner", {"--token", "x"}), HasSubstr("did you mean --token-env?"));
}

TEST(CheckWords, KnowsWhatOtherProgramsCallAnOption) {
  EXPECT_EQ(mistake("serve", {"--port", "8080"}),
            "unknown option --port; did you mean --listen? `cordon serve --help` lists them");
  EXPECT_THAT(mistake("run", {"--verbose", "-e", "1"}), HasSubstr("did you mean --trace?"));
  // Only where the command has it.
  EXPECT_EQ(mistake("doctor", {"--verbose"}),
            "unknown option --verbose; `cordon doctor --help` lists them");
}

TEST(CheckWords, SaysWhichValueIsMissing) {
  EXPECT_EQ(mistake("run", {"-e", "1", "--timeout"}), "--timeout needs a value: --timeout MS");
  EXPECT_EQ(mistake("run", {"-e"}), "-e needs a value: -e CODE");
  EXPECT_EQ(mistake("run", {"--timeout=", "5"}), "--timeout: there is no value behind the '='");
}

TEST(CheckWords, TakesTheNextWordAsAValueWhateverItIs) {
  EXPECT_EQ(mistake("run", {"-e", "--1"}), "none");
  EXPECT_EQ(mistake("run", {"--eval=-1"}), "none");
  EXPECT_EQ(mistake("run", {"-e-1"}), "none");
  EXPECT_EQ(mistake("run", {"-"}), "none");
  EXPECT_EQ(mistake("run", {"--", "--odd-name.js"}), "none");
}

TEST(CheckWords, RefusesValuesOfFlagsAndOptionsGivenTwice) {
  EXPECT_EQ(mistake("run", {"--json=maybe", "-e", "1"}),
            "--json takes no value; write it without '=maybe'");
  EXPECT_EQ(mistake("run", {"--timeout", "5", "--timeout", "6", "-e", "1"}),
            "--timeout is given twice; give it once");
  EXPECT_EQ(mistake("run", {"--json", "--json", "-e", "1"}), "none");
  EXPECT_EQ(mistake("run", {"--provider", "a=a.js", "--provider", "b=b.js", "-e", "1"}), "none");
}

TEST(CheckWords, TellsOptionsThatExcludeOrNeedOthers) {
  EXPECT_EQ(mistake("run", {"main.js", "-e", "1"}),
            "FILE and --eval do not go together; give one of them");
  EXPECT_EQ(mistake("run", {"--save", "x", "-e", "1"}),
            "--save needs --sleep-on beside it: --sleep-on TOOL");
  EXPECT_EQ(mistake("convert", {"--from", "json"}),
            "--to is missing; write --to runner|json|msgpack");
  EXPECT_EQ(mistake("guest", {}), "PLUGIN.wasm is missing: a WASI preview 1 command module");
  EXPECT_EQ(mistake("run", {"a.js", "b.js"}), "'b.js' is one argument too many");
}

TEST(CheckWords, TellsTheFirstMistake) {
  EXPECT_THAT(mistake("run", {"--nonsense", "a.js", "b.js", "-e"}), HasSubstr("--nonsense"));
}

TEST(CheckWords, LetsHelpGoBeforeMistakes) {
  EXPECT_TRUE(check("run", {"--nonsense", "--help"}).wants_help);
  EXPECT_TRUE(check("run", {"-h"}).wants_help);
  EXPECT_FALSE(check("run", {"--eval", "--help"}).wants_help);
  EXPECT_FALSE(check("run", {"--", "--help"}).wants_help);
}

TEST(UnknownCommand, IsToldWithTheOneThatWasMeant) {
  EXPECT_EQ(unknown_command_text("rn"),
            "unknown command 'rn'; did you mean run? `cordon --help` lists them");
  EXPECT_THAT(unknown_command_text("server"), HasSubstr("did you mean serve?"));
  EXPECT_THAT(unknown_command_text("exec"), HasSubstr("did you mean run?"));
  EXPECT_THAT(unknown_command_text("main.js"), HasSubstr("did you mean `cordon run main.js`?"));
  EXPECT_EQ(unknown_command_text("quux"), "unknown command 'quux'; `cordon --help` lists them");
}

}  // namespace
}  // namespace cordon::cli
