#include "cordon/value/key_order.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/value/value_builder.h"

namespace cordon {
namespace {

std::vector<std::string> ordered(const std::vector<std::string>& keys) {
  ValueBuilder builder;
  std::vector<Member> members;
  members.reserve(keys.size());
  for (const std::string& key : keys) members.push_back({builder.string(key), 0});
  put_in_javascript_order(members);
  EXPECT_TRUE(is_in_javascript_order(members));
  std::vector<std::string> out;
  out.reserve(members.size());
  for (const Member& member : members) out.emplace_back(member.key());
  return out;
}

TEST(KeyOrder, AnIndexIsAPlainNumberBelowTwoToThe32LessOne) {
  EXPECT_EQ(index_of_key("0"), 0u);
  EXPECT_EQ(index_of_key("10"), 10u);
  EXPECT_EQ(index_of_key("4294967294"), 4294967294u);
  for (const char* key : {"", "00", "01", "-1", "+1", "1.0", "1e3", " 1", "1 ", "4294967295",
                          "9999999999", "99999999999", "x"}) {
    EXPECT_EQ(index_of_key(key), std::nullopt) << key;
  }
}

TEST(KeyOrder, IndicesComeFirstAndAscendTheRestStays) {
  using Keys = std::vector<std::string>;
  EXPECT_EQ(ordered({"b", "10", "a", "2", "01", "4294967295", "1"}),
            (Keys{"1", "2", "10", "b", "a", "01", "4294967295"}));
  EXPECT_EQ(ordered({"b", "a"}), (Keys{"b", "a"}));
  EXPECT_EQ(ordered({}), Keys{});
}

TEST(KeyOrder, OfEqualKeysTheLastStaysTheLast) {
  ValueBuilder builder;
  std::vector<Member> members;
  for (int i = 0; i < 1000; ++i) {
    members.push_back({builder.string(std::to_string(1000 - i / 2)), i});
  }
  put_in_javascript_order(members);
  for (std::size_t i = 0; i < members.size(); i += 2) {
    EXPECT_EQ(members[i].key(), members[i + 1].key());
    EXPECT_LT(members[i].value.as_number(), members[i + 1].value.as_number());
  }
}

TEST(KeyOrder, ABuilderPutsMembersInOrder) {
  ValueBuilder builder;
  const std::size_t mark = builder.mark();
  for (const char* key : {"b", "2", "1", "2"}) {
    builder.push(builder.string(key));
    builder.push(static_cast<double>(builder.mark()));
  }
  const Value value = builder.finish(builder.object_since(mark, Keys::any, KeyOrder::javascript));
  EXPECT_EQ(value, Value::object({{"1", 5}, {"2", 7}, {"b", 1}}));
}

RC_GTEST_PROP(KeyOrder, SortsAsAPlainSortDoes, (const std::vector<std::uint32_t>& numbers)) {
  std::vector<std::string> keys = {"x"};
  for (const std::uint32_t number : numbers) {
    for (std::uint32_t i = 0; i < 20; ++i)
      keys.push_back(std::to_string((number + 7919u * i) % 0xffffffffu));
  }
  keys.emplace_back("y");
  std::vector<std::string> expected(keys.begin() + 1, keys.end() - 1);
  std::ranges::sort(expected, {}, [](const std::string& key) { return *index_of_key(key); });
  expected.insert(expected.end(), {"x", "y"});
  RC_ASSERT(ordered(keys) == expected);
}

}  // namespace
}  // namespace cordon
