#include "cordon/protocol/tunnel/route.h"

#include <gtest/gtest.h>

namespace cordon::tunnel {
namespace {

constexpr std::string_view base = "/__runner";
using enum Route::Kind;

TEST(TunnelRoute, BasePathsGetOneSlashBeforeAndNoneBehind) {
  EXPECT_EQ(normal_base_path("/__runner"), "/__runner");
  EXPECT_EQ(normal_base_path("api/tunnel/"), "/api/tunnel");
  EXPECT_EQ(normal_base_path("/"), "");
  EXPECT_EQ(normal_base_path(""), "");
}

TEST(TunnelRoute, TasksAndEventsAreFoundByTheirIds) {
  EXPECT_EQ(route_of("/__runner/task/app.tasks.add", base), (Route{task, "app.tasks.add"}));
  EXPECT_EQ(route_of("/__runner/event/app.events.x", base), (Route{event, "app.events.x"}));
  EXPECT_EQ(route_of("/__runner/discovery", base).kind, discovery);
  EXPECT_EQ(route_of("/__runner/discovery/", base).kind, discovery);
}

TEST(TunnelRoute, LiteralAndEncodedSlashesAreOneId) {
  for (const char* target : {"/__runner/task/a/b", "/__runner/task/a%2Fb", "/__runner/task/a%2fb/",
                             "/__runner//task//a//b", "/__runner/task/a/b?q=1&r=/x"}) {
    EXPECT_EQ(route_of(target, base), (Route{task, "a/b"})) << target;
  }
}

TEST(TunnelRoute, IdsAreDecodedOnce) {
  EXPECT_EQ(route_of("/__runner/task/a%252Fb", base), (Route{task, "a%2Fb"}));
  EXPECT_EQ(route_of("/__runner/task/%C3%A9", base), (Route{task, "\u00e9"}));
}

TEST(TunnelRoute, BrokenEscapesAreUnknown) {
  for (const char* id : {"a%zz", "a%2", "a%", "%E0%A4%A", "%FF", "%C3"})
    EXPECT_EQ(route_of("/__runner/task/" + std::string(id), base).kind, unknown) << id;
}

TEST(TunnelRoute, WhatIsNotThereIsUnknownBelowTheBaseAndOutsideElsewhere) {
  for (const char* target : {"/__runner", "/__runner/", "/__runner/task", "/__runner/task/",
                             "/__runner/Task/a", "/__runner/x", "/__runner?task"})
    EXPECT_EQ(route_of(target, base).kind, unknown) << target;
  for (const char* target : {"/", "", "*", "/x", "/__runnerx/task/a", "/x/__runner/task/a"})
    EXPECT_EQ(route_of(target, base).kind, outside) << target;
}

TEST(TunnelRoute, TheRootMayBeTheBase) {
  EXPECT_EQ(route_of("/task/a", ""), (Route{task, "a"}));
  EXPECT_EQ(route_of("/", "").kind, unknown);
}

TEST(TunnelRoute, WholeUrlsAreTargetsToo) {
  EXPECT_EQ(route_of("http://host:1/__runner/task/a?x", base), (Route{task, "a"}));
  EXPECT_EQ(path_of("http://host?x"), "/");
  EXPECT_EQ(path_of("/a/b?x#y"), "/a/b");
}

}  // namespace
}  // namespace cordon::tunnel
