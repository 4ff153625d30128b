#include "cordon/cli/exit_codes.h"

#include <gtest/gtest.h>

namespace cordon::cli {
namespace {

TEST(ExitCodes, EveryFailureHasOneAndOnlySuccessIsZero) {
  for (std::size_t i = 0; i < error_code_count; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_EQ(exit_codes[code].program == exit_done, code == ErrorCode::none) << code;
    EXPECT_EQ(exit_codes[code].call == exit_done, code == ErrorCode::none) << code;
  }
}

TEST(ExitCodes, OfAProgramTellItsOwnFailuresFromOurs) {
  EXPECT_EQ(exit_code_of_program({ErrorCode::runtime_error, ""}), exit_failed);
  EXPECT_EQ(exit_code_of_program({ErrorCode::timeout, ""}), exit_failed);
  EXPECT_EQ(exit_code_of_program({ErrorCode::tool_error, "", "out_of_stock"}), exit_failed);
  EXPECT_EQ(exit_code_of_program({ErrorCode::sandbox_error, ""}), exit_violated);
  EXPECT_EQ(exit_code_of_program({ErrorCode::internal_error, ""}), exit_internal);
}

TEST(ExitCodes, OfACallTellAFailedFunctionFromABrokenProtocol) {
  EXPECT_EQ(exit_code_of_call({ErrorCode::tool_error, ""}), exit_failed);
  EXPECT_EQ(exit_code_of_call({ErrorCode::bad_frame, ""}), exit_violated);
  EXPECT_EQ(exit_code_of_call({ErrorCode::timeout, ""}), exit_violated);
  EXPECT_EQ(exit_code_of_call({ErrorCode::invalid_argument, ""}), exit_usage);
}

}  // namespace
}  // namespace cordon::cli
