#include "cordon/host/module_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/engine.h"

namespace cordon::host {
namespace {

using js::ImportKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

// outside.js beside the folder "inner".
class ModuleFolderOf : public testing::Test {
 protected:
  ModuleFolderOf() {
    std::string name = (fs::temp_directory_path() / "cordon-modules-XXXXXX").string();
    root = mkdtemp(name.data());
    write("outside.js", "export default 'outside'");
    write("inner/a.js", "export default 'a'");
    write("inner/lib/b.js", "import a from '../a.js'; export default a + 'b'");
    write("inner/data.json", "\xEF\xBB\xBF{\"n\": 1}");
    write("inner/.hidden.js", "1");
    write("inner/readme.txt", "text");
  }
  ~ModuleFolderOf() override { fs::remove_all(root); }

  void write(const std::string& name, std::string_view text) const {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
  ModuleFolder folder() const { return ModuleFolder((root / "inner").string()); }
  std::string why_not(const std::string& name) const {
    const Result<std::string> text = folder().read(name, ImportKind::module, 1000);
    return text ? "it can be read" : text.error().message;
  }
  Report run(std::string_view code) const {
    static Engine engine = *Engine::create_one_shot();
    return engine.execute(code, {.name = "any/main.js", .module_folder = (root / "inner").string()})
        .get();
  }

  fs::path root;
};

TEST_F(ModuleFolderOf, ReadsFilesBelowIt) {
  EXPECT_EQ(folder().read("a.js", ImportKind::module, 1000), "export default 'a'");
  EXPECT_EQ(folder().read("data.json", ImportKind::module, 1000), "\xEF\xBB\xBF{\"n\": 1}");
  EXPECT_TRUE(folder().find("lib/b.js", ImportKind::module));
  EXPECT_FALSE(folder().find("lib/c.js", ImportKind::module));
  EXPECT_FALSE(folder().find("a.js/b.js", ImportKind::module));
}

TEST_F(ModuleFolderOf, DoesNotLeadOut) {
  fs::create_symlink(root / "outside.js", root / "inner/absolute.js");
  fs::create_symlink("../outside.js", root / "inner/relative.js");
  fs::create_symlink("..", root / "inner/up");
  fs::create_symlink("a.js", root / "inner/inside.js");
  fs::create_symlink("loop.js", root / "inner/loop.js");
  EXPECT_THAT(why_not("absolute.js"), HasSubstr("link out"));
  EXPECT_THAT(why_not("relative.js"), HasSubstr("link out"));
  EXPECT_THAT(why_not("up/outside.js"), HasSubstr("link out"));
  EXPECT_NE(why_not("up/inner/a.js"), "it can be read");
  EXPECT_NE(why_not("../outside.js"), "it can be read");
  EXPECT_NE(why_not((root / "outside.js").string()), "it can be read");
  EXPECT_NE(why_not("loop.js"), "it can be read");
  EXPECT_EQ(why_not("inside.js"), "it can be read");
}

TEST_F(ModuleFolderOf, KeepsPrivateFilesToItself) {
  write("inner/key.js", "secret");
  write("secrets/token", "secret");
  fs::create_symlink("data.json", root / "inner/link.json");
  fs::create_hard_link(root / "inner/data.json", root / "inner/lib/hard.json");
  fs::create_hard_link(root / "secrets/token", root / "inner/token.js");
  fs::create_symlink("inner/key.js", root / "key-link");
  const ModuleFolder folder((root / "inner").string(),
                            {"", (root / "none").string(), (root / "inner/data.json").string(),
                             (root / "key-link").string(), (root / "secrets/token").string()});
  for (const char* name : {"data.json", "link.json", "lib/hard.json", "key.js", "token.js"}) {
    EXPECT_EQ(folder.read(name, ImportKind::module, 1000).error().message,
              "it is kept from programs")
        << name;
    EXPECT_FALSE(folder.find(name, ImportKind::module)) << name;
  }
  EXPECT_THAT(folder.some_names(10, ImportKind::module), ElementsAre("a.js", "lib/b.js"));
}

TEST_F(ModuleFolderOf, HasModulesByTheirEndingsAlone) {
  for (const char* name : {"x.js", "x.mjs", "x.cjs", "x.json", "x.ts", "x.mts", "x.cts"}) {
    write(std::string("inner/") + name, "1");
    EXPECT_EQ(why_not(name), "it can be read") << name;
  }
  for (const char* name : {"token.txt", "token", "server.key", "cert.pem", "x.JS", "x.js.bak",
                           "x.js~", "js", "x.log", "lib"}) {
    if (std::string_view(name) != "lib") write(std::string("inner/") + name, "1");
    EXPECT_EQ(why_not(name),
              "it is no module: those end in .js, .mjs, .cjs, .json, .ts, .mts or .cts")
        << name;
  }
  EXPECT_EQ(why_not("none.txt"), why_not("readme.txt")) << "nobody learns what is there";
}

TEST_F(ModuleFolderOf, HasNothingThatIsHidden) {
  write("inner/.env", "1");
  write("inner/.git/config.json", "1");
  write("inner/lib/.x/y/z.js", "1");
  for (const char* name :
       {".hidden.js", ".env", ".git/config.json", "lib/.x/y/z.js", ".none.js", ".js", "lib/.js"}) {
    EXPECT_EQ(why_not(name), "a name that begins with a dot is no module") << name;
  }
  // What is mounted from elsewhere may lie in a hidden folder, with links to it.
  write("inner/..data/c.js", "export default 'c'");
  fs::create_symlink("..data/c.js", root / "inner/c.js");
  EXPECT_EQ(why_not("c.js"), "it can be read");
}

TEST_F(ModuleFolderOf, ReadsNothingThatIsNoFile) {
  ASSERT_EQ(mkfifo((root / "inner/pipe.js").c_str(), 0600), 0);
  EXPECT_THAT(why_not("pipe.js"), HasSubstr("no file"));
  fs::create_directory(root / "inner/folder.js");
  EXPECT_THAT(why_not("folder.js"), HasSubstr("a folder"));
  EXPECT_NE(why_not(std::string(10'000, 'x')), "it can be read");
}

TEST_F(ModuleFolderOf, ReadsNothingThatIsTooLargeOrNoText) {
  write("inner/large.js", std::string(1001, ' '));
  write("inner/fits.js", std::string(1000, ' '));
  write("inner/binary.js", "\xFF");
  EXPECT_THAT(why_not("large.js"), HasSubstr("larger than 1000"));
  EXPECT_EQ(why_not("fits.js"), "it can be read");
  EXPECT_THAT(run("import './binary.js'").error.message, HasSubstr("it is not UTF-8"));
}

TEST_F(ModuleFolderOf, ListsWhatLooksLikeModules) {
  fs::create_directories(root / "inner/node_modules");
  write("inner/node_modules/no.js", "1");
  fs::create_symlink("..", root / "inner/up");
  EXPECT_THAT(folder().some_names(10, ImportKind::module),
              ElementsAre("a.js", "data.json", "lib/b.js"));
  EXPECT_THAT(folder().some_names(2, ImportKind::module), ElementsAre("a.js", "data.json"));
  EXPECT_THAT(ModuleFolder((root / "none").string()).some_names(2, ImportKind::module),
              ElementsAre());
}

TEST_F(ModuleFolderOf, ListsNothingThatCannotBeRead) {
  fs::create_symlink("../outside.js", root / "inner/lib/out.js");
  fs::create_symlink("../a.js", root / "inner/lib/in.js");
  ASSERT_EQ(mkfifo((root / "inner/pipe.js").c_str(), 0600), 0);
  EXPECT_THAT(folder().some_names(10, ImportKind::module),
              ElementsAre("a.js", "data.json", "lib/b.js", "lib/in.js"));
}

TEST_F(ModuleFolderOf, ShowsAProgramNothingOfWhatIsNoModule) {
  write("inner/token.txt", "s3cret-token");
  write("inner/.env", "PASSWORD=s3cret");
  write("inner/config.json", R"({"token": "s3cret"})");
  static Engine engine = *Engine::create_one_shot();
  for (const char* code :
       {"await import('./token.txt')", "await import('./.env')", "import './token.txt'",
        "await import('./token.txt', {with: {type: 'json'}})", "await import('./config.json')",
        "await import('./config.json', {with: {type: 'json'}})",
        // Where an error says that it was, its lines are shown.
        "const e = new Error('x'); e.stack = '    at f (token.txt:1:3)\\n'; throw e",
        "const e = new Error('x'); e.stack = '    at f (.env:1:3)\\n'; throw e",
        "const e = new Error('x'); e.stack = '    at f (config.json:1:3)\\n'; throw e"}) {
    const Report report =
        engine
            .execute(code, {.module_folder = (root / "inner").string(),
                            .private_files = {(root / "inner/config.json").string()}})
            .get();
    EXPECT_FALSE(report.ok()) << code;
    EXPECT_THAT(report.error.message, testing::Not(HasSubstr("s3cret"))) << code;
    EXPECT_THAT(report.error.message, testing::Not(HasSubstr("config.json, "))) << code;
    for (const std::string& line : report.error.excerpt.lines)
      EXPECT_THAT(line, testing::Not(HasSubstr("s3cret"))) << code;
  }
}

TEST_F(ModuleFolderOf, IsWhereAProgramImportsFrom) {
  EXPECT_EQ(run("import b from './lib/b.js'; b").result, Value("ab"));
  EXPECT_EQ(run("(await import('./lib/b.js')).default").result, Value("ab"));
  EXPECT_EQ(run("import d from './data.json' with {type: 'json'}; d.n").result, Value(1));
  for (const char* specifier :
       {"../outside.js", "./../outside.js", "./lib/../../outside.js", "lib/b.js", "a.js", "/a.js",
        "/etc/passwd", "file:///etc/passwd", "./lib", "./nope.js", "node:fs", "node:nope"}) {
    const Report report = run("await import('" + std::string(specifier) + "')");
    EXPECT_EQ(report.error.name, "ReferenceError") << specifier;
    EXPECT_THAT(report.error.message, HasSubstr(std::string("'") + specifier + "'"));
    EXPECT_THAT(report.error.message, HasSubstr("there is ./a.js, ./data.json, ./lib/b.js"));
  }
  write("inner/deep.js", "import '../outside.js'");
  EXPECT_EQ(run("import './deep.js'").error.location->file, "deep.js");
}

TEST_F(ModuleFolderOf, GivesTextsAndBytesAsTheyAre) {
  write("inner/notes.txt", "\xEF\xBB\xBFone");
  write("inner/pixel.png", "\xFF\x00");
  write("inner/token.txt", "s3cret");
  EXPECT_EQ(folder().read("notes.txt", ImportKind::text, 1000), "\xEF\xBB\xBFone");
  EXPECT_EQ(folder().read("pixel.png", ImportKind::bytes, 1000), "\xFF");
  for (const char* name : {"token.txt", ".env", "a.log"}) {
    EXPECT_FALSE(folder().read(name, ImportKind::text, 1000)) << name;
    EXPECT_FALSE(folder().find(name, ImportKind::bytes)) << name;
  }
  EXPECT_EQ(folder().find("notes.txt", ImportKind::module).error().message,
            "import it with { type: 'text' }");
  EXPECT_THAT(folder().some_names(10, ImportKind::text), testing::Contains("notes.txt"));
  EXPECT_THAT(folder().some_names(10, ImportKind::text), Not(testing::Contains("pixel.png")));
  EXPECT_THAT(folder().some_names(10, ImportKind::bytes), testing::Contains("pixel.png"));
  EXPECT_THAT(folder().some_names(10, ImportKind::bytes), Not(testing::Contains("token.txt")));
}

}  // namespace
}  // namespace cordon::host
