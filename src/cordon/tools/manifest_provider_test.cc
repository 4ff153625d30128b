#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"
#include "cordon/provider.h"

namespace cordon {
namespace {

using testing::HasSubstr;

class Answer final : public CallSink {
 public:
  void answer(std::uint64_t, Result<Value> result) override { result_ = std::move(result); }
  std::stop_token stop_token() override { return {}; }
  std::string text() const {
    if (!result_) return "none";
    return *result_ ? to_json(**result_).value() : to_string(result_->error());
  }

 private:
  std::optional<Result<Value>> result_;
};

Result<Provider> provider_of(const std::string& manifest) {
  return Provider::from_manifest(from_json(manifest).value(),
                                 [](const std::string& tool, const Value& input, Reply reply) {
                                   if (tool == "wrong") throw std::runtime_error("no such tool");
                                   reply(Value::array({tool, input}));
                                 });
}

std::string mistake_of(const std::string& manifest) {
  const Result<Provider> made = provider_of(manifest);
  if (made) return "none";
  EXPECT_TRUE(made.error().is(ErrorCode::invalid_argument));
  return made.error().message;
}

TEST(ManifestProvider, HandsCallsOnByTheirOriginalNames) {
  const Provider shop = provider_of(R"({"name": "shop", "types": "declare namespace shop {}",
      "tools": {"get_price": {"safeName": "get_price", "originalName": "get-price",
                              "description": "Says it."},
                "get_price__2": {"safeName": "get_price__2", "originalName": "get price"}}})")
                            .value();
  EXPECT_EQ(shop.name(), "shop");
  EXPECT_EQ(shop.types(), "declare namespace shop {}");
  ASSERT_EQ(shop.tools().size(), 2U);
  EXPECT_EQ(shop.tools()[0].name, "get_price");
  EXPECT_EQ(shop.tools()[0].rules.description, "Says it.");
  EXPECT_EQ(shop.tools()[1].original_name, "get price");

  const auto first = std::make_shared<Answer>();
  shop.tools()[0].function(Value(1), Reply(first, 1));
  EXPECT_EQ(first->text(), R"(["get-price",1])");
  const auto second = std::make_shared<Answer>();
  shop.find("get_price__2")(Value(2), Reply(second, 1));
  EXPECT_EQ(second->text(), R"(["get price",2])");
  EXPECT_FALSE(shop.find("other"));
}

TEST(ManifestProvider, TakesRulesAsAnyOther) {
  Provider shop =
      provider_of(R"({"name": "shop", "tools": {"a": {"safeName": "a", "originalName": "a"}}})")
          .value();
  ASSERT_TRUE(shop.set_rules("a", {.max_calls = 0, .read_only = true}));
  EXPECT_EQ(shop.read_only().tools().size(), 1U);
}

TEST(ManifestProvider, SaysWhatIsWrong) {
  EXPECT_EQ(mistake_of("[]"), "not a provider's manifest: it must be an object");
  EXPECT_EQ(mistake_of(R"({"tools": {}})"), "not a provider's manifest: name must be a string");
  EXPECT_EQ(mistake_of(R"({"name": "a-b", "tools": {}})"),
            "not a provider's manifest: name is \"a-b\", which no program could write; a safe name "
            "is \"a_b\"");
  EXPECT_THAT(mistake_of(R"({"name": "class", "tools": {}})"), HasSubstr("\"class_\""));
  EXPECT_EQ(mistake_of(R"({"name": "a"})"), "not a provider's manifest: tools must be an object");
  EXPECT_EQ(mistake_of(R"({"name": "a", "tools": [], "types": 1})"),
            "not a provider's manifest: tools must be an object");
  EXPECT_EQ(mistake_of(R"({"name": "a", "tools": {}, "types": 1})"),
            "not a provider's manifest: types must be a string");
  const auto mistake_in = [](const std::string& tool) {
    return mistake_of(R"({"name": "a", "tools": {"t": )" + tool + "}}");
  };
  EXPECT_EQ(mistake_in("1"), "not a provider's manifest: tools[\"t\"] must be an object");
  EXPECT_EQ(mistake_in(R"({"originalName": "t"})"),
            "not a provider's manifest: tools[\"t\"].safeName must be a string");
  EXPECT_EQ(mistake_in(R"({"safeName": "u", "originalName": "t"})"),
            "not a provider's manifest: tools[\"t\"].safeName is \"u\", and not its key");
  EXPECT_EQ(mistake_in(R"({"safeName": "t"})"),
            "not a provider's manifest: tools[\"t\"].originalName must be a string");
  EXPECT_EQ(mistake_in(R"({"safeName": "t", "originalName": "t", "description": {}})"),
            "not a provider's manifest: tools[\"t\"].description must be a string");
}

TEST(ManifestProvider, HasLimits) {
  const std::string longest(1024, 'n');
  EXPECT_EQ(mistake_of(R"({"name": ")" + longest + R"(", "tools": {}})"), "none");
  EXPECT_EQ(mistake_of(R"({"name": ")" + longest + R"(n", "tools": {}})"),
            "not a provider's manifest: name is longer than 1024 bytes");
  EXPECT_EQ(mistake_of(R"({"name": "a", "tools": {"t": {"safeName": "t", "originalName": ")" +
                       longest + "n\"}}}"),
            "not a provider's manifest: tools[\"t\"].originalName is longer than 1024 bytes");
  std::string tools;
  for (int i = 0; i <= 100'000; ++i)
    tools += (i == 0 ? "\"t" : ",\"t") + std::to_string(i) + R"(":{})";
  EXPECT_EQ(mistake_of(R"({"name": "a", "tools": {)" + tools + "}}"),
            "not a provider's manifest: it has more than 100000 tools");
}

}  // namespace
}  // namespace cordon
