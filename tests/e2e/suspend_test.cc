// `cordon run --sleep-on … --save …` and `--resume … --result …`: one process saves, another goes
// on.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "cordon_command.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/codec/json/decode.h"
#include "cordon/value.h"

namespace cordon::e2e {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Ended run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  return cordon(Command{.arguments = std::move(arguments)});
}

Value json_of(const Ended& ended) {
  const Result<Value> value = json::decode(ended.output);
  EXPECT_TRUE(value.has_value()) << ended.output << ended.errors;
  return value.value_or(Value());
}

class RunAsleep : public testing::Test {
 protected:
  Ended save(const std::string& code, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"--sleep-on", "tools.ask", "--save", image};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"-e", code});
    return run(std::move(arguments));
  }
  Ended resume(std::vector<std::string> more) {
    more.insert(more.begin(), {"--resume", image});
    return run(std::move(more));
  }
  std::string content() const {
    std::ifstream file(image, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void overwrite(const std::string& content) const {
    std::ofstream(image, std::ios::binary | std::ios::trunc) << content;
  }

  Folder folder;
  std::string image = folder.path() + "/program.image";
};

// The tables of a decoder and the state between its parts are memory of the guest, and so are keys.
TEST_F(RunAsleep, GoesOnWithDecodersAndKeys) {
  save(R"(
    const decoder = new TextDecoder("shift_jis");
    let text = decoder.decode(Uint8Array.of(0x83, 0x65, 0x83), { stream: true });
    const key = await crypto.subtle.importKey("raw", new Uint8Array(16), "AES-GCM", true, ["encrypt"]);
    await tools.ask();
    text += decoder.decode(Uint8Array.of(0x58));
    const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv: new Uint8Array(12) }, key, new Uint8Array(1));
    [text, new Uint8Array(sealed).toHex()])");
  EXPECT_EQ(resume({"--result", "1"}).output,
            "[\"テス\",\"035bc76c6e04efc25ab6d301679e074c70\"]\n");
}

// Nothing of the folder is left when it goes on.
TEST_F(RunAsleep, ImportsAfterwardsWhatLayBesideIt) {
  {
    const Folder program;
    program.file("main.js",
                 "import { a } from './lib/a.js'; const n = await tools.ask();"
                 "const { b } = await import('./lib/b.ts'); [a, b, n]");
    program.file("lib/a.js", "export const a = 1");
    program.file("lib/b.ts", "import { c } from './c.js'; export const b: number = c + 1");
    program.file("lib/c.js", "export const c = 1");
    const Ended saved = run({"--sleep-on", "ask", "--save", image, program.path() + "/main.js"});
    ASSERT_EQ(saved.exit_code, 0) << saved.errors;
  }
  const Ended resumed = resume({"--result", "3"});
  EXPECT_EQ(resumed.output, "[1,2,3]\n") << resumed.errors;
}

TEST_F(RunAsleep, IsSavedAtTheCallAndGoesOnInAnotherProcess) {
  const Ended saved = save(
      "console.log('before'); const start = 40; const got = await tools.ask({start});"
      "console.log('after'); start + got");
  EXPECT_EQ(saved.exit_code, 0) << saved.errors;
  EXPECT_THAT(saved.errors, HasSubstr("before"));
  EXPECT_THAT(saved.errors, Not(HasSubstr("after")));
  EXPECT_THAT(saved.output, HasSubstr(image));
  EXPECT_THAT(saved.output, HasSubstr("tools.ask({\"start\":40})"));
  EXPECT_LE(std::filesystem::file_size(image), 16u << 10);

  for (const auto& [result, printed] : {std::pair{"2", "42\n"}, {"\"x\"", "\"40x\"\n"}}) {
    const Ended resumed = resume({"--result", result});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
    EXPECT_EQ(resumed.output, printed);
    EXPECT_THAT(resumed.errors, HasSubstr("after"));
    EXPECT_THAT(resumed.errors, Not(HasSubstr("before")));
  }
}

