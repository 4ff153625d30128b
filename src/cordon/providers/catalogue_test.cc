#include "cordon/providers/catalogue.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cordon::providers {
namespace {

const std::vector<std::string> functions = {"a-b", "a_b", "default"};

Provider all() {
  Provider provider("shop");
  for (const std::string& function : functions)
    provider.add(function, [](const Value&) -> Result<Value> { return Value(1); });
  return provider;
}

std::vector<std::string> names(const Result<CataloguedProvider>& made) {
  std::vector<std::string> names;
  for (const Tool& tool : made->provider.tools()) names.push_back(tool.name);
  return names;
}

Result<CataloguedProvider> made(const ToolList* list, ToolFilter filter = ToolFilter::all) {
  return catalogued(all(), functions, list, filter, std::make_shared<CallTimer>());
}

TEST(Catalogue, HasAllFunctionsWithoutAList) {
  const auto catalogue = made(nullptr);
  EXPECT_EQ(names(catalogue), (std::vector<std::string>{"a_b", "a_b__2", "default_"}));
  EXPECT_EQ(catalogue->catalogue.name, "shop");
  EXPECT_EQ(catalogue->catalogue.tools[0].original_name, "a-b");
}

TEST(Catalogue, HasThoseOfTheListInItsOrder) {
  const ToolList list = {{"default", {.description = "The rest."}}, {"a_b", {}}};
  const auto catalogue = made(&list);
  EXPECT_EQ(names(catalogue), (std::vector<std::string>{"default_", "a_b"}));
  EXPECT_EQ(catalogue->provider.tools()[0].description, "The rest.");
}

TEST(Catalogue, KeepsNamesWhateverTheFilterLeaves) {
  const ToolList list = {{"a-b", {}}, {"a_b", {.read_only = true}}};
  EXPECT_EQ(names(made(&list, ToolFilter::read_only)), (std::vector<std::string>{"a_b__2"}));
  EXPECT_TRUE(names(made(nullptr, ToolFilter::read_only)).empty());
}

TEST(Catalogue, SaysWhichFunctionIsMissing) {
  const ToolList list = {{"a_b", {}}, {"c", {}}};
  EXPECT_EQ(missing_function(list, functions), "c");
  EXPECT_EQ(made(&list).error().message, "there is no function \"c\"");
}

}  // namespace
}  // namespace cordon::providers
