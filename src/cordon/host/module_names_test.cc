#include "cordon/host/module_names.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using testing::HasSubstr;
using testing::Not;

const ModuleTexts modules = {{"./main.js", "1"},     {"lib/a.js", "2"}, {"lib/b.js", "3"},
                             {"lib/deep/c.js", "4"}, {"named", "5"},    {"@scope/pack", "6"}};

const ModuleFolder no_folder{""};

Result<std::string> resolve(const ModuleTexts& texts, std::string_view base,
                            std::string_view specifier) {
  return resolve_module({texts, no_folder}, base, specifier);
}

std::string resolved(std::string_view base, std::string_view specifier) {
  const Result<std::string> name = resolve(modules, base, specifier);
  return name ? *name : "nothing";
}

TEST(ModuleNames, AreThemselvesWhereTheyWereGiven) {
  EXPECT_EQ(resolved("main.js", "named"), "named");
  EXPECT_EQ(resolved("lib/a.js", "@scope/pack"), "@scope/pack");
  EXPECT_EQ(resolved("main.js", "./main.js"), "./main.js");
}

TEST(ModuleNames, AreRelativeToTheModuleThatImports) {
  EXPECT_EQ(resolved("main.js", "./lib/a.js"), "lib/a.js");
  EXPECT_EQ(resolved("lib/a.js", "./b.js"), "lib/b.js");
  EXPECT_EQ(resolved("lib/a.js", "./deep/c.js"), "lib/deep/c.js");
  EXPECT_EQ(resolved("lib/deep/c.js", "../a.js"), "lib/a.js");
  EXPECT_EQ(resolved("lib/deep/c.js", "../../main.js"), "./main.js");
  EXPECT_EQ(resolved("./main.js", "./lib/./deep/../b.js"), "lib/b.js");
  EXPECT_EQ(resolved("lib/a.js", ".//b.js"), "lib/b.js");
}

TEST(ModuleNames, DoNotLeadAboveTheirRoot) {
  EXPECT_EQ(resolved("main.js", "../main.js"), "nothing");
  EXPECT_EQ(resolved("lib/a.js", "../../lib/a.js"), "nothing");
  EXPECT_EQ(resolved("lib/a.js", "./../../../lib/b.js"), "nothing");
}

TEST(ModuleNames, AreNoLongerThanAPath) {
  const std::string fits = "./" + std::string(4094, 'x');
  const std::string longer = fits + "x";
  const ModuleTexts texts = {{fits, "1"}, {longer, "2"}, {"a.js", "3"}};
  const ModuleSources sources{texts, no_folder};
  EXPECT_EQ(resolve(texts, "main.js", fits), fits);
  EXPECT_EQ(load_module(sources, fits, 1000), "1");
  EXPECT_FALSE(resolve(texts, "main.js", longer));
  EXPECT_FALSE(load_module(sources, longer, 1000));
  EXPECT_FALSE(resolve(texts, longer, "./a.js"));
  EXPECT_THAT(resolve(texts, "main.js", longer).error().message, HasSubstr("4096 bytes at most"));
  EXPECT_LT(resolve({}, "main.js", "./" + std::string(28'000'000, '/')).error().message.size(),
            500u);
}

TEST(ModuleNames, ReachNothingThatWasNotGiven) {
  for (const char* specifier :
       {"", ".", "..", "./", "../", "/", "fs", "node:fs", "/etc/passwd", "file:///etc/passwd",
        "https://example.org/a.js", "./lib", "./lib/", "./a.js", "NAMED", "named/", "./named.js"}) {
    EXPECT_EQ(
        resolve({{"./main.js", "1"}, {"lib/a.js", "2"}}, "main.js", specifier).value_or("nothing"),
        "nothing")
        << specifier;
  }
}

TEST(ModuleNames, AreListedInTheErrorUpToANumber) {
  Result<std::string> missing = resolve(modules, "main.js", "fs");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_THAT(missing.error().message, HasSubstr("'fs'"));
  EXPECT_THAT(missing.error().message, HasSubstr("lib/deep/c.js"));

  missing = resolve({}, "main.js", "fs");
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message, HasSubstr("no modules"));

  ModuleTexts many;
  for (int i = 100; i < 200; ++i) many["m" + std::to_string(i)] = "";
  missing = resolve(many, "main.js", "fs");
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message, HasSubstr("m119, …"));
  EXPECT_THAT(missing.error().message, Not(HasSubstr("m120")));
}

TEST(ModuleNames, AreCutInTheErrorWhereAGuestMadeThemLong) {
  const Result<std::string> missing = resolve(modules, "main.js", std::string(10'000'000, 'x'));
  ASSERT_FALSE(missing.has_value());
  EXPECT_LT(missing.error().message.size(), 1000u);
  EXPECT_THAT(missing.error().message, HasSubstr("xxx…'"));
}

}  // namespace
}  // namespace cordon::host
