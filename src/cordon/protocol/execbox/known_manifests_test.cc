#include "cordon/protocol/execbox/known_manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/codec/json/decode.h"
#include "cordon/json.h"
#include "cordon/protocol/execbox/runner_session.h"

namespace cordon::execbox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view head =
    R"({"type":"execute","id":"e","code":"1","options":{"timeoutMs":1,"memoryLimitBytes":2,)"
    R"("maxLogLines":3,"maxLogChars":4})";

std::string tools(int count, const std::string& more = {}) {
  std::string text = R"({"name":"shop","tools":{)";
  for (int i = 0; i < count; ++i) {
    const std::string name = "read_part_" + std::to_string(i);
    text += (i > 0 ? ",\"" : "\"") + name + R"(":{"safeName":")" + name +
            R"(","originalName":"a-b","description":"Reads \"it\"."})";
  }
  return text + more + R"(},"types":"declare namespace shop {\n}\n"})";
}

std::string message(const std::string& providers) {
  return std::string(head) + ",\"providers\":" + providers + "}";
}

// What a session makes of a message: its order, or its answer.
std::string heard(const std::string& text, KnownManifests* known) {
  RunnerSession session({}, known);
  const bool is_object = session.on_message(text) == RunnerSession::Heard::object;
  std::string told = is_object ? "object\n" : "noise\n";
  for (const Order& order : session.take_orders()) {
    const auto& execute = std::get<Start>(order).execute;
    told += execute.id + " " + execute.code;
    for (const ProviderManifest& provider : execute.providers) {
      told += "\n" + provider.name + ":";
      for (const std::string& name : provider.safe_names) told += " " + name;
    }
  }
  return told + "\n" + session.output();
}

// The same in another order, which is read as any message is.
std::string heard_as_any(const std::string& providers) {
  return heard(R"({"providers":)" + providers + "," + std::string(head).substr(1) + "}", nullptr);
}

TEST(KnownManifests, AreReadAsAnyMessageIs) {
  const std::string many = tools(100);
  const std::string long_name(max_name_bytes + 1, 'n');
  KnownManifests known;
  for (const std::string& providers : std::vector<std::string>{
           "[" + many + "]",
           "[" + many + "," + tools(3) + "," + many + "]",
           "[ " + many + " ]",
           "[" + tools(100, R"(,"read_part_1":{"safeName":"read_part_1"})") + "]",  // a key twice
           "[" + tools(100, R"(,"key":{"safeName":"another"})") + "]",
           "[" + tools(100, R"(,"key":{"safeName":"read_part_7"})") + "]",
           "[" + tools(100, R"(,"a\nb":{"safeName":"a\nb"})") + "]",
           "[" + tools(100, R"(,"a":{"safeName":"a","safeName":"b"})") + "]",
           "[" + tools(100, R"(,"a":{"safeName":1})") + "]",
           "[" + tools(100, R"(,"a":{})") + "]",
           "[" + tools(100, R"(,"a":[])") + "]",
           "[" + tools(100, R"(,"a":"a")") + "]",
           "[" + tools(100, R"(,"a":null)") + "]",
           "[" + tools(100, R"(,"a":{"safeName":"a","description":1})") + "]",
           "[" + tools(100, R"(,"a":{"safeName":"a","originalName":{}})") + "]",
           "[" + tools(100, R"(,"a":{"safeName":"a","x":[{"safeName":1},[2],null,true]})") + "]",
           "[" + tools(100, R"(,"a":{"safeName":"a","x":{"y":{"safeName":[]}},"z":1})") + "]",
           "[" + tools(100, ",\"" + long_name + "\":{\"safeName\":\"" + long_name + "\"}") + "]",
           "[" + many + R"(,{"name":"b","tools":{},"x":{"tools":1},"y":[{"name":2}]}])",
           "[" + many + R"(,{"name":"b"}])",
           "[" + many + R"(,{"tools":{}}])",
           "[" + many + R"(,{"name":"b","name":"c","tools":{}}])",
           "[" + many + R"(,{"name":"b","tools":{},"tools":{"a":{"safeName":"a"}}}])",
           "[" + many + R"(,{"name":1,"tools":{}}])",
           "[" + many + R"(,{"name":"b","tools":{},"types":1}])",
           "[" + many + R"(,{"name":"b","tools":[]}])",
           "[" + many + ",{\"name\":\"" + long_name + "\",\"tools\":{}}]",
           "[" + many + ",1]",
           "[" + many + ",[]]",
           "[" + many + ",\"text\"]",
           "[" + many + ",null]",
       }) {
    const std::string as_any = heard_as_any(providers);
    EXPECT_EQ(heard(message(providers), nullptr), as_any) << providers;
    for (int again = 0; again < 2; ++again)
      EXPECT_EQ(heard(message(providers), &known), as_any) << providers;
    // Not where the text ends in something else.
    EXPECT_EQ(heard(message(providers) + " ", &known), as_any) << providers;
    EXPECT_EQ(heard(message(providers) + "\r", &known), as_any) << providers;
  }
}

