#include "cordon/host/import_specifiers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t any_number = 100;

TEST(ImportSpecifiers, AreThoseOfEveryFormOfImport) {
  const ImportSpecifiers found = import_specifiers(
      R"(import './a.js'; import b, { c as d } from "./b.js"; import * as e from'./c.js'
         import data from './d.json' with { type: 'json' };
         export * from './e.js'; export { x } from "./f.js";
         const g = await import('./g.js'); import( /* why */ "./h.json" , { with: {} });
         import // at last
           (`./i.js`))",
      any_number);
  EXPECT_THAT(found.names,
              testing::UnorderedElementsAre("./a.js", "./b.js", "./c.js", "./d.json", "./e.js",
                                            "./f.js", "./g.js", "./h.json", "./i.js"));
  EXPECT_FALSE(found.has_computed);
}

TEST(ImportSpecifiers, MayBeThoseOfData) {
  EXPECT_TRUE(import_specifiers("import(n, { with: { type: 'text' } })", any_number).has_data);
  EXPECT_TRUE(import_specifiers("const type = \"bytes\"", any_number).has_data);
  EXPECT_FALSE(
      import_specifiers("const text = 'a text', b = 'bytes ', c = text", any_number).has_data);
}

TEST(ImportSpecifiers, AreUnknownWhereTheyAreComputed) {
  for (const char* text :
       {"import(name)", "import('./a' + n)", "import(`./${n}.js`)", "import ('./a\\x2ejs')",
        "x = () => import(\n// c\ny)", "import(", "import('./a.js'"}) {
    EXPECT_TRUE(import_specifiers(text, any_number).has_computed) << text;
    EXPECT_THAT(import_specifiers(text, any_number).names, IsEmpty()) << text;
  }
}

TEST(ImportSpecifiers, AreNotFoundInOtherWords) {
  for (const char* text : {"", "important('./a.js')", "reimport './a.js'", "Array.from(['./a.js'])",
                           "const from = './a.js'", "import.meta", "import /*", "$from './a.js'",
                           "from 'cut", "export default 1"}) {
    const ImportSpecifiers found = import_specifiers(text, any_number);
    EXPECT_THAT(found.names, IsEmpty()) << text;
    EXPECT_FALSE(found.has_computed) << text;
  }
}

TEST(ImportSpecifiers, EndAtTheirNumber) {
  EXPECT_THAT(import_specifiers("import 'a'; import 'b'; import 'c'; export * from 'd'", 2).names,
              ElementsAre("a", "b"));
  EXPECT_THAT(import_specifiers("import 'a'; export * from 'd'; export * from 'e'", 2).names,
              ElementsAre("a", "d"));
}

}  // namespace
}  // namespace cordon::host