TEST_F(RunAsleep, TellsAsJsonWhatItSaved) {
  const Ended saved = save("console.info('hm'); await tools.ask({q: [1]})", {"--json"});
  EXPECT_EQ(saved.exit_code, 0);
  const Value object = json_of(saved);
  EXPECT_EQ(object["ok"], Value(true));
  EXPECT_EQ(object["saved"]["file"], Value(image));
  EXPECT_EQ(object["saved"]["bytes"], Value(std::filesystem::file_size(image)));
  EXPECT_EQ(object["saved"]["pending"][0]["provider"], Value("tools"));
  EXPECT_EQ(object["saved"]["pending"][0]["tool"], Value("ask"));
  EXPECT_EQ(object["saved"]["pending"][0]["input"], *json::decode("{\"q\":[1]}"));
  EXPECT_TRUE(object["saved"]["pending"][0]["id"].is_number());
  EXPECT_EQ(object["logs"][0]["text"], Value("hm"));
  EXPECT_EQ(object["calls"][0]["ok"], Value(false));

  const Value resumed = json_of(resume({"--json", "--result", "{\"a\":null}"}));
  EXPECT_EQ(resumed["result"], *json::decode("{\"a\":null}"));
  EXPECT_EQ(resumed["calls"][0]["tool"], Value("ask"));
  EXPECT_EQ(resumed["calls"][0]["ok"], Value(true));
}

TEST_F(RunAsleep, HasTheToolsOfItsProvidersBeforeAndAfter) {
  const std::string module = folder.path() + "/shop.js";
  std::ofstream(module)
      << "export const price = ({id}) => id * 10;\n"
         "export const approve = () => { throw new Error('called') };\n"
         "export const slow = () => new Promise(r => setTimeout(r, 50, 'slow'));\n";
  const std::string provider = "shop=" + module;
  const Ended saved = run({"--provider", provider, "--sleep-on", "approve", "--save", image, "-e",
                           "const before = await shop.price({id: 1});"
                           "const [ok, s] = await Promise.all([shop.approve(), shop.slow()]);"
                           "[before, ok, s, await shop.price({id: 2})]"});
  EXPECT_EQ(saved.exit_code, 0) << saved.errors;
  const Ended resumed = resume({"--provider", provider, "--result", "true"});
  EXPECT_EQ(resumed.output, "[10,true,\"slow\",20]\n") << resumed.errors;

  const Ended without = resume({"--result", "true"});
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_THAT(without.errors, HasSubstr("shop.price was not given"));
}

TEST_F(RunAsleep, MaySleepAgain) {
  save("(await tools.ask(1)) + (await tools.ask(2))");
  const Ended again = resume({"--result", "10", "--sleep-on", "tools.ask", "--save", image});
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_THAT(again.output, HasSubstr("tools.ask(2)"));
  EXPECT_EQ(resume({"--result", "5"}).output, "15\n");
}

TEST_F(RunAsleep, IsAnOrdinaryRunWhereItsProgramDoesNotCall) {
  const Ended ended = save("1 + 1");
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output, "2\n");
  EXPECT_THAT(ended.errors, HasSubstr("nothing was saved"));
  EXPECT_FALSE(std::filesystem::exists(image));
  EXPECT_EQ(save("throw new Error('no')").exit_code, 1);
}

TEST_F(RunAsleep, IsRefusedWhereTheFileIsDamagedForeignOrOlder) {
  save("console.log('ran'); await tools.ask()");
  const std::string good = content();
  std::string damaged = good;
  damaged[damaged.size() / 2] ^= 4;
  std::string older = good;
  older[8] = 0;
  std::string foreign = good;
  foreign[20] = foreign[20] == '0' ? '1' : '0';
  const std::pair<std::string, const char*> files[] = {
      {damaged, "damaged"},    {good.substr(0, good.size() / 2), "damaged"},
      {older, "format 0"},     {foreign, "damaged"},
      {"1 + 1", "no image"},   {"", "no image"},
      {good + "x", "damaged"},
  };
  for (const auto& [bytes, words] : files) {
    SCOPED_TRACE(words);
    overwrite(bytes);
    const Ended ended = resume({"--result", "1"});
    EXPECT_EQ(ended.exit_code, 64);
    EXPECT_THAT(ended.output, IsEmpty());
    EXPECT_THAT(ended.errors, HasSubstr(words));
  }
}

