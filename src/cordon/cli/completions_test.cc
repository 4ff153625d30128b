#include "cordon/cli/completions.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Ended {
  std::string output;
  int status = -1;
};

Ended shell(const std::string& command) {
  Ended ended;
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return ended;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    ended.output.append(buffer.data(), got);
  }
  ended.status = pclose(pipe);
  return ended;
}

// A file of the completions for one shell.
class Completions : public testing::Test {
 protected:
  std::string write(Shell which) {
    std::ofstream(path_) << completions_text(which);
    return path_;
  }
  ~Completions() override { unlink(path_.c_str()); }

  // What bash proposes for the last of the words.
  std::string proposed(const std::string& words) {
    const std::string file = write(Shell::bash);
    return shell("bash --norc -c '. " + file + "; COMP_WORDS=(" + words +
                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cordon; echo ${COMPREPLY[*]}' 2>&1")
        .output;
  }

  bool is_there(const std::string& name) {
    return shell("command -v " + name + " >/dev/null 2>&1").status == 0;
  }

 private:
  std::string path_ = testing::TempDir() + "/cordon_completions_" + std::to_string(getpid());
};

TEST_F(Completions, OfBashProposeCommandsAndOptions) {
  EXPECT_EQ(proposed("cordon ru"), "run runner\n");
  EXPECT_EQ(proposed("cordon --v"), "--version\n");
  EXPECT_EQ(proposed("cordon run --ti"), "--timeout\n");
  EXPECT_EQ(proposed("cordon serve --c"), "--config --check\n");
  EXPECT_EQ(proposed("cordon help comp"), "completions\n");
  EXPECT_EQ(proposed("cordon completions \"\""), "bash zsh fish\n");
  EXPECT_EQ(proposed("cordon nonsense --"), "\n");
}

TEST_F(Completions, OfBashProposeTheWordsOfAValue) {
  EXPECT_EQ(proposed("cordon convert --from js"), "json\n");
  EXPECT_EQ(proposed("cordon convert --from = m"), "msgpack\n");
  EXPECT_EQ(proposed("cordon convert --from ="), "runner json msgpack\n");
  EXPECT_EQ(proposed("cordon run --trace-format \"\""), "chrome otel both\n");
}

// Bash then completes names of files.
TEST_F(Completions, OfBashProposeNothingForFiles) {
  EXPECT_EQ(proposed("cordon run pro"), "\n");
  EXPECT_EQ(proposed("cordon run --save --x"), "\n");
  EXPECT_EQ(proposed("cordon run --provider shop = sh"), "\n");
}

TEST_F(Completions, AreRightInTheSyntaxOfTheirShells) {
  EXPECT_EQ(shell("bash -n " + write(Shell::bash) + " 2>&1").output, "");
  if (is_there("zsh")) {
    EXPECT_EQ(shell("zsh -n " + write(Shell::zsh) + " 2>&1").output, "");
  }
  if (is_there("fish")) {
    EXPECT_EQ(shell("fish -n " + write(Shell::fish) + " 2>&1").output, "");
  }
}

TEST_F(Completions, OfZshDescribeOptionsAndValues) {
  const std::string text = completions_text(Shell::zsh);
  EXPECT_TRUE(text.starts_with("#compdef cordon\n"));
  EXPECT_THAT(text, HasSubstr("'(--timeout)--timeout[milliseconds until the program is ended, "
                              "waits included]:MS: ' \\\n"));
  EXPECT_THAT(text, HasSubstr("'(-e --eval)-e[a program on the command line]:CODE: '"));
  EXPECT_THAT(text, HasSubstr("'*--provider["));
  EXPECT_THAT(text, HasSubstr(":runner|json|msgpack:(runner json msgpack)'"));
  EXPECT_THAT(text, HasSubstr("'1:FILE:_files'"));
  // A colon inside of a description would begin the value, and a quote would end the word.
  EXPECT_THAT(text, HasSubstr("tools for the program\\: the functions"));
  EXPECT_THAT(text, HasSubstr("guest'\\''s input"));
}

TEST_F(Completions, OfFishDescribeOptionsAndValues) {
  const std::string text = completions_text(Shell::fish);
  EXPECT_THAT(text, HasSubstr("-n __fish_use_subcommand -f -a run -d 'Run a JavaScript"));
  EXPECT_THAT(text, HasSubstr("-n '__fish_seen_subcommand_from run' -s e -l eval -x -d "));
  EXPECT_THAT(text, HasSubstr("-l from -x -a 'runner json msgpack' -d "));
  EXPECT_THAT(text, HasSubstr("-l save -r -d "));
  EXPECT_THAT(text, HasSubstr("guest\\'s input"));
  EXPECT_THAT(text, Not(HasSubstr("''")));
}

}  // namespace
}  // namespace cordon::cli
