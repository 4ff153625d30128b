#include "cordon/js/image_file.h"

#include <algorithm>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/writer.h"

namespace cordon::js {
namespace {

using testing::HasSubstr;

constexpr ImageLimits most{.memory_bytes = std::uint64_t{64} << 20, .beside_bytes = 1 << 20};

Image sample() {
  Image image{.memory_pages = 2, .clock = -5};
  Writer out(image.runs);
  out.varint(100);
  out.sized_text("some bytes of a guest");
  out.varint(100'000);
  out.sized_text("and more of them");
  return image;
}

Bytes sample_file() { return *write_image(sample(), as_bytes("beside it")); }

TEST(ImageFile, ComesBackAsItWasWritten) {
  const ImageFile read = *read_image(sample_file(), most);
  EXPECT_EQ(read.image.memory_pages, 2u);
  EXPECT_EQ(read.image.clock, -5);
  EXPECT_EQ(read.image.runs, sample().runs);
  EXPECT_EQ(as_text(read.beside), "beside it");
}

TEST(ImageFile, IsRefusedWithAnyBitChanged) {
  const Bytes file = sample_file();
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes damaged = file;
      damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ (1 << bit));
      const auto read = read_image(damaged, most);
      ASSERT_FALSE(read) << at << "." << bit;
      EXPECT_FALSE(read.error().message.empty());
    }
  }
}

TEST(ImageFile, IsRefusedCutAnywhereOrWithMoreBehindIt) {
  const Bytes file = sample_file();
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(read_image(BytesView(file).first(size), most)) << size;
  Bytes longer = file;
  longer.push_back(0);
  EXPECT_FALSE(read_image(longer, most));
}

// What another Cordon would write: everything in order but one field, and the checksum right.
Bytes with_checksum(Bytes file) {
  file.resize(file.size() - 8);
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const std::uint8_t byte : file) sum = (sum ^ byte) * 0x100000001b3;
  Writer(file).u64(sum);
  return file;
}

TEST(ImageFile, OfAnotherVersionOrEngineSaysSo) {
  Bytes older = sample_file();
  older[8] = 0;
  EXPECT_THAT(read_image(with_checksum(older), most).error().message, HasSubstr("format 0"));
  Bytes foreign = sample_file();
  foreign[13] = foreign[13] == 'a' ? 'b' : 'a';
  EXPECT_THAT(read_image(with_checksum(foreign), most).error().message,
              HasSubstr("another engine"));
  EXPECT_THAT(read_image(as_bytes("export default 1"), most).error().message,
              HasSubstr("no image of Cordon's"));
}

TEST(ImageFile, IsRefusedWhereItsMemoryWouldBeTooLarge) {
  const auto read = read_image(sample_file(), {memory_page_bytes, 1 << 20});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::too_large);
}

constexpr std::size_t sizes_at = 8 + 4 + 1 + 64 + 4 + 8;

// A forged one, that says of its parts what it likes.
Bytes with_sizes(std::uint64_t beside, std::uint64_t runs) {
  Bytes file = sample_file();
  Bytes sizes;
  Writer out(sizes);
  out.u64(beside);
  out.u64(runs);
  std::ranges::copy(sizes, file.begin() + sizes_at + 8);
  return with_checksum(std::move(file));
}

TEST(ImageFile, IsRefusedByTheSizesThatItTellsBeforeItIsUnpacked) {
  const std::size_t beside = std::string_view("beside it").size();
  const std::size_t runs = sample().runs.size();
  EXPECT_TRUE(read_image(with_sizes(beside, runs), most));
  for (const std::uint64_t size : {std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    EXPECT_EQ(read_image(with_sizes(size, runs), most).error().code, ErrorCode::too_large);
    EXPECT_EQ(read_image(with_sizes(beside, size), most).error().code, ErrorCode::too_large);
    EXPECT_EQ(read_beside(with_sizes(size, runs), most).error().code, ErrorCode::too_large);
  }
  EXPECT_EQ(read_image(with_sizes(beside, 2 * memory_page_bytes + 1), most).error().code,
            ErrorCode::too_large)
      << "more than its memory";
  // Within the limits, and a lie.
  EXPECT_EQ(read_image(with_sizes(beside + 1, runs), most).error().code, ErrorCode::malformed);
  EXPECT_EQ(read_image(with_sizes(beside, runs + 1), most).error().code, ErrorCode::malformed);
}

TEST(ImageFile, TellsWhatIsBesideItAlone) {
  EXPECT_EQ(as_text(*read_beside(sample_file(), most)), "beside it");
}

Bytes key(std::uint8_t of) { return Bytes(16, of); }
Bytes sealed_file() { return *write_image(sample(), as_bytes("beside it"), key(1)); }

TEST(ImageFile, IsReadWithTheKeyThatItIsSealedWithAndNoOther) {
  const ImageFile read = *read_image(sealed_file(), most, key(1));
  EXPECT_EQ(read.image.runs, sample().runs);
  EXPECT_EQ(as_text(read.beside), "beside it");
  EXPECT_EQ(as_text(*read_beside(sealed_file(), most, key(1))), "beside it");
  EXPECT_THAT(read_image(sealed_file(), most, key(2)).error().message, HasSubstr("another key"));
  EXPECT_THAT(read_image(sealed_file(), most).error().message, HasSubstr("its key alone"));
  EXPECT_THAT(read_image(sample_file(), most, key(1)).error().message, HasSubstr("has no seal"));
  for (const Bytes& other : {key(2), Bytes{}})
    EXPECT_EQ(read_image(sealed_file(), most, other).error().code, ErrorCode::permission_denied);
}

TEST(ImageFile, SealedIsRefusedWithAnyBitChanged) {
  const Bytes file = sealed_file();
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes changed = file;
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ (1 << bit));
      ASSERT_FALSE(read_image(changed, most, key(1))) << at << "." << bit;
    }
  }
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(read_image(BytesView(file).first(size), most, key(1))) << size;
  // Made into one without a seal, as anybody can.
  Bytes unsealed = file;
  unsealed[12] = 0;
  unsealed.resize(unsealed.size() - 32 + 8);
  EXPECT_TRUE(read_image(with_checksum(unsealed), most));
  EXPECT_FALSE(read_image(with_checksum(unsealed), most, key(1)));
}

TEST(ImageFile, WithRunsOutsideOfItsMemoryIsRefused) {
  Image image = sample();
  image.memory_pages = 1;
  EXPECT_FALSE(read_image(*write_image(image, {}), most));
}

TEST(ImageFile, HasTheHashOfItsEngine) {
  EXPECT_EQ(engine_hash().size(), 64u);
  EXPECT_EQ(engine_hash().find_first_not_of("0123456789abcdef"), std::string_view::npos);
}

}  // namespace
}  // namespace cordon::js
