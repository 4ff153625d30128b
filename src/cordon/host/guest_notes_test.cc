#include "cordon/host/guest_notes.h"

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

struct Notes {
  explicit Notes(GuestNotes::Rules rules) : notes(rules, tools, source, book) {}

  static std::vector<Provider> providers() {
    Provider closed("closed");
    closed.add("one", [](Value in) -> Result<Value> { return in; });
    Provider open("open");
    open.add_any([](const std::string&, Value in, Reply reply) { reply(std::move(in)); });
    return {closed, open};
  }

  ToolTable tools{providers(), {}};
  SourcePrep source{{}, {.modules = {{"./a.js", "1"}, {"./b.ts", "2"}}}};
  LogBook book{2, 100};
  GuestNotes notes;
};

js::PortCall write_of(std::size_t bytes) {
  return {.kind = js::PortCall::Kind::write, .call = 1, .bytes = Bytes(bytes)};
}

TEST(GuestNotes, TakeNamedCallsOfOpenNamespacesOnly) {
  Notes noted({});
  EXPECT_FALSE(noted.notes.on_named_call(1, 0, "one", Value(1), 1));
  EXPECT_FALSE(noted.notes.on_named_call(1, 9, "one", Value(1), 1));
  EXPECT_TRUE(noted.notes.on_named_call(1, 1, "any", Value(1), 1));
  ASSERT_EQ(noted.notes.calls.size(), 1u);
  EXPECT_EQ(noted.notes.calls[0].name, "any");
}

TEST(GuestNotes, RefuseThePortWhereThereIsNone) {
  Notes noted({});
  EXPECT_FALSE(noted.notes.on_port(write_of(0)));
  EXPECT_TRUE(noted.notes.take_port_calls().empty());
}

TEST(GuestNotes, RefuseMoreOfThePortThanATurnMayHave) {
  Notes noted({.max_port_calls = 2, .max_port_bytes = 10});
  EXPECT_TRUE(noted.notes.on_port(write_of(5)));
  EXPECT_TRUE(noted.notes.on_port(write_of(5)));
  EXPECT_FALSE(noted.notes.on_port(write_of(0)));
  EXPECT_EQ(noted.notes.take_port_calls().size(), 2u);
  EXPECT_TRUE(noted.notes.on_port(write_of(10))) << "another turn";
  EXPECT_FALSE(noted.notes.on_port(write_of(1)));
}

TEST(GuestNotes, KeepLogsForAnObserverOnlyWhereThereIsOne) {
  Notes unseen({});
  unseen.notes.on_log(LogLevel::warn, "a");
  EXPECT_TRUE(unseen.notes.logs.empty());
  EXPECT_EQ(unseen.book.take().size(), 1u);
  Notes seen({.wants_logs = true});
  for (int i = 0; i < 3; ++i) seen.notes.on_log(LogLevel::warn, "a");
  EXPECT_EQ(seen.notes.logs.size(), 2u) << "the log's own limit";
  EXPECT_EQ(seen.notes.logs[0].level, LogLevel::warn);
}

TEST(GuestNotes, LeaveModulesWithTypesForLater) {
  Notes noted({});
  EXPECT_EQ(noted.notes.resolve("program.js", "./a.js", js::ImportKind::module), "./a.js");
  EXPECT_TRUE(noted.notes.load("./a.js", js::ImportKind::module).has_value());
  EXPECT_FALSE(noted.notes.load("./b.ts", js::ImportKind::module).has_value());
}

}  // namespace
}  // namespace cordon::host
