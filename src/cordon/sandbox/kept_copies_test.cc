#include "cordon/sandbox/kept_copies.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace cordon::sandbox {
namespace {

constexpr std::uint64_t present = std::uint64_t{1} << 63;
constexpr std::uint64_t swapped = std::uint64_t{1} << 62;
constexpr std::uint64_t of_file = std::uint64_t{1} << 61;

TEST(KeptCopies, TakesAPageForCopiedWhereverItIs) {
  EXPECT_TRUE(is_copied(present));
  EXPECT_TRUE(is_copied(swapped)) << "in swap, or on its way between two places in memory";
  EXPECT_FALSE(is_copied(present | of_file)) << "only read";
  EXPECT_FALSE(is_copied(swapped | of_file)) << "the file's own page, on its way";
  EXPECT_FALSE(is_copied(0)) << "never touched, or only read and forgotten since";
  // The other bits say where it is, and that it was written to lately.
  constexpr std::uint64_t others = of_file - 1;
  EXPECT_TRUE(is_copied(swapped | others));
  EXPECT_FALSE(is_copied(others));
}

TEST(KeptCopies, MakesACopyWhatItWas) {
  const Bytes content(16 * 4096, 0xAB);
  const MemoryFile file = *MemoryFile::create(content);
  void* const mapped =
      mmap(nullptr, content.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE, file.descriptor(), 0);
  ASSERT_NE(mapped, MAP_FAILED);
  const std::span<std::uint8_t> room(static_cast<std::uint8_t*>(mapped), content.size());
  room[0] = room[5 * 4096 + 17] = room.back() = 1;
  const KeptCopies copies;
  copies.renew(room, file);
  EXPECT_TRUE(std::ranges::equal(room, content));
  munmap(mapped, content.size());
}

TEST(KeptCopies, GivesEachBackOnce) {
  KeptCopies copies;
  std::uint8_t slot = 0;
  EXPECT_FALSE(copies.take(&slot));
  copies.keep(&slot, {.file = 1, .room = {}});
  copies.keep(&slot, {.file = 2, .room = {}});
  EXPECT_EQ(copies.take(&slot)->file, 2u);
  EXPECT_FALSE(copies.take(&slot));
}

}  // namespace
}  // namespace cordon::sandbox
