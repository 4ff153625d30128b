#include "cordon/protocol/duplex/frame_reader.h"

#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/bytes.h"

namespace cordon::duplex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

std::vector<std::string> payloads(FrameReader& reader) {
  std::vector<std::string> all;
  while (true) {
    const auto next = reader.next();
    EXPECT_TRUE(next.has_value()) << next.error().message;
    if (!next || !*next) return all;
    all.emplace_back(as_text(**next));
  }
}

TEST(DuplexFrameReader, ReadsTheLengthAsBigEndian) {
  FrameReader reader(1000);
  reader.feed(as_bytes("\x01\0\0\x01\x02"s + std::string(258, 'x')));
  EXPECT_THAT(payloads(reader), ElementsAre(std::string(258, 'x')));
}

TEST(DuplexFrameReader, GivesTheSameFramesWhereverTheBytesAreCut) {
  const std::string wire =
      "\x01\0\0\0\x02"
      "ab"
      "\x01\0\0\0\0"
      "\x01\0\0\0\x01"
      "c"s;
  for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
    SCOPED_TRACE(cut);
    FrameReader reader(1000);
    reader.feed(as_bytes(std::string_view(wire).substr(0, cut)));
    std::vector<std::string> all = payloads(reader);
    reader.feed(as_bytes(std::string_view(wire).substr(cut)));
    for (std::string& payload : payloads(reader)) all.push_back(std::move(payload));
    EXPECT_THAT(all, ElementsAre("ab", "", "c"));
    EXPECT_EQ(reader.pending_bytes(), 0u);
  }
}

TEST(DuplexFrameReader, JudgesTheVersionByItsOwnByte) {
  FrameReader reader(1000);
  reader.feed(as_bytes("\x02"));
  const auto next = reader.next();
  ASSERT_FALSE(next.has_value());
  EXPECT_EQ(next.error().code, ErrorCode::bad_version);
}

TEST(DuplexFrameReader, ShowsWhatAPluginPrinted) {
  FrameReader reader(1000);
  reader.feed(as_bytes("Hello from the plugin, which prints\n"));
  const auto next = reader.next();
  ASSERT_FALSE(next.has_value());
  EXPECT_THAT(next.error().message, HasSubstr("0x48 'Hello from the plugin, w...'"));
}

TEST(DuplexFrameReader, RefusesALengthPastItsLimitBeforeThePayload) {
  FrameReader reader(1000);
  reader.feed(as_bytes("\x01\0\0\x03\xe8"s));
  EXPECT_TRUE(reader.next().has_value());
  FrameReader second(999);
  second.feed(as_bytes("\x01\0\0\x03\xe8"s));
  const auto next = second.next();
  ASSERT_FALSE(next.has_value());
  EXPECT_EQ(next.error().code, ErrorCode::too_large);
}

TEST(DuplexFrameReader, TakesNoMemoryForALengthThatWasOnlyAnnounced) {
  FrameReader reader(std::size_t{64} << 20);
  reader.feed(as_bytes("\x01\x03\xff\xff\xff"s));
  EXPECT_FALSE(*reader.next());
  EXPECT_LT(reader.space(1).size(), 10'000u);
}

TEST(DuplexFrameReader, AFrameInManySmallPiecesIsCopiedALimitedNumberOfTimes) {
  constexpr std::size_t size = std::size_t{8} << 20;
  FrameReader reader(size);
  reader.feed(as_bytes("\x01\0\x80\0\0"s));
  for (std::size_t done = 0; done < size;) {
    const std::span<std::uint8_t> space = reader.space(1);
    const std::size_t piece = std::min({space.size(), std::size_t{1000}, size - done});
    std::memset(space.data(), 'x', piece);
    reader.advance(piece);
    done += piece;
    if (done < size) {
      EXPECT_FALSE(*reader.next());
    }
  }
  const auto next = reader.next();
  ASSERT_TRUE(next && *next);
  EXPECT_EQ((*next)->size(), size);
}

TEST(FrameReader, GivesBackWhatALargeFrameTook) {
  constexpr std::size_t large = std::size_t{8} << 20;
  FrameReader reader(large);
  const auto read_frame = [&](std::size_t size) {
    Bytes frame = {1, static_cast<std::uint8_t>(size >> 24), static_cast<std::uint8_t>(size >> 16),
                   static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size)};
    frame.resize(frame.size() + size);
    reader.feed(frame);
    const auto payload = reader.next();
    ASSERT_TRUE(payload && *payload);
    EXPECT_EQ((*payload)->size(), size);
  };
  read_frame(large);
  EXPECT_GE(reader.room_bytes(), large);
  read_frame(10);
  EXPECT_GE(reader.room_bytes(), large) << "others as large may follow";
  read_frame(10);
  EXPECT_LE(reader.room_bytes(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace cordon::duplex
