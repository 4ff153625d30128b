#pragma once

// `cordon` as a user runs it: to its end, which it comes to by itself.

#include "process.h"
#include <gtest/gtest.h>

namespace cordon::e2e {

inline Ended cordon(const Command& command) {
  Ended ended = run(cordon_program(), command);
  EXPECT_FALSE(ended.timed_out) << "it did not come to an end\n" << ended.errors;
  EXPECT_EQ(ended.signal, 0) << "a signal ended it";
  return ended;
}

}  // namespace cordon::e2e
