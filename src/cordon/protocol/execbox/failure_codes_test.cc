#include "cordon/protocol/execbox/failure_codes.h"

#include <set>

#include <gtest/gtest.h>

namespace cordon::execbox {
namespace {

const std::set<std::string_view> seven = {"timeout",       "memory_limit",  "validation_error",
                                          "tool_error",    "runtime_error", "serialization_error",
                                          "internal_error"};

TEST(ExecboxFailureCodes, EveryCodeEndsAsOneOfTheSeven) {
  std::set<std::string_view> used;
  for (std::size_t i = 0; i < error_code_count; ++i) {
    const std::string_view text = code_of_end(static_cast<ErrorCode>(i));
    EXPECT_TRUE(seven.contains(text)) << static_cast<ErrorCode>(i) << ": " << text;
    used.insert(text);
  }
  EXPECT_EQ(used, seven);
}

TEST(ExecboxFailureCodes, ReadsTheSevenAndKeepsAnyOtherAsTheToolsOwn) {
  for (const std::string_view text : seven) {
    const Error error = read_error(text, "m");
    EXPECT_EQ(name_of(error.code), text);
    EXPECT_EQ(error.own_code, "");
    EXPECT_EQ(error.code_text(), text);
  }
  for (const char* text : {"quota", "cancelled", "overloaded", "too_large"}) {
    const Error error = read_error(text, "m");
    EXPECT_EQ(error.code, ErrorCode::tool_error);
    EXPECT_EQ(error.code_text(), text);
  }
  EXPECT_EQ(read_error("", "m").code, ErrorCode::runtime_error);
}

}  // namespace
}  // namespace cordon::execbox
