#include "cordon/cli/transfer_progress.h"

#include <gtest/gtest.h>

namespace cordon::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

TEST(ShownBytes, HaveOneDecimalAndAUnit) {
  EXPECT_EQ(shown_bytes(0), "0 B");
  EXPECT_EQ(shown_bytes(1023), "1023 B");
  EXPECT_EQ(shown_bytes(1024), "1.0 KiB");
  EXPECT_EQ(shown_bytes(mib + mib / 2), "1.5 MiB");
  EXPECT_EQ(shown_bytes(mib * 1024 - 1), "1023.9 MiB");
  EXPECT_EQ(shown_bytes(UINT64_MAX), "15.9 EiB");
}

TEST(ProgressLine, TellsHowMuchIsSentAndHowLongTheRestTakes) {
  EXPECT_EQ(progress_line({120 * mib, 256 * mib, 0, 2s}, 200),
            "sent  [=========>          ]   46%  120.0 MiB of 256.0 MiB  60.0 MiB/s  0:02 left");
  EXPECT_EQ(progress_line({256 * mib, 256 * mib, 0, 4s}, 200),
            "sent  [====================]  100%  256.0 MiB of 256.0 MiB  64.0 MiB/s");
  EXPECT_EQ(progress_line({1, 36'000, 0, 1s}, 200),
            "sent  [>                   ]    0%  1 B of 35.1 KiB  1 B/s  9:59:59 left");
  // Nobody knows the length of a pipe.
  EXPECT_EQ(progress_line({3 * mib, {}, 0, 1s}, 200), "sent  3.0 MiB  3.0 MiB/s");
}

TEST(ProgressLine, TellsWhatComesBack) {
  EXPECT_EQ(progress_line({0, {}, 10 * mib, 5s}, 200), "received  10.0 MiB  2.0 MiB/s");
  EXPECT_EQ(progress_line({3 * mib, {}, mib, 1s}, 200),
            "sent  3.0 MiB  3.0 MiB/s  received  1.0 MiB  1.0 MiB/s");
  // What is sent to its end is no news any more.
  EXPECT_EQ(progress_line({mib, mib, 10 * mib, 5s}, 200), "received  10.0 MiB  2.0 MiB/s");
}

TEST(ProgressLine, FitsIntoTheTerminal) {
  EXPECT_EQ(progress_line({}, 80), "");
  EXPECT_EQ(progress_line({mib, 2 * mib, 0, 0ms}, 10).size(), 10u);
  EXPECT_EQ(progress_line({mib, 2 * mib, 0, 0ms}, 0), "");
  EXPECT_LE(progress_line({UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, 1ms}, 500).size(), 500u);
}

}  // namespace
}  // namespace cordon::cli
