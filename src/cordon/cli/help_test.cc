#include "cordon/cli/help.h"

#include <algorithm>
#include <set>
#include <sstream>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/cli/command_line.h"
#include "cordon/cli/options.h"
#include "cordon/providers/plugin_link.h"

namespace cordon::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string help_for(const Command& command, const Terminal& terminal = Terminal(false)) {
  const std::unique_ptr<Invocation> invocation = command.make();
  CLI::App app;
  bind(app, *invocation);
  return help_text(command, app, terminal);
}

// The words of the last command of a line, without what the shell takes away.
std::vector<std::string> words_of_example(const std::string& line) {
  std::vector<std::string> words = providers::split_words(line).value();
  const auto start = std::find(words.rbegin(), words.rend(), "cordon").base();
  EXPECT_NE(start, words.begin()) << line;
  words.erase(words.begin(), start);
  const auto is_operator = [](const std::string& word) { return word == "<" || word == ">"; };
  words.erase(std::ranges::find_if(words, is_operator), words.end());
  return words;
}

TEST(Help, HasExamplesThatAreRight) {
  for (const Command& command : commands()) {
    SCOPED_TRACE(command.name);
    const std::vector<std::string> examples = lines_of(command.examples);
    EXPECT_FALSE(examples.empty());
    for (const std::string& example : examples) {
      SCOPED_TRACE(example);
      std::vector<std::string> words = words_of_example(example);
      ASSERT_FALSE(words.empty());
      EXPECT_EQ(words.front(), command.name);
      words.erase(words.begin());
      const std::unique_ptr<Invocation> invocation = command.make();
      CLI::App app;
      bind(app, *invocation);
      EXPECT_EQ(check_words(app, command.name, words).mistake.value_or("none"), "none");
      std::ranges::reverse(words);
      EXPECT_NO_THROW(app.parse(words));
    }
  }
}

TEST(Help, ExplainsEveryOptionExitCodeAndForm) {
  for (const Command& command : commands()) {
    SCOPED_TRACE(command.name);
    EXPECT_THAT(lines_of(command.exit_codes), testing::Contains(testing::StartsWith("64 ")));
    EXPECT_FALSE(command.usage.empty());
    EXPECT_FALSE(command.summary.empty());
    const std::unique_ptr<Invocation> invocation = command.make();
    CLI::App app;
    bind(app, *invocation);
    for (const CLI::Option* option : app.get_options()) {
      EXPECT_NE(option->get_description(), "") << shown_name(*option);
      EXPECT_NE(option->get_group(), "") << shown_name(*option);
      EXPECT_TRUE(is_flag(*option) || !option->get_type_name().empty()) << shown_name(*option);
    }
  }
}

TEST(Help, FitsATerminalButForExamples) {
  for (const Command& command : commands()) {
    std::string text = help_for(command);
    text.erase(text.find("\nExamples:"));
    for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 84) << line;
  }
  for (const std::string& line : lines_of(overview_text(Terminal(false)))) {
    EXPECT_LE(line.size(), 80) << line;
  }
}

TEST(Help, ShowsGroupsDefaultsAndRelations) {
  const std::string text = help_for(*find_command("run"));
  EXPECT_THAT(text, HasSubstr("\nLimits:\n      --timeout MS"));
  EXPECT_THAT(text, HasSubstr("(default: 64MiB)"));
  EXPECT_THAT(text, HasSubstr("  -e, --eval CODE"));
  EXPECT_THAT(text, HasSubstr("(not with --eval, --input,"));
  EXPECT_THAT(text, HasSubstr("(with --save; not with --runner)"));
}

TEST(Help, HasColoursWhereTheTerminalHas) {
  EXPECT_THAT(help_for(*find_command("run"), Terminal(true)), HasSubstr("\x1b[1mUsage\x1b[0m"));
  EXPECT_THAT(help_for(*find_command("run")), Not(HasSubstr("\x1b")));
  EXPECT_THAT(overview_text(Terminal(false)), Not(HasSubstr("\x1b")));
}

TEST(Overview, HasAFirstExampleAndEveryCommandInItsGroup) {
  const std::string text = overview_text(Terminal(false));
  EXPECT_THAT(text, HasSubstr("A first example:\n  cordon run -e "));
  std::set<std::string_view> groups;
  std::string_view last;
  for (const Command& command : commands()) {
    EXPECT_THAT(text, HasSubstr("\n  " + std::string(command.name) + " "));
    // A group that came apart would have its heading twice.
    if (command.group != last) {
      EXPECT_TRUE(groups.insert(command.group).second) << command.name;
    }
    last = command.group;
  }
}

}  // namespace
}  // namespace cordon::cli
