#include "cordon/base/process_figures.h"

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

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

// Sanitizers have a heap of their own, which keeps what was freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
constexpr bool is_sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool is_sanitized = false;
#endif

TEST(ProcessFigures, HeapThatNobodyUsesIsGivenBack) {
  constexpr std::size_t count = 20'000;
  constexpr std::size_t bytes = 4096;
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    blocks.push_back(std::make_unique<char[]>(bytes));
    std::memset(blocks.back().get(), 1, bytes);
  }
  const std::size_t full = resident_bytes();
  // Those that stay keep the heap from shrinking by itself.
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 64 != 63) blocks[i].reset();
  }
  give_heap_back();
  if (is_sanitized) GTEST_SKIP() << "the heap is not the system's";
  EXPECT_LT(resident_bytes() + count * bytes / 2, full);
}

}  // namespace
}  // namespace cordon