TEST_F(RunAsleep, IsSealedWithAKeyAndReadWithThatAlone) {
  const std::string key = folder.file("key", std::string(16, 'k'));
  const std::string other = folder.file("other", std::string(32, 'o'));
  for (const std::string& file : {key, other})
    std::filesystem::permissions(file, std::filesystem::perms(0600));
  const Ended saved = save("(await tools.ask()) + 1", {"--image-key", key});
  EXPECT_EQ(saved.exit_code, 0) << saved.errors;
  EXPECT_EQ(saved.errors, "");
  const Ended resumed = resume({"--result", "1", "--image-key", key});
  EXPECT_EQ(resumed.output, "2\n") << resumed.errors;
  EXPECT_EQ(resumed.errors, "");

  const auto refused = [&](std::vector<std::string> more, const char* words) {
    more.insert(more.begin(), {"--result", "1"});
    const Ended ended = resume(std::move(more));
    EXPECT_EQ(ended.exit_code, 64) << words;
    EXPECT_THAT(ended.output, IsEmpty());
    EXPECT_THAT(ended.errors, HasSubstr(words));
  };
  refused({"--image-key", other}, "another key");
  refused({}, "its key alone");
  std::string changed = content();
  changed[changed.size() / 2] ^= 4;
  overwrite(changed);
  refused({"--image-key", key}, "was changed");
  save("await tools.ask()");
  refused({"--image-key", key}, "has no seal");
  // A key that cannot be used.
  refused({"--image-key", folder.path() + "/none"}, "cannot read");
  refused({"--image-key", folder.path()}, "cannot read");
  refused({"--image-key", folder.file("short", std::string(15, 'k'))}, "has 15 bytes");
  refused({"--image-key", folder.file("long", std::string(4097, 'k'))}, "too large");
  refused({"--image-key", ""}, "--image-key");
  EXPECT_EQ(run({"--image-key", key, "-e", "1"}).exit_code, 64);
}

TEST_F(RunAsleep, WarnsOfAKeyThatOthersMayRead) {
  const std::string key = folder.file("key", std::string(16, 'k'));
  std::filesystem::permissions(key, std::filesystem::perms(0640));
  const Ended saved = save("await tools.ask()", {"--image-key", key});
  EXPECT_EQ(saved.exit_code, 0);
  EXPECT_THAT(saved.errors, HasSubstr("chmod 600 " + key));
}

TEST_F(RunAsleep, SaysWhatIsWrongWithItsArguments) {
  save("await Promise.all([tools.ask(1), tools.ask(2)])");
  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{"--resume", image}, "tools.ask(1), tools.ask(2)"},
      {{"--resume", image, "--result", "1"}, "2 calls"},
      {{"--resume", image, "--result", "1", "--result", "{"}, "--result"},
      {{"--resume", image + ".none", "--result", "1"}, "cannot read"},
      {{"--resume", image, "--result", "1", "-e", "1"}, "--resume"},
      {{"--result", "1", "-e", "1"}, "--resume"},
      {{"--sleep-on", "ask", "-e", "1"}, "--save"},
      {{"--save", image, "-e", "1"}, "--sleep-on"},
      {{"--save", "", "--sleep-on", "ask", "-e", "1"}, "--save"},
      {{"--resume", "", "--result", "1"}, "--resume"},
      {{"--trace-file", "", "-e", "1"}, "--trace-file"},
      {{"--save", image, "--sleep-on", "a b", "-e", "1"}, "not PROVIDER.TOOL"},
      {{"--save", folder.path() + "/none/x", "--sleep-on", "ask", "-e", "1"}, "cannot write"},
      {{"--resume", image, "--result", "1", "--result", "1", "--memory", "64KiB"}, "memory"},
  };
  for (const auto& [arguments, words] : wrong) {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.exit_code, 64) << words;
    EXPECT_THAT(ended.output, IsEmpty());
    EXPECT_THAT(ended.errors, HasSubstr(words));
  }
  EXPECT_EQ(resume({"--result", "1", "--result", "2"}).output, "[1,2]\n");
}

}  // namespace
}  // namespace cordon::e2e
