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

TEST(ManifestMemo, TellsWhatAManifestSays) {
  ManifestMemo memo;
  for (const int count : {0, 3, 16, 17, 200}) {
    const Provider provider = with_tools(count);
    const std::string afresh = text_of(manifest_of(provider));
    EXPECT_EQ(text_of(memo.of(provider)), afresh) << count;
    EXPECT_EQ(text_of(memo.of(provider)), afresh) << count;
  }
}

TEST(ManifestMemo, SeesThatAProviderHasChanged) {
  ManifestMemo memo;
  Provider provider = with_tools(20);
  (void)memo.of(provider);
  provider.describe("t7", "Reads.");
  EXPECT_EQ(text_of(memo.of(provider)), text_of(manifest_of(provider)));
  EXPECT_NE(memo.of(provider).types.find("Reads."), std::string::npos);
  provider.add("more", [](Value input) -> Result<Value> { return input; });
  EXPECT_EQ(text_of(memo.of(provider)), text_of(manifest_of(provider)));
  EXPECT_EQ(memo.of(with_tools(20, "other")).name, "other");
}

TEST(ManifestMemo, KeepsAFewAndKnowsAll) {
  ManifestMemo memo;
  for (int round = 0; round < 2; ++round) {
    for (int count = 17; count < 40; ++count)
      EXPECT_EQ(memo.of(with_tools(count)).tools.size(), static_cast<std::size_t>(count));
  }
}

}  // namespace
}  // namespace cordon::runners
