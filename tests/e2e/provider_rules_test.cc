// `cordon run --config` and `cordon types`: providers of a configuration, and the rules of their
// tools.

#include <string>
#include <vector>

#include "cordon_command.h"
#include "process.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::e2e {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* script = R"(
export const price = ({amount}) => amount * 250;
export const hang = () => new Promise(() => {});
export const spin = () => { for (;;); };
export const text = () => "text";
let running = 0;
export const slow = async () => {
  const seen = ++running;
  await new Promise((done) => setTimeout(done, 10));
  --running;
  return seen;
};
const odd = (x) => x;
export { odd as "scrape-url" };
)";

constexpr const char* configuration = R"({
  "limits": {"timeoutMs": 4000},
  "providers": {"shop": {"script": "shop.js", "tools": {
    "price": {"description": "The price.", "readOnly": true, "maxCalls": 2,
              "input": {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]},
              "output": {"type": "number"}},
    "hang": {"timeoutMs": 50},
    "spin": {"timeoutMs": 50},
    "text": {"output": {"type": "number"}},
    "slow": {"concurrency": 2},
    "scrape-url": {}
  }}}
})";

class ProviderRules : public ::testing::Test {
 protected:
  ProviderRules() {
    folder_.file("shop.js", script);
    config_ = folder_.file("cordon.json", configuration);
  }
  Ended run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", "--config", config_});
    return cordon({.arguments = std::move(arguments)});
  }
  std::string output(const std::string& code) {
    const Ended ended = run({"-e", code});
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    return ended.output;
  }
  // "code: message" of a program that fails.
  std::string failure(const std::string& code) {
    const Ended ended = run({"--json", "-e", code});
    EXPECT_EQ(ended.exit_code, 1) << ended.errors;
    const Value report = from_json(ended.output).value_or(Value());
    const ValueView error = report.find("error");
    return std::string(error.find("code").as_string()) + ": " +
           std::string(error.find("message").as_string());
  }
  std::string refusal(std::vector<std::string> arguments) {
    const Ended ended = run(std::move(arguments));
    EXPECT_EQ(ended.exit_code, 64) << ended.errors;
    EXPECT_EQ(ended.output, "");
    return ended.errors;
  }

  Folder folder_;
  std::string config_;
};

TEST_F(ProviderRules, GiveTheListedToolsInTheirOrder) {
  EXPECT_EQ(output("Object.keys(shop)"), R"(["price","hang","spin","text","slow","scrape_url"])"
                                         "\n");
  EXPECT_EQ(output("await shop.scrape_url(await shop.price({amount: 2}))"), "500\n");
}

TEST_F(ProviderRules, RefuseByTheSchemas) {
  EXPECT_EQ(failure("await shop.price({amount: 'secret'})"),
            "validation_error: Invalid input for tool price: amount: the value is not of type "
            "\"number\"");
  EXPECT_EQ(failure("await shop.price()"),
            "validation_error: Invalid input for tool price: the value is not of type \"object\"");
  EXPECT_EQ(
      failure("await shop.price({amount: 1n})"),
      "serialization_error: Guest code returned a non-serializable value: a bigint at amount");
  EXPECT_EQ(failure("await shop.text()"),
            "validation_error: Invalid output for tool text: the value is not of type \"number\"");
}

TEST_F(ProviderRules, LimitCallsByTimeAndNumber) {
  EXPECT_EQ(failure("await shop.hang()"), "tool_error: Tool hang timed out after 50 ms");
  EXPECT_EQ(failure("await shop.spin()"), "tool_error: Tool spin timed out after 50 ms");
  EXPECT_EQ(failure("for (;;) await shop.price({amount: 1})"),
            "tool_error: Tool price may be called 2 times in one execution");
  EXPECT_EQ(output("Math.max(...await Promise.all([1, 2, 3, 4, 5].map(() => shop.slow())))"),
            "2\n");
}

TEST_F(ProviderRules, LeaveOnlyWhatReads) {
  EXPECT_EQ(run({"--read-only", "shop", "-e", "Object.keys(shop)"}).output, "[\"price\"]\n");
  EXPECT_EQ(refusal({"--read-only", "shap", "-e", "1"}),
            "cordon run: --read-only: there is no provider 'shap'; did you mean \"shop\"? (see "
            "`cordon run --help`)\n");
}

