#include "cordon/transport/http/body_decoder.h"

#include <string>

#include <gtest/gtest.h>

namespace cordon::transport::http {
namespace {

struct Decoded {
  std::string body;
  std::string rest;
  bool is_done = false;
  bool has_failed = false;

  friend bool operator==(const Decoded&, const Decoded&) = default;
};

// In pieces of `step` bytes.
Decoded decode(const Framing& framing, std::string_view text, std::size_t step = 1'000'000) {
  BodyDecoder decoder(framing, {.bytes = 64, .count = 2});
  Decoded result;
  while (!text.empty() && !decoder.is_done()) {
    std::string piece(text.substr(0, step));
    const std::span<std::uint8_t> bytes(reinterpret_cast<std::uint8_t*>(piece.data()),
                                        piece.size());
    const Result<BodyDecoder::Step> got = decoder.decode(bytes);
    if (!got) {
      EXPECT_EQ(got.error().code, ErrorCode::malformed);
      result.has_failed = true;
      return result;
    }
    result.body += piece.substr(got->offset, got->size);
    EXPECT_TRUE(got->used == piece.size() || decoder.is_done());
    text.remove_prefix(got->used);
  }
  result.is_done = decoder.is_done();
  result.rest = text;
  return result;
}
const Framing chunked{.is_chunked = true};

TEST(BodyDecoder, TakesAsManyBytesAsTheHeadSays) {
  const Framing framing{.length = 5};
  const Decoded expected{.body = "12345", .rest = "GET", .is_done = true};
  for (const std::size_t step : {1u, 2u, 3u, 100u})
    EXPECT_EQ(decode(framing, "12345GET", step), expected);
  EXPECT_FALSE(decode(framing, "1234").is_done);
  EXPECT_TRUE(BodyDecoder(Framing{}, {}).is_done());
}

TEST(BodyDecoder, JoinsChunksWhereverTheyAreCut) {
  const std::string text =
      "5\r\nhello\r\n1;a=b;c=\"d\"\r\n,\r\n0C\r\n and goodbye\r\n0\r\nTrailer: x\r\n\r\nGET";
  const Decoded expected{.body = "hello, and goodbye", .rest = "GET", .is_done = true};
  for (std::size_t step = 1; step <= text.size(); ++step) {
    SCOPED_TRACE(step);
    EXPECT_EQ(decode(chunked, text, step), expected);
  }
}

TEST(BodyDecoder, RefusesWhatAreNoChunks) {
  for (const char* const text : {"\r\n",
                                 "x\r\n",
                                 "-1\r\n",
                                 "+1\r\n",
                                 "0x1\r\n",
                                 " 1\r\n",
                                 "1 \r\n",
                                 "1\n",
                                 "1\r\nab",
                                 "1\r\na\n",
                                 "1\r\na\rb",
                                 "1\r\r\n",
                                 "1;a\n",
                                 "1;a\x01\r\n",
                                 "1 ;a\r\n",
                                 "1000000000000000\r\n",
                                 "0000000000000001\r\n",
                                 "0\r\na\r\n\r\n",
                                 "0\r\n a: b\r\n\r\n",
                                 "0\r\na : b\r\n\r\n",
                                 "0\r\na: b\n\r\n",
                                 "0\r\na: b\r\n\n",
                                 "0\r\n\n",
                                 "0\n\n",
                                 "0\r\na: b\r\nc: d\r\ne: f\r\n\r\n",
                                 "1_0\r\n",
                                 "g\r\n"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(decode(chunked, text).has_failed);
    EXPECT_TRUE(decode(chunked, text, 1).has_failed);
  }
}

TEST(BodyDecoder, KeepsItsLimits) {
  EXPECT_TRUE(decode(chunked, "0\r\na: " + std::string(70, 'x') + "\r\n\r\n").has_failed);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "1;" + std::string(20, 'x') + "\r\na\r\n";
  EXPECT_TRUE(decode(chunked, text).has_failed);
  EXPECT_FALSE(decode(chunked, text.substr(0, 10'000)).has_failed);
}

TEST(BodyDecoder, LetsPlainBytesBeReadElsewhere) {
  BodyDecoder decoder(chunked, {});
  std::string text = "a\r\n123";
  ASSERT_TRUE(decoder.decode({reinterpret_cast<std::uint8_t*>(text.data()), text.size()}));
  EXPECT_EQ(decoder.plain_left(), 7u);
  decoder.skip_plain(7);
  EXPECT_EQ(decoder.plain_left(), 0u);
  text = "\r\n0\r\n\r\n";
  ASSERT_TRUE(decoder.decode({reinterpret_cast<std::uint8_t*>(text.data()), text.size()}));
  EXPECT_TRUE(decoder.is_done());
}

}  // namespace
}  // namespace cordon::transport::http
