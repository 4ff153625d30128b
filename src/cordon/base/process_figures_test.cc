#include "cordon/base/process_figures.h"

#include <chrono>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/base/sanitized.h"
#include "cordon/base/testing/heap_burst.h"

namespace cordon {
namespace {

TEST(ProcessFigures, AreThoseOfThisProcess) {
  const ProcessFigures figures = process_figures();
  EXPECT_GT(figures.resident_bytes, std::size_t{1} << 20);
  EXPECT_GT(figures.virtual_bytes, figures.resident_bytes);
  EXPECT_GE(figures.threads, 1u);
  EXPECT_GT(figures.max_files, figures.open_files);
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  EXPECT_LT(figures.start_seconds, now.count() + 1);
  EXPECT_GT(figures.start_seconds, now.count() - 24 * 3600);
}

TEST(ProcessFigures, CountFilesThreadsAndWork) {
  const ProcessFigures before = process_figures();
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  std::size_t threads = 0;
  std::thread([&] { threads = process_figures().threads; }).join();
  volatile double sum = 0;
  for (int i = 0; i < 3'000'000; ++i) sum = sum + i;
  const ProcessFigures after = process_figures();
  EXPECT_EQ(after.open_files, before.open_files + 1);
  EXPECT_EQ(threads, before.threads + 1);
  EXPECT_GT(after.cpu_seconds, before.cpu_seconds);
  close(file);
}

TEST(ProcessFigures, HeapThatNobodyUsesIsGivenBack) {
  testing::HeapBurst burst;
  burst.free_most();
  give_heap_back();
  EXPECT_TRUE(burst.is_given_back() || is_sanitized);
}

}  // namespace
}  // namespace cordon
