#include "cordon/runners/manifests.h"

#include <string>

#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::runners {
namespace {

Provider with_tools(int count, std::string_view name = "shop") {
  Provider provider(name);
  for (int i = 0; i < count; ++i)
    provider.add("t" + std::to_string(i), [](Value input) -> Result<Value> { return input; });
  return provider;
}

std::string text_of(const execbox::HostManifest& manifest) {
  return to_json(execbox::to_value(manifest)).value();
}

TEST(Manifest, HasTheTypesOfTheSchemas) {
  Provider shop("shop");
  const Value number = Value::object({{"type", "number"}});
  ASSERT_TRUE(shop.add("get-price", [](Value input) -> Result<Value> { return input; },
                       {.description = "Says it.", .input = number, .output = number}));
  EXPECT_EQ(text_of(manifest_of(shop)),
            R"({"name":"shop","tools":{"get_price":{"safeName":"get_price","originalName":)"
            R"("get-price","description":"Says it."}},"types":"declare namespace shop {\n)"
            R"(  /** Says it. */\n  function get_price(input: number): Promise<number>;\n}\n"})");
}

TEST(Manifest, IsTheOneThatAProviderWasMadeOf) {
  const std::string text =
      R"({"name":"shop","tools":{"a_b":{"safeName":"a_b","originalName":"a-b"}},"types":"// none"})";
  const auto nothing = [](const std::string&, const Value&, const Reply&) {};
  const Provider shop = Provider::from_manifest(from_json(text).value(), nothing).value();
  EXPECT_EQ(text_of(manifest_of(shop)), text);
}

TEST(ManifestMemo, TellsWhatAManifestSays) {
  ManifestMemo memo;
  for (const int count : {0, 3, 16, 17, 200}) {
    const Provider provider = with_tools(count);
    const std::string afresh = text_of(manifest_of(provider));
    EXPECT_EQ(memo.of(provider).json(), afresh) << count;
    EXPECT_EQ(memo.of(provider).json(), afresh) << count;
  }
}

TEST(ManifestMemo, SeesThatAProviderHasChanged) {
  ManifestMemo memo;
  Provider provider = with_tools(20);
  (void)memo.of(provider);
  provider.describe("t7", "Reads.");
  EXPECT_EQ(memo.of(provider).json(), text_of(manifest_of(provider)));
  EXPECT_NE(memo.of(provider).json().find("Reads."), std::string::npos);
  ASSERT_TRUE(provider.set_rules("t8", {.input = Value::object({{"type", "boolean"}})}));
  EXPECT_NE(memo.of(provider).json().find("t8(input: boolean)"), std::string::npos);
  provider.add("more", [](Value input) -> Result<Value> { return input; });
  EXPECT_EQ(memo.of(provider).json(), text_of(manifest_of(provider)));
  EXPECT_EQ(memo.of(with_tools(20, "other")).name(), "other");
}

TEST(ManifestMemo, KeepsAFewAndKnowsAll) {
  ManifestMemo memo;
  for (int round = 0; round < 2; ++round) {
    for (int count = 17; count < 40; ++count)
      EXPECT_EQ(memo.of(with_tools(count)).safe_names().size(), static_cast<std::size_t>(count));
  }
}

}  // namespace
}  // namespace cordon::runners
