#include "cordon/protocol/tunnel/manifest.h"

#include <string>

#include <gtest/gtest.h>

#include "cordon/builder.h"
#include "cordon/codec/rich/testing/stand_ins.h"

namespace cordon::tunnel {
namespace {

const rich::StandInRegExps regexps;
const rich::Serializer serializer({}, regexps);

const PartHead* no_part(const std::string&) { return nullptr; }

Manifest parsed(std::string_view text) {
  auto manifest = Manifest::parse(serializer, text);
  EXPECT_TRUE(manifest) << text;
  return *std::move(manifest);
}

TEST(TunnelManifest, FilesAreFoundAtAnyDepth) {
  Manifest manifest = parsed(
      R"({"input":{"a":[1,{"b":{"$runnerFile":"File","id":"f1","meta":{"name":"n","type":"t"}}}],
          "c":{"$runnerFile":"File","id":"f2","meta":{"name":"x"}}}})");
  using Path = std::vector<std::variant<std::string, std::size_t>>;
  ASSERT_EQ(manifest.files().size(), 2U);
  EXPECT_EQ(manifest.files()[0].path, (Path{"a", std::size_t{1}, "b"}));
  EXPECT_EQ(manifest.files()[0].id, "f1");
  EXPECT_TRUE(manifest.files()[0].is_described);
  EXPECT_EQ(manifest.files()[1].path, (Path{"c"}));
  EXPECT_FALSE(manifest.files()[1].is_described);
  const Value input = std::move(manifest).hydrated(no_part);
  EXPECT_EQ(
      debug_text(input),
      debug_text(Value::object(
          {{"a", Value::array(
                     {1, Value::object({{"b", Value::object({{"name", "n"}, {"type", "t"}})}})})},
           {"c", Value::object({{"name", "x"}, {"type", "application/octet-stream"}})}})));
}

TEST(TunnelManifest, TheManifestWinsOverThePart) {
  const PartHead part{"file:f", "part.txt", "text/part"};
  const auto part_of = [&](const std::string& id) { return id == "f" ? &part : nullptr; };
  EXPECT_EQ(
      parsed(
          R"({"input":{"$runnerFile":"File","id":"f","meta":{"name":"m","type":"text/m","size":3,"lastModified":5,"extra":{"k":1}}}})")
          .hydrated(part_of),
      Value::object({{"name", "m"},
                     {"type", "text/m"},
                     {"size", 3},
                     {"lastModified", 5},
                     {"extra", Value::object({{"k", 1}})}}));
  EXPECT_EQ(parsed(R"({"input":{"$runnerFile":"File","id":"f"}})").hydrated(part_of),
            Value::object({{"name", "part.txt"}, {"type", "text/part"}}));
  EXPECT_EQ(parsed(R"({"input":{"$runnerFile":"File","id":"other"}})").hydrated(part_of),
            Value::object({{"name", "upload"}, {"type", "application/octet-stream"}}));
}

TEST(TunnelManifest, WaysToFilesTakeABoundedMemory) {
  const auto files = [](const std::string& before, int count, const std::string& after) {
    std::string text = R"({"input":)" + before + "[";
    for (int i = 0; i < count; ++i) text += R"({"$runnerFile":"File","id":"f"},)";
    return text + "1]" + after + "}";
  };
  std::string deep;
  std::string closing;
  for (int i = 0; i < 400; ++i) deep += R"({"k":)", closing += '}';
  std::string failure;
  EXPECT_TRUE(Manifest::parse(serializer, files("", 10'000, ""), {}, &failure));
  EXPECT_TRUE(Manifest::parse(serializer, files(deep, 100, closing), {}, &failure));
  EXPECT_EQ(failure, "");
  const auto past = Manifest::parse(serializer, files(deep, 10'000, closing), {}, &failure);
  EXPECT_EQ(past.error(), invalid_manifest());
  EXPECT_EQ(failure, "the manifest names files in too many places");
  const std::string key = R"({")" + std::string(100'000, 'k') + "\":";
  EXPECT_FALSE(Manifest::parse(serializer, files(key, 100, "}")));
}

TEST(TunnelManifest, FindsItsWayAmongManyMembers) {
  std::string text = R"({"input":{)";
  for (int i = 0; i < 20'000; ++i)
    text += "\"k" + std::to_string(i) + R"(":{"$runnerFile":"File","id":"f"},)";
  const Value input = parsed(text + R"("last":1}})").hydrated(no_part);
  EXPECT_EQ(input.size(), 20'001u);
  for (const char* key : {"k0", "k777", "k19999"})
    EXPECT_EQ(input.find(key).find("name"), "upload") << key;
}

TEST(TunnelManifest, OtherValuesStayWhatTheyAre) {
  const Value input = parsed(
                          R"({"input":{"when":{"__type":"Date","value":"1970-01-01T00:00:00.000Z"},
              "map":{"__type":"Map","value":[["a",1]]},
              "file":{"$runnerFile":"File","id":"f","meta":{"name":"n","type":"t"}},
              "near":{"$runnerFile":"Blob","id":"f"},"nearer":{"$runnerFile":"File","id":4}}})")
                          .hydrated(no_part);
  EXPECT_EQ(input.find("when"), Value::date(0));
  EXPECT_TRUE(input.find("map").is_map());
  EXPECT_EQ(input.find("file").find("name"), "n");
  EXPECT_EQ(input.find("near").find("$runnerFile"), "Blob");
  EXPECT_EQ(input.find("nearer").find("id"), Value(4));
}

TEST(TunnelManifest, CyclesAreWalkedOnce) {
  Builder builder;
  const ValueView node = builder.open(Kind::object);
  const ValueView file =
      builder.object({{"$runnerFile", builder.string("File")}, {"id", builder.string("f")}});
  ASSERT_TRUE(builder.fill(node, {Builder::Field{"self", node}, {"file", file}}));
  const auto text = serializer.serialize(builder.finish(builder.object({{"input", node}})));
  ASSERT_TRUE(text) << text.error();
  Manifest manifest = parsed(*text);
  ASSERT_EQ(manifest.files().size(), 1U);
  const Value input = std::move(manifest).hydrated(no_part);
  EXPECT_EQ(input.find("self").identity(), input.identity());
  EXPECT_EQ(input.find("self").find("file").find("type"), "application/octet-stream");
}

TEST(TunnelManifest, WhatIsNoManifestIsRefused) {
  EXPECT_EQ(Manifest::parse(serializer, "{bad").error(), invalid_manifest());
  EXPECT_EQ(Manifest::parse(serializer, "").error(), invalid_manifest());
  EXPECT_EQ(Manifest::parse(serializer, "3").error(), missing_manifest());
  EXPECT_EQ(Manifest::parse(serializer, "null").error(), missing_manifest());
  EXPECT_TRUE(parsed("{}").hydrated(no_part).is_undefined());
}

}  // namespace
}  // namespace cordon::tunnel
