// A thousand tools: programs run on `cordon runner` as they run here, also where the runner has
// been told of the same tools before.

#include <memory>
#include <string>
#include <vector>

#include "conversation.h"
#include "process.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/executor.h"
#include "cordon/json.h"
#include "cordon/provider.h"

namespace cordon::e2e {
namespace {

Provider shop_of(int count, const std::string& prefix = "read_part_") {
  Provider shop("shop");
  for (int i = 0; i < count; ++i) {
    const std::string name = prefix + std::to_string(i);
    shop.add(name, [name](const Value& input) -> Result<Value> {
      if (input == "fail") return fail(ErrorCode::tool_error, name + " failed");
      return Value::array({name, input});
    });
    shop.describe(name, "Reads \"a part\".\n\tSee */ there.");
  }
  return shop;
}

std::string told(const Report& report) {
  std::string text = report.ok()
                         ? to_json(report.result).value_or("no JSON")
                         : std::string(report.error.code_text()) + ": " + report.error.message;
  for (const LogLine& line : report.logs) text += "\nlog: " + line.text;
  for (const CallRecord& call : report.calls)
    text += "\ncall: " + call.provider + "." + call.tool + (call.ok ? " ok" : " failed");
  return text;
}

class ManyTools : public ::testing::TestWithParam<std::string> {
 protected:
  ManyTools() {
    if (GetParam() != "unix") return;
    runner_ = std::make_unique<Conversation>(
        cordon_program(),
        std::vector<std::string>{"runner", "--listen", "unix:" + folder_.path() + "/s"});
    EXPECT_TRUE(runner_->receive());
  }
  Executor elsewhere() const {
    return Executor::create({.runner = GetParam() == "unix" ? "unix:" + folder_.path() + "/s"
                                                            : cordon_program() + " runner"})
        .value();
  }

  const Folder folder_;
  std::unique_ptr<Conversation> runner_;
};

TEST_P(ManyTools, AreOnARunnerWhatTheyAreHere) {
  Executor here = Executor::create({}).value();
  Executor there = elsewhere();
  Provider other("other");
  other.add("only", [](const Value& input) -> Result<Value> { return input; });
  const std::vector<std::string> programs = {
      "return await shop.read_part_2({ n: 1 })",
      "const all = []; for (let i = 0; i < 3; i++) all.push(await shop['read_part_' + i](i));\nall",
      "Object.keys(shop).slice(0, 3).join() + ('read_part_1' in shop) + ('nothing' in shop)",
      "[typeof other.only, await other.only([shop.read_part_1.name])]",
      "await shop.read_part_1('fail')",
      "try { await shop.read_part_1('fail') } catch (error) { console.log(error.message) } null",
      "(async () => Promise.all(Object.keys(shop).slice(0, 3).map((name) => shop[name](name))))()",
  };
  for (const int count : {3, 1000}) {
    const std::vector<Provider> providers = {shop_of(count), other};
    for (const std::string& program : programs) {
      const std::string expected = told(here.execute(program, {.providers = providers}).get());
      EXPECT_EQ(told(there.execute(program, {.providers = providers}).get()), expected) << program;
    }
    EXPECT_EQ(there.execute("Object.keys(shop).length", {.providers = providers}).get().result,
              count);
  }
}

// What a runner remembers of one host, or of one provider, is nothing to the next.
TEST_P(ManyTools, AreThoseOfEachExecution) {
  Executor there = elsewhere();
  Provider growing = shop_of(40);
  for (int round = 0; round < 3; ++round) {
    for (const char* prefix : {"read_a_", "read_b_", "read_c_", "read_d_", "read_e_"}) {
      const Report report =
          there.execute("Object.keys(shop)[39]", {.providers = {shop_of(40, prefix)}}).get();
      EXPECT_EQ(report.result, std::string(prefix) + "39") << told(report);
    }
    const std::string late = "late_" + std::to_string(round);
    growing.add(late, [](const Value&) -> Result<Value> { return Value("late"); });
    EXPECT_EQ(there.execute("await shop." + late + "()", {.providers = {growing}}).get().result,
              "late");
  }
}

INSTANTIATE_TEST_SUITE_P(Runners, ManyTools, ::testing::Values("unix", "process"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace cordon::e2e
