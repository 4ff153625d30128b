#include "cordon/providers/remote_names.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::providers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_of(const RemoteNames& names) {
  std::vector<std::string> found;
  for (const RemoteNames::Named& one : names.all()) found.push_back(one.name + " " + one.id);
  return found;
}

TEST(RemoteNames, AreIdentifiersThatLeadToTheirIds) {
  RemoteNames names({});
  names.add(
      {"app.tasks.add", "app/tasks/add", "app-tasks-add", "1st", "delete", "console", "名前"});
  EXPECT_THAT(names_of(names),
              ElementsAre("app_tasks_add app.tasks.add", "app_tasks_add__2 app/tasks/add",
                          "app_tasks_add__3 app-tasks-add", "_1st 1st", "delete_ delete",
                          "console_ console", "_ 名前"));
  EXPECT_EQ(names.id_of("app_tasks_add__3"), "app-tasks-add");
  EXPECT_EQ(names.id_of("app.tasks.add"), "app.tasks.add");
  EXPECT_EQ(names.id_of("app_tasks"), std::nullopt);
}

TEST(RemoteNames, AreNotThoseThatAreCalledByMistake) {
  RemoteNames names({});
  names.add({"then", "toJSON", "then-", "to.string", "toString", "then.x"});
  EXPECT_THAT(names_of(names),
              ElementsAre("then_ then", "toJSON_ toJSON", "then___2 then-", "to_string to.string",
                          "toString_ toString", "then_x then.x"));
}

TEST(RemoteNames, StayWithTheirTasks) {
  RemoteNames names({});
  names.add({"a.b", "a_b"});
  names.add({"a-b", "a_b"});
  EXPECT_THAT(names_of(names), ElementsAre("a_b a.b", "a_b__2 a_b", "a_b__3 a-b"));
  EXPECT_EQ(names.id_of("a_b"), "a.b");
}

TEST(RemoteNames, AreOnlyOfAllowedTasks) {
  RemoteNames names({{"app.*", "shop.buy"}});
  EXPECT_THAT(names_of(names), ElementsAre("shop_buy shop.buy"));  // it need not be listed
  names.add({"shop.sell", "app.x", "shop.buy", "xapp.y"});
  EXPECT_THAT(names_of(names), ElementsAre("shop_buy shop.buy", "app_x app.x"));
  EXPECT_EQ(names.id_of("shop.sell"), std::nullopt);
  EXPECT_FALSE(names.allows("shop.sell"));
  EXPECT_TRUE(names.allows("app.z"));

  RemoteNames none(std::vector<std::string>{});
  none.add({"app.x"});
  EXPECT_THAT(names_of(none), IsEmpty());
}

TEST(RemoteNames, LeaveOutWhatNoServerHas) {
  RemoteNames names({});
  names.add({"", "a\nb", "a\x1b[31m", "\xff", std::string(501, 'a'), "good"});
  EXPECT_THAT(names_of(names), ElementsAre("good good"));
}

TEST(RemoteNames, AreNoMoreThanALimit) {
  RemoteNames names({});
  std::vector<std::string> ids;
  ids.reserve(20'000);
  for (int i = 0; i < 20'000; ++i) ids.push_back("task." + std::to_string(i));
  names.add({ids.begin(), ids.begin() + 10'000});
  names.add(ids = {ids.begin(), ids.begin() + 10'001});
  EXPECT_EQ(names.all().size(), 10'000u);
  EXPECT_TRUE(names.is_cut());
  EXPECT_EQ(names.id_of("task.10000"), std::nullopt);
}

}  // namespace
}  // namespace cordon::providers
