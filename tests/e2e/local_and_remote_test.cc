// Programs behave on a runner as they do here: the programs of local_and_remote.txt, with the
// differences that are meant.

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conversation.h"
#include "cordon_command.h"
#include "process.h"
#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::e2e {
namespace {

constexpr const char* shop =
    "let n = 0;\n"
    "export const price = ({amount}) => amount * 250;\n"
    "export const fail = (why) => { throw new RangeError(why ?? 'sold out') };\n"
    "export const nothing = () => {};\n"
    "export const big = () => 1n;\n"
    "export const count = () => ++n;\n"
    "export const late = (ms) => new Promise((done) => setTimeout(() => done(ms), ms));\n"
    "export const echo = (x) => x;\n";

struct Program {
  std::string code;
  std::string input = {};
  std::set<std::string> differs = {};  // "error.code", "calls"
};

// Takes "//WORD " off the front, and gives the rest of that line.
std::string take_note(std::string& code, const std::string& word) {
  const std::string start = "//" + word + " ";
  if (!code.starts_with(start)) return {};
  const std::size_t end = std::min(code.find('\n'), code.size());
  std::string note = code.substr(start.size(), end - start.size());
  code.erase(0, std::min(end + 1, code.size()));
  return note;
}

std::vector<Program> read_programs() {
  std::ifstream file("tests/e2e/local_and_remote.txt");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string between = "\n%%\n";
  if (text.ends_with('\n')) text.pop_back();
  std::vector<Program> all;
  for (std::size_t at = text.find(between); at != std::string::npos;) {
    at += between.size();
    const std::size_t end = text.find(between, at);
    Program program{text.substr(at, end == std::string::npos ? end : end - at)};
    program.input = take_note(program.code, "input");
    const std::string differs = take_note(program.code, "differs");
    std::istringstream parts(differs.substr(0, differs.find(": ")));
    program.differs = {std::istream_iterator<std::string>(parts), {}};
    all.push_back(std::move(program));
    at = end;
  }
  return all;
}

class LocalAndRemote : public ::testing::Test {
 protected:
  Ended run(const Program& program, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"run", "--timeout", "1000", "--provider", provider_};
    if (!program.input.empty()) arguments.insert(arguments.end(), {"--input", program.input});
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"-e", program.code});
    return cordon({.arguments = std::move(arguments)});
  }

  const Folder folder_;
  const std::string provider_ = "shop=" + folder_.file("shop.js", shop);
};

std::string text_of(ValueView value) {
  return value.is_undefined() ? "" : to_json(value).value_or("no JSON");
}

// Without times and levels of logs.
std::vector<std::pair<std::string, std::string>> parts_of(const Ended& ended) {
  const Value report = from_json(ended.output).value_or(Value());
  std::vector<std::pair<std::string, std::string>> parts = {
      {"exit", std::to_string(ended.exit_code)}};
  for (const char* key : {"ok", "result", "logsTruncated", "callCount"})
    parts.emplace_back(key, text_of(report.find(key)));
  for (const char* key : {"code", "message", "name", "stack", "cause", "location", "function",
                          "place", "hint", "suggestions", "call"})
    parts.emplace_back("error." + std::string(key), text_of(report.find("error").find(key)));
  std::string logs;
  for (const ValueView line : report.find("logs").items())
    logs += text_of(line.find("text")) + "\n";
  std::string calls;
  for (const ValueView call : report.find("calls").items())
    calls += text_of(call.find("provider")) + text_of(call.find("tool")) +
             text_of(call.find("ok")) + "\n";
  parts.emplace_back("logs", logs);
  parts.emplace_back("calls", calls);
  return parts;
}

void expect_alike(const Program& program, const Ended& here, const Ended& elsewhere) {
  SCOPED_TRACE(program.code);
  const auto ours = parts_of(here);
  const auto theirs = parts_of(elsewhere);
  ASSERT_EQ(ours.size(), theirs.size());
  std::set<std::string> different;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].second == theirs[i].second) continue;
    different.insert(ours[i].first);
    const bool is_meant = program.differs.contains(ours[i].first) ||
                          program.differs.contains(ours[i].first.substr(0, 5));
    EXPECT_TRUE(is_meant) << ours[i].first << "\nhere:      " << ours[i].second
                          << "\nelsewhere: " << theirs[i].second;
  }
  for (const std::string& part : program.differs) {
    if (part != "error") {
      EXPECT_TRUE(different.contains(part)) << part << " is alike";
    }
  }
}

TEST_F(LocalAndRemote, AreAlikeButForWhatIsMeant) {
  const std::vector<Program> programs = read_programs();
  EXPECT_GT(programs.size(), 100U);
  const std::string child = "'" + cordon_program() + "' runner";
  Conversation listening(cordon_program(),
                         {"runner", "--listen", "unix:" + folder_.path() + "/socket"});
  const std::string socket = listening.receive().value_or("it ended");
  for (const Program& program : programs) {
    const Ended here = run(program, {"--json"});
    expect_alike(program, here, run(program, {"--json", "--runner", child}));
    expect_alike(program, here, run(program, {"--json", "--runner", socket}));
  }
}

TEST_F(LocalAndRemote, PrintTheSame) {
  Conversation listening(cordon_program(),
                         {"runner", "--listen", "unix:" + folder_.path() + "/socket"});
  const std::string socket = listening.receive().value_or("it ended");
  for (const Program& program : read_programs()) {
    if (!program.differs.empty()) continue;
    SCOPED_TRACE(program.code);
    const Ended here = run(program, {});
    const Ended elsewhere = run(program, {"--runner", socket});
    EXPECT_EQ(here.output, elsewhere.output);
    EXPECT_EQ(here.exit_code, elsewhere.exit_code);
  }
}

}  // namespace
}  // namespace cordon::e2e
