#include "cordon/base/reader.h"

#include <limits>

#include <gtest/gtest.h>

#include "cordon/base/writer.h"

namespace cordon {
namespace {

TEST(Reader, ReadsWhatWriterWrote) {
  Bytes wire;
  Writer out(wire);
  out.u8(7);
  out.u16(0x1234);
  out.u32(0xdeadbeef);
  out.u64(0x0123456789abcdef);
  out.f64(-0.5);
  out.sized_text("hello");
  out.sized_bytes({});

  Reader in(wire);
  EXPECT_EQ(*in.u8(), 7);
  EXPECT_EQ(*in.u16(), 0x1234);
  EXPECT_EQ(*in.u32(), 0xdeadbeef);
  EXPECT_EQ(*in.u64(), 0x0123456789abcdefu);
  EXPECT_EQ(*in.f64(), -0.5);
  EXPECT_EQ(*in.sized_text(), "hello");
  EXPECT_TRUE(in.sized_bytes()->empty());
  EXPECT_TRUE(in.end().has_value());
}

TEST(Reader, NumbersAreLittleEndian) {
  std::string wire;
  TextWriter(wire).u32(0x01020304);
  EXPECT_EQ(wire, "\x04\x03\x02\x01");
}

TEST(Reader, VarintsOfEveryLengthComeBack) {
  for (unsigned shift = 0; shift < 64; ++shift) {
    for (const std::uint64_t number : {1ull << shift, (1ull << shift) - 1, ~0ull >> shift}) {
      Bytes wire;
      Writer(wire).varint(number);
      Reader in(wire);
      EXPECT_EQ(*in.varint(), number);
      EXPECT_TRUE(in.at_end());
    }
  }
}

TEST(Reader, RefusesAVarintPast64Bits) {
  Bytes wire(9, 0xff);
  wire.push_back(0x02);
  Reader in(wire);
  EXPECT_EQ(in.varint().error().code, ErrorCode::malformed);
  EXPECT_EQ(in.position(), 0u);

  const Bytes endless(100, 0x80);
  EXPECT_EQ(Reader(endless).varint().error().code, ErrorCode::malformed);
}

TEST(Reader, RefusesACountThatItsInputCannotHold) {
  Bytes wire;
  Writer(wire).varint(std::numeric_limits<std::uint64_t>::max());
  wire.resize(wire.size() + 100);
  Reader in(wire);
  EXPECT_EQ(in.count().error().code, ErrorCode::truncated);
  EXPECT_EQ(in.position(), 0u);
  EXPECT_EQ(in.sized_bytes().error().code, ErrorCode::truncated);

  Bytes pairs;
  Writer(pairs).varint(3);
  pairs.resize(pairs.size() + 5);
  EXPECT_FALSE(Reader(pairs).count(2).has_value());
  pairs.push_back(0);
  EXPECT_EQ(*Reader(pairs).count(2), 3u);
}

TEST(Reader, FailsAtEveryCutWithoutMoving) {
  const Bytes wire(8, 0);
  for (std::size_t cut = 0; cut < wire.size(); ++cut) {
    Reader in(BytesView(wire).first(cut));
    EXPECT_EQ(in.u64().error().code, ErrorCode::truncated);
    EXPECT_EQ(in.position(), 0u);
  }
  EXPECT_EQ(Reader(wire).bytes(9).error().code, ErrorCode::truncated);
}

TEST(Reader, EndRefusesWhatIsLeft) {
  const Bytes wire(1, 0);
  EXPECT_FALSE(Reader(wire).end().has_value());
}

}  // namespace
}  // namespace cordon
