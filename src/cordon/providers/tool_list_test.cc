#include "cordon/providers/tool_list.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::providers {
namespace {

using testing::ElementsAre;

Provider all() {
  Provider provider("shop");
  for (const char* function : {"a-b", "a_b", "default"})
    provider.add(function, [](const Value&) -> Result<Value> { return Value(1); });
  return provider;
}

std::vector<std::string> names(const Provider& provider) {
  std::vector<std::string> names;
  for (const Tool& tool : provider.tools()) names.push_back(tool.name);
  return names;
}

TEST(ToolList, LeavesThoseOfTheListInItsOrder) {
  const Provider listed =
      listed_tools(all(), {{"default", {.description = "The rest."}}, {"a_b", {}}}).value();
  EXPECT_EQ(listed.name(), "shop");
  EXPECT_THAT(names(listed), ElementsAre("default_", "a_b"));
  EXPECT_EQ(listed.tools()[0].original_name, "default");
  EXPECT_EQ(listed.tools()[0].rules.description, "The rest.");
}

TEST(ToolList, NamesToolsBeforeAnyIsLeftOut) {
  const Provider listed = listed_tools(all(), {{"a-b", {}}, {"a_b", {.read_only = true}}}).value();
  EXPECT_THAT(names(listed.read_only()), ElementsAre("a_b__2"));
}

TEST(ToolList, SaysWhichFunctionIsMissing) {
  const ToolList list = {{"a_b", {}}, {"c", {}}};
  EXPECT_EQ(missing_tool(list, all()), "c");
  EXPECT_EQ(listed_tools(all(), list).error().message, "there is no function \"c\"");
}

}  // namespace
}  // namespace cordon::providers
