// Names of providers, compared with what a guest has already.

#include <gtest/gtest.h>

#include "cordon/engine.h"
#include "cordon/tools/global_names.h"

namespace cordon::cli {
namespace {

TEST(GlobalNames, AreAllThatAGuestHas) {
  Result<Engine> engine = Engine::create({.workers = 1, .slots = 1, .pool = false});
  ASSERT_TRUE(engine.has_value());
  const Report report = engine->execute("Object.getOwnPropertyNames(globalThis)").get();
  ASSERT_TRUE(report.ok());
  EXPECT_GT(report.result.size(), 50u);
  for (const ValueView& name : report.result.items()) {
    EXPECT_TRUE(tools::is_guest_global(name.as_string())) << name.as_string();
  }
}

TEST(GlobalNames, AreNoneThatProvidersHave) {
  for (const char* name : {"tools", "shop", "files", "Console", "consoles", "process", ""}) {
    EXPECT_FALSE(tools::is_guest_global(name)) << name;
  }
  EXPECT_TRUE(tools::is_guest_global("input"));
}

}  // namespace
}  // namespace cordon::cli
