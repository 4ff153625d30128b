#include "cordon/host/image_start.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "cordon/base/writer.h"

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
  EXPECT_EQ(read.namespaces[0].functions, NameList({"ask", "tell"}));
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
  EXPECT_FALSE(write_table(wrong));
  // In its bytes: of a tool that there is, and of none.
  const Bytes call = {7, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};
  Bytes forged = bytes;
  const auto found = std::ranges::search(forged, call);
  ASSERT_FALSE(found.empty());
  *(found.begin() + 8) = 4;
  EXPECT_TRUE(read_table(forged));
  *(found.begin() + 8) = 5;
  EXPECT_FALSE(read_table(forged));
}

// A table as a forger writes it: `name` and its counts, and then the same byte again and again.
Bytes forged(std::size_t namespaces, std::size_t functions, std::size_t bytes) {
  Bytes table;
  Writer out(table);
  out.sized_text("p.js");
  out.u8(0);
  out.varint(namespaces);
  out.sized_text("tools");
  out.u8(0);
  out.varint(functions);
  table.resize(table.size() + bytes);
  return table;
}

TEST(GuestTable, IsRefusedByWhatItWouldCostHere) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  const TableLimits limits;
  EXPECT_EQ(read_table(forged(1, 8 * mib, 8 * mib), limits).error().code, ErrorCode::too_large);
  EXPECT_EQ(read_table(forged(2 * mib, 0, 8 * mib), limits).error().code, ErrorCode::too_large);
  GuestTable many = sample();
  many.calls.assign(11, many.calls[0]);
  EXPECT_TRUE(read_table(*write_table(many), limits));
  EXPECT_EQ(read_table(*write_table(many), {.calls = 10}).error().code, ErrorCode::too_large);
  EXPECT_EQ(read_table(*write_table(sample()), {.modules = 1}).error().code, ErrorCode::too_large);
  EXPECT_EQ(read_table(*write_table(sample()), {.tools = 4}).error().code, ErrorCode::too_large);
  EXPECT_EQ(read_table(*write_table(sample()), {.bytes = 100}).error().code, ErrorCode::too_large);
}

TEST(GuestTable, IsWrittenOnlyAsItCanBeRead) {
  const TableLimits few[] = {{.tools = 4}, {.calls = 2}, {.modules = 1}, {.bytes = 100}};
  for (const TableLimits& limits : few)
    EXPECT_EQ(write_table(sample(), limits).error().code, ErrorCode::too_large);
  EXPECT_TRUE(write_table(sample(), {.tools = 5, .calls = 3, .modules = 2}));
}

TEST(GuestTable, HasRoomForTextsBesideTheGuestsMemory) {
  const TableLimits limits = table_limits({.memory_bytes = 1 << 20, .pending_calls = 3});
  EXPECT_EQ(limits.calls, 3u);
  GuestTable large = sample();
  auto sources = std::make_shared<ProgramSources>();
  sources->text.assign(std::size_t{60} << 20, ' ');
  large.sources = sources;
  EXPECT_TRUE(write_table(large, limits));
  sources->text.assign(std::size_t{66} << 20, ' ');
  EXPECT_FALSE(write_table(large, limits));
}

}  // namespace
}  // namespace cordon::host
