#include "cordon/protocol/tunnel/failure_codes.h"

#include <gtest/gtest.h>

namespace cordon::tunnel {
namespace {

TEST(TunnelFailureCodes, EveryCodeIsAnsweredAndFewTellMoreThanThatItFailed) {
  for (std::size_t i = 0; i < error_code_count; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    const Refusal refusal = refusal_of_failure(code, "why");
    EXPECT_GE(refusal.status, 400u) << code;
    const bool tells = code == ErrorCode::invalid_argument || code == ErrorCode::overloaded ||
                       code == ErrorCode::cancelled;
    EXPECT_EQ(refusal == internal_error(), !tells) << code;
  }
}

TEST(TunnelFailureCodes, TellsTheReasonOfARefusedInputAndOfNothingElse) {
  EXPECT_EQ(refusal_of_failure(ErrorCode::invalid_argument, "why"), validation_error("why"));
  EXPECT_EQ(refusal_of_failure(ErrorCode::overloaded, "why"), overloaded());
  EXPECT_EQ(refusal_of_failure(ErrorCode::cancelled, "why"), request_aborted());
}

}  // namespace
}  // namespace cordon::tunnel
