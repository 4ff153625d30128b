#include "cordon/protocol/duplex/failure_codes.h"

#include <set>

#include <gtest/gtest.h>

namespace cordon::duplex {
namespace {

TEST(DuplexFailureCodes, EveryCodeHasATextOfItsOwn) {
  std::set<std::string_view> texts;
  for (std::size_t i = 0; i < error_code_count; ++i) {
    const std::string_view text = code_text({static_cast<ErrorCode>(i), "m"});
    EXPECT_FALSE(text.empty());
    EXPECT_TRUE(texts.insert(text).second) << text << " stands for two";
  }
}

TEST(DuplexFailureCodes, CallsWhatAFunctionDidByTheProtocolsWords) {
  EXPECT_EQ(code_text({ErrorCode::tool_error, "m"}), "function_error");
  EXPECT_EQ(code_text({ErrorCode::io, "m"}), "stream_error");
  EXPECT_EQ(code_text({ErrorCode::invalid_argument, "m"}), "invalid_params");
  EXPECT_EQ(code_text({ErrorCode::validation_error, "m"}), "invalid_result");
  EXPECT_EQ(code_text({ErrorCode::invalid_argument, "m", "invalid_callbacks"}),
            "invalid_callbacks");
}

}  // namespace
}  // namespace cordon::duplex
