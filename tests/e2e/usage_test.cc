// What the program says where its command line is wrong, and what it says about itself.

#include "cordon_command.h"
#include "process.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::string>;

Ended cordon(const Words& arguments) { return run(cordon_program(), {.arguments = arguments}); }

void expect_refusal(const Words& arguments, const std::string& line) {
  const Ended ended = cordon(arguments);
  EXPECT_EQ(ended.exit_code, 64) << line;
  EXPECT_THAT(ended.output, IsEmpty());
  EXPECT_EQ(ended.errors, line + "\n");
}

TEST(Usage, NamesWhatWasMeantAndWhereItIsListed) {
  expect_refusal({"run", "--tiemout", "5", "-e", "1"},
                 "cordon run: unknown option --tiemout; did you mean --timeout? `cordon run "
                 "--help` lists them");
  expect_refusal({"serve", "--port", "8080"},
                 "cordon serve: unknown option --port; did you mean --listen? `cordon serve "
                 "--help` lists them");
  expect_refusal({"rn", "-e", "1"},
                 "cordon: unknown command 'rn'; did you mean run? `cordon --help` lists them");
  expect_refusal({"-v"},
                 "cordon: unknown option -v; did you mean --version? `cordon --help` lists the "
                 "commands");
  expect_refusal({"--verbose"},
                 "cordon: unknown option --verbose; `cordon --help` lists the commands");
  expect_refusal({"help", "rn"},
                 "cordon help: unknown command 'rn'; did you mean run? `cordon --help` lists them");
}

TEST(Usage, SaysInOurWordsWhatIsMissingOrTooMuch) {
  expect_refusal({"run"},
                 "cordon run: there is no program; give a FILE, -e CODE, or - for standard input "
                 "(see `cordon run --help`)");
  expect_refusal({"run", "-e"}, "cordon run: -e needs a value: -e CODE (see `cordon run --help`)");
  expect_refusal({"run", "a.js", "-e", "1"},
                 "cordon run: FILE and --eval do not go together; give one of them (see `cordon "
                 "run --help`)");
  expect_refusal({"doctor", "now"},
                 "cordon doctor: 'now' is one argument too many (see `cordon doctor --help`)");
  expect_refusal({"completions"},
                 "cordon completions: bash|zsh|fish is missing: the shell that will read them (see "
                 "`cordon completions --help`)");
}

TEST(Usage, NamesTheOptionWhoseValueIsWrong) {
  expect_refusal({"run", "--timeout", "5 parsecs", "-e", "1"},
                 "cordon run: --timeout: '5 parsecs' is no number of milliseconds; write 5000 for "
                 "five seconds (see `cordon run --help`)");
  expect_refusal({"run", "--memory", "5GiB", "-e", "1"},
                 "cordon run: --memory: '5GiB' is more than 4GiB (see `cordon run --help`)");
  expect_refusal({"convert", "--from", "jsno", "--to", "json"},
                 "cordon convert: --from: 'jsno' is not runner, json or msgpack; did you mean "
                 "json? (see `cordon convert --help`)");
  expect_refusal(
      {"runner", "--threads", "2"},
      "cordon runner: --threads needs a --listen beside it (see `cordon runner --help`)");
  expect_refusal({"call", "--token-env", "HOME", "plugin.wasm", "add"},
                 "cordon call: --token-env is for tunnels, whose target is a URL (see `cordon call "
                 "--help`)");
}

TEST(Usage, MakesWhatTheUserWroteVisible) {
  expect_refusal({"\x1b[31mred"},
                 "cordon: unknown command '\\x1b[31mred'; `cordon --help` lists them");
}

// It would be replaced without a word.
TEST(Usage, RefusesProvidersWithTheNameOfAGlobal) {
  for (const char* name : {"console", "Object", "URL", "globalThis", "input"}) {
    const Ended ended = cordon({"run", "--provider", name + std::string("=tools.js"), "-e", "1"});
    EXPECT_EQ(ended.exit_code, 64);
    EXPECT_THAT(ended.errors, StartsWith("cordon run: --provider: '" + std::string(name) +
                                         "' is a name that programs have already; write another"));
  }
  EXPECT_EQ(cordon({"run", "--sleep-on", "console.log", "--save", "/tmp/x", "-e", "1"}).exit_code,
            64);
}

TEST(Help, IsACommandToo) {
  EXPECT_EQ(cordon({"help"}).output, cordon({"--help"}).output);
  EXPECT_EQ(cordon({"help", "run"}).output, cordon({"run", "--help"}).output);
  EXPECT_THAT(cordon({"help"}).output,
              AllOf(HasSubstr("A first example:\n  cordon run -e "), HasSubstr("Exit codes:"),
                    HasSubstr("\nServe it:\n"), Not(HasSubstr("\x1b"))));
}

TEST(Help, HasColoursOnATerminal) {
  const Ended ended =
      run(cordon_program(), {.arguments = {"help", "run"}, .output = Stream::terminal});
  EXPECT_THAT(ended.output, HasSubstr("\x1b[1mUsage\x1b[0m"));
}

TEST(Completions, ArePrintedForEachShell) {
  EXPECT_THAT(cordon({"completions", "bash"}).output, HasSubstr("complete -o bashdefault"));
  EXPECT_THAT(cordon({"completions", "zsh"}).output, StartsWith("#compdef cordon\n"));
  EXPECT_THAT(cordon({"completions", "fish"}).output, HasSubstr("complete -c cordon"));
}

}  // namespace
}  // namespace cordon::e2e
