#include "cordon/host/import_endings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using js::ImportKind;
using testing::HasSubstr;

TEST(ImportEndings, LetModulesBeImportedInEveryWay) {
  for (const char* name : {"a.js", "lib/a.mjs", "a.cjs", "a.json", "a.ts", "a.mts", "a.cts"}) {
    EXPECT_TRUE(may_import(name, ImportKind::module)) << name;
    EXPECT_TRUE(may_import(name, ImportKind::text)) << name;
    EXPECT_TRUE(may_import(name, ImportKind::bytes)) << name;
    EXPECT_FALSE(is_data_name(name)) << name;
  }
}

TEST(ImportEndings, LetTextsBeImportedAsTextOrBytes) {
  for (const char* name : {"a.txt", "notes.md", "a.csv", "a.html", "a.sql", "a.svg", "a.yaml",
                           "tokenizer.txt", "keyboard.md", "key/a.txt"}) {
    EXPECT_FALSE(may_import(name, ImportKind::module)) << name;
    EXPECT_TRUE(may_import(name, ImportKind::text)) << name;
    EXPECT_TRUE(may_import(name, ImportKind::bytes)) << name;
    EXPECT_TRUE(is_data_name(name)) << name;
    EXPECT_EQ(why_not_import(name, ImportKind::module), "import it with { type: 'text' }") << name;
  }
}

TEST(ImportEndings, LetOtherDataBeImportedAsBytes) {
  for (const char* name : {"a.png", "a.wasm", "a.bin", "a.pdf", "a.xlsx"}) {
    EXPECT_FALSE(may_import(name, ImportKind::module)) << name;
    EXPECT_FALSE(may_import(name, ImportKind::text)) << name;
    EXPECT_TRUE(may_import(name, ImportKind::bytes)) << name;
    EXPECT_EQ(why_not_import(name, ImportKind::text), "import it with { type: 'bytes' }") << name;
  }
}

TEST(ImportEndings, KeepWhatMayBeASecret) {
  for (const char* name :
       {"token",       "id_rsa",         "server.key", "cert.pem",  "a.p12",
        "app.log",     "app.env",        "db.sqlite",  "token.txt", "lib/api-key.txt",
        "Secrets.csv", "my_password.md", "keys.bin",   "a.db",      "settings.ini",
        "a.toml",      "a.conf",         "a.token",    "a.txt.bak", "a.so",
        "a.exe"}) {
    for (const ImportKind kind : {ImportKind::module, ImportKind::text, ImportKind::bytes}) {
      EXPECT_FALSE(may_import(name, kind)) << name;
      EXPECT_THAT(why_not_import(name, kind), testing::Not(HasSubstr("import it with"))) << name;
    }
  }
}

}  // namespace
}  // namespace cordon::host