TEST_F(ProviderRules, TakeTheLimitsOfTheFileUnlessTheCommandLineHasSome) {
  folder_.file("cordon.json", R"({"limits": {"timeoutMs": 40}})");
  EXPECT_EQ(failure("for (;;);"), "timeout: Execution timed out");
  folder_.file("cordon.json", R"({"limits": {"timeoutMs": 1, "maxLogLines": 1}})");
  const Ended ended = run({"--timeout", "5000", "-e", "console.log(1); console.log(2)"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(ended.errors, "[log] 1\n(further log lines were cut)\n");
}

TEST_F(ProviderRules, AreRefusedAtTheirPlaceWhereTheyAreWrong) {
  const auto mistake = [&](const char* tools) {
    folder_.file("cordon.json", std::string(R"({"providers": {"shop": {"script": "shop.js",)") +
                                    "\n" + tools + "}}}");
    std::string errors = refusal({"-e", "1"});
    const std::size_t end = errors.find('\n');
    return errors.substr(config_.size() + 1, end - config_.size() - 1);
  };
  EXPECT_EQ(mistake(R"("tools": {"prise": {}})"),
            "2:11: providers.shop.tools: shop.js exports no function \"prise\"; did you mean "
            "\"price\"?");
  EXPECT_EQ(mistake(R"("tools": {"price": {"timeout": 1}})"),
            "2:21: unknown key \"timeout\" in providers.shop.tools.price; did you mean "
            "\"timeoutMs\"?");
  EXPECT_THAT(mistake(R"("tools": {"price": {"input": {"type": "strng"}}})"),
              StartsWith("2:39: providers.shop.tools.price.input.type: \"strng\" is no type"));
  EXPECT_THAT(mistake(R"("tools": {"price": {"timeoutMs": 0}})"), StartsWith("2:34: "));
  folder_.file("shop.js", "export const price = ;");
  EXPECT_THAT(mistake(R"("tools": {})"), HasSubstr("shop.js: "));
}

TEST_F(ProviderRules, AreRefusedUnderANameThatIsTaken) {
  EXPECT_EQ(refusal({"--provider", "shop=" + folder_.path() + "/shop.js", "-e", "1"}),
            "cordon run: --provider: shop is a provider of the configuration too (see `cordon run "
            "--help`)\n");
  folder_.file("cordon.json", R"({"providers": {"console": {"script": "shop.js"}}})");
  EXPECT_THAT(refusal({"-e", "1"}),
              HasSubstr("cordon.json:1:16: providers: \"console\" is a name that programs have "
                        "already; write another, such as my_console\ncordon run: 1 mistake"));
}

TEST_F(ProviderRules, KeepTheConfigurationFromPrograms) {
  const std::string other = folder_.file("other.json", configuration);
  const std::string main = folder_.file(
      "main.js", "await import('./other.json', {with: {type: 'json'}}).catch((e) => e.message)");
  const Ended ended = cordon({.arguments = {"run", "--config", other, main}});
  EXPECT_THAT(ended.output, HasSubstr("it is kept from programs")) << ended.errors;
}

TEST_F(ProviderRules, AreShownAsTypes) {
  const Ended ended = cordon({.arguments = {"types", "--config", config_}});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output,
            "declare namespace shop {\n"
            "  /** The price. */\n"
            "  function price(input: { amount: number; [key: string]: unknown }): "
            "Promise<number>;\n"
            "  function hang(input?: unknown): Promise<unknown>;\n"
            "  function spin(input?: unknown): Promise<unknown>;\n"
            "  function text(input?: unknown): Promise<number>;\n"
            "  function slow(input?: unknown): Promise<unknown>;\n"
            "  function scrape_url(input?: unknown): Promise<unknown>;\n"
            "}\n");
}

TEST_F(ProviderRules, AreShownAsARunnerGetsThem) {
  const Ended ended = cordon({.arguments = {"types", "--json"}, .folder = folder_.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  const Value manifest = from_json(ended.output).value_or(Value());
  const ValueView shop = manifest.find("providers").at(0);
  EXPECT_EQ(shop.find("name"), "shop");
  EXPECT_EQ(to_json(shop.find("tools").find("price")),
            R"({"safeName":"price","originalName":"price","description":"The price."})");
  EXPECT_EQ(to_json(shop.find("tools").find("scrape_url")),
            R"({"safeName":"scrape_url","originalName":"scrape-url"})");
  EXPECT_THAT(std::string(shop.find("types").as_string()), StartsWith("declare namespace shop {"));
  EXPECT_FALSE(ended.output.contains(folder_.path()));
}

TEST_F(ProviderRules, NeedAFileOrAProviderToBeShown) {
  const Folder empty;
  const Ended none = cordon({.arguments = {"types"}, .folder = empty.path()});
  EXPECT_EQ(none.exit_code, 64);
  EXPECT_EQ(none.errors,
            "cordon types: --config: the file 'cordon.json' does not exist (see `cordon types "
            "--help`)\n");
  const std::string tools = empty.file("tools.js", "export const a = () => 1;");
  EXPECT_EQ(cordon({.arguments = {"types", "--provider", "t=" + tools}}).output,
            "declare namespace t {\n  function a(input?: unknown): Promise<unknown>;\n}\n");
}

TEST_F(ProviderRules, NameToolsAlikeWithAListAndWithoutOne) {
  const std::string names = folder_.file("names.js", R"(
const f = (x) => x;
export { f as "app.tasks.add", f as "app-tasks-add", f as "2fa", f as "delete", f as "console", f as "__edge__" };
)");
  const std::string listed =
      folder_.file("names.json", R"({"providers": {"remote": {"script": "names.js", "tools": {
      "app.tasks.add": {}, "app-tasks-add": {}, "2fa": {}, "delete": {}, "console": {}, "__edge__": {}}}}})");
  const std::string program =
      "[Object.keys(remote).sort().join(), await remote.console_(7)].join(' ')";
  const std::string expected = "\"_2fa,app_tasks_add,app_tasks_add__2,console_,delete_,edge 7\"\n";
  EXPECT_EQ(cordon({.arguments = {"run", "--provider", "remote=" + names, "-e", program}}).output,
            expected);
  EXPECT_EQ(cordon({.arguments = {"run", "--config", listed, "-e", program}}).output, expected);
}

}  // namespace
}  // namespace cordon::e2e
