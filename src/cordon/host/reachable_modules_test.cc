#include "cordon/host/reachable_modules.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;

const ModuleFolder no_folder{""};

const ModuleTexts given = {
    {"./lib/a.js", "export * from './b.js'"},
    {"./lib/b.js", "import '../lib/a.js'; export const later = () => import('../c.js')"},
    {"./c.js", "export default 1"},
    {"./d.js", "export default 2"},
    {"named", "import './nothing.js'"},
};

TEST(ReachableModules, AreThoseThatImportsLeadTo) {
  EXPECT_THAT(reachable_modules({given, no_folder}, "main.js", "import './lib/a.js'"),
              ElementsAre(Key("./c.js"), Key("./lib/a.js"), Key("./lib/b.js")));
  EXPECT_THAT(reachable_modules({given, no_folder}, "lib/main.js", "import '../d.js'"),
              ElementsAre(std::pair("./d.js", "export default 2")));
  EXPECT_THAT(reachable_modules({given, no_folder}, "main.js", "import 'named'"),
              ElementsAre(Key("named")));
  EXPECT_THAT(reachable_modules({given, no_folder}, "main.js", "1 + 1"), IsEmpty());
}

TEST(ReachableModules, AreAllWhereASpecifierIsComputed) {
  EXPECT_EQ(reachable_modules({given, no_folder}, "main.js", "import(name)"), given);
}

TEST(ReachableModules, AreThoseThatAnImageBroughtAsWell) {
  const ModuleTexts saved = {{"e.js", "import './d.js'"}, {"f.js", ""}};
  const ModuleSources sources{given, no_folder, &saved};
  EXPECT_THAT(reachable_modules(sources, "", "import './e.js'"),
              ElementsAre(Key("./d.js"), Key("e.js")));
  EXPECT_EQ(reachable_modules(sources, "", "import(name)").size(), given.size() + saved.size());
}

TEST(ReachableModules, HaveTextsAndBytesAmongThem) {
  const ModuleTexts texts = {{"./a.md", "import './b.js'"}, {"./b.js", ""}, {"./c.png", "\xFF"}};
  const ModuleSources sources{texts, no_folder};
  EXPECT_THAT(reachable_modules(sources, "main.js", "import a from './a.md' with { type: 'text' }"),
              ElementsAre(Key("./a.md")));
  EXPECT_THAT(
      reachable_modules(sources, "main.js", "import('./c.png', { with: { type: 'bytes' } })"),
      ElementsAre(std::pair("./c.png", "\xFF")));
}

TEST(ReachableModules, HaveALimitToTheirSize) {
  const std::string large(std::size_t{20} << 20, ' ');
  const ModuleTexts two = {{"a", large}, {"b", large}};
  EXPECT_THAT(reachable_modules({two, no_folder}, "", "import 'a'; import 'b'"),
              ElementsAre(Key("a")));
}

}  // namespace
}  // namespace cordon::host
