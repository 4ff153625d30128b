#include "cordon/host/image_start.h"

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

GuestTable sample() {
  return {.name = "p.js",
          .values = ValueRule::json,
          .namespaces = {{"tools", {"ask", "tell"}}, {"shop", {"buy"}}, {"far", {"x"}, true}},
          .calls = {{7, 2, Value::object({{"id", 1}})}, {9, 0, Value()}, {11, 4, 5, "any name"}},
          .sources = std::make_shared<const ProgramSources>(
              ProgramSources{"await tools.ask()", 3, "p.js", {{"a.js", "1"}, {"b.js", ""}}})};
}

TEST(GuestTable, ComesBackAsItWasWritten) {
  const GuestTable read = *read_table(*write_table(sample()));
  EXPECT_EQ(read.name, "p.js");
  EXPECT_EQ(read.values, ValueRule::json);
  ASSERT_EQ(read.namespaces.size(), 3u);
  EXPECT_FALSE(read.namespaces[0].is_open);
  EXPECT_TRUE(read.namespaces[2].is_open);
  EXPECT_EQ(read.namespaces[0].functions, (std::vector<std::string>{"ask", "tell"}));
  const std::vector<PendingCall> calls = pending_calls(read);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].id, 7u);
  EXPECT_EQ(calls[0].provider, "shop");
  EXPECT_EQ(calls[0].tool, "buy");
  EXPECT_EQ(calls[0].input, Value::object({{"id", 1}}));
  EXPECT_EQ(calls[1].tool, "ask");
  EXPECT_TRUE(calls[1].input.is_undefined());
  EXPECT_EQ(calls[2].provider, "far");
  EXPECT_EQ(calls[2].tool, "any name");
  EXPECT_EQ(read.sources->text, "await tools.ask()");
  EXPECT_EQ(read.sources->first_line, 3u);
  EXPECT_EQ(read.sources->import_base, "p.js");
  EXPECT_EQ(read.sources->modules, (ModuleTexts{{"a.js", "1"}, {"b.js", ""}}));
}

TEST(GuestTable, IsRefusedCutAnywhereOrWithACallOfNoTool) {
  const Bytes bytes = *write_table(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read_table(BytesView(bytes).first(size))) << size;
  GuestTable wrong = sample();
  wrong.calls[0].tool = 5;
  EXPECT_FALSE(read_table(*write_table(wrong)));
}

}  // namespace
}  // namespace cordon::host
