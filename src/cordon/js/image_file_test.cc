#include "cordon/js/image_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/writer.h"

namespace cordon::js {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t most = std::uint64_t{64} << 20;

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
      EXPECT_FALSE(read.error().detail.empty());
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
  EXPECT_THAT(read_image(with_checksum(older), most).error().detail, HasSubstr("format 0"));
  Bytes foreign = sample_file();
  foreign[12] = foreign[12] == 'a' ? 'b' : 'a';
  EXPECT_THAT(read_image(with_checksum(foreign), most).error().detail, HasSubstr("another engine"));
  EXPECT_THAT(read_image(as_bytes("export default 1"), most).error().detail,
              HasSubstr("no image of Cordon's"));
}

TEST(ImageFile, IsRefusedWhereItsMemoryWouldBeTooLarge) {
  const auto read = read_image(sample_file(), memory_page_bytes);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::too_large);
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