TEST(KnownManifests, AreNotTakenForWhatTheyAreNot) {
  const std::string many = "[" + tools(100) + "]";
  KnownManifests known;
  ASSERT_THAT(heard(message(many), &known), HasSubstr("read_part_99"));
  const std::string quoted = *to_json(Value(",\"providers\":" + many + "}"));
  for (const std::string& text : std::vector<std::string>{
           // No JSON, or none that is an execute.
           "noise,\"providers\":" + many + "}",
           R"({"type":"cancel","id":"e")" + (",\"providers\":" + many) + "}",
           R"({"type":"execute","id":"e")" + (",\"providers\":" + many) + "}",
           R"({"a":"x)" + (",\"providers\":" + many) + "}",
           R"({"a":"x\)" + (",\"providers\":" + many) + "}",
           R"({"a":{"b":1)" + (",\"providers\":" + many) + "}",
           "{" + (",\"providers\":" + many) + "}",
           "[1" + (",\"providers\":" + many) + "}",
           std::string(head) + ",\"providers\":" + many + "}}",
           std::string(head) + ",\"providers\":" + many + "]}",
           std::string(head) + ",\"providers\":" + many.substr(1) + "}",
           // A program that has the words in it.
           std::string(head).replace(std::string(head).find("\"1\""), 3, quoted) +
               ",\"providers\":[]}",
           std::string(head) + ",\"providers\":" + many + ",\"providers\":[]}",
           std::string(head) + ",\"providers\":[{\"name\":\"a\"}],\"x\":{\"a\":1" +
               ",\"providers\":" + many + "}}",
       }) {
    // A blank at its end, where no JSON ends: it is read as any text is.
    EXPECT_EQ(heard(text, &known), heard(text + " ", nullptr)) << text;
  }
  // The last of a name counts.
  const std::string twice =
      std::string(head) + ",\"providers\":[],\"x\":1,\"providers\":" + many + "}";
  EXPECT_EQ(heard(twice, &known), heard(twice + " ", nullptr));
  EXPECT_THAT(heard(twice, &known), HasSubstr("read_part_99"));
}

TEST(KnownManifests, AreTheSameForEqualTextAndBounded) {
  KnownManifests known;
  const std::string text = "[" + tools(100) + "]";
  const auto made = std::make_shared<const std::vector<ProviderManifest>>();
  EXPECT_EQ(known.find(text), nullptr);
  known.keep(text, made);
  EXPECT_EQ(known.find(text), made);
  EXPECT_EQ(known.find(text + " "), nullptr);
  for (std::size_t i = 0; i < KnownManifests::max_kept; ++i) known.keep(std::to_string(i), made);
  EXPECT_EQ(known.find(text), nullptr);
  known.keep(std::string(KnownManifests::max_text_bytes + 1, ' '), made);
  EXPECT_EQ(known.find("0"), made);
}

TEST(KnownManifests, ReadTheNamesOfTheUsualForm) {
  const auto read = read_usual_manifests("[" + tools(2) + R"(,{"tools":{},"name":"é"}])");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at(0).name, "shop");
  EXPECT_THAT(read->at(0).safe_names, ElementsAre("read_part_0", "read_part_1"));
  EXPECT_EQ(read->at(1).name, "é");
  EXPECT_TRUE(read_usual_manifests("[]")->empty());
  for (const char* text : {"", "{}", "1", "[", "[{}]", "[1]", R"([{"name":"a","tools":{}}]x)"})
    EXPECT_FALSE(read_usual_manifests(text)) << text;
}

}  // namespace
}  // namespace cordon::execbox
