#include "cordon/server/execution_ends.h"

#include <set>

#include <gtest/gtest.h>

namespace cordon::server {
namespace {

TEST(ExecutionEnds, EveryCodeIsCountedUnderItsNameOrAsOther) {
  std::set<std::size_t> used;
  for (std::size_t i = 0; i < error_code_count; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    const std::size_t end = end_index(code);
    ASSERT_LT(end, end_names.size());
    used.insert(end);
    const std::string_view name = end_names[end];
    EXPECT_TRUE(name == "other" || name == name_of(code) || code == ErrorCode::none) << code;
  }
  EXPECT_EQ(used.size(), end_names.size()) << "a label that nothing is counted under";
  EXPECT_EQ(end_names[end_index(ErrorCode::none)], "ok");
}

}  // namespace
}  // namespace cordon::server
