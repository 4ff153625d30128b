#include "cordon/transport/http/http2_frame_cutter.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/transport/http/testing/http2_peer.h"

namespace cordon::transport::http {
namespace {

using http::testing::Http2Peer;
using http::testing::to_bytes;

// What is found in `wire`, which comes in pieces of this size.
std::vector<std::string> heads_of(std::string_view wire, std::size_t piece_bytes) {
  Http2FrameCutter cutter;
  std::vector<std::string> heads;
  std::size_t seen = 0;
  for (std::size_t at = 0; at < wire.size(); at += piece_bytes) {
    const std::string_view part = wire.substr(at, piece_bytes);
    BytesView left(reinterpret_cast<const std::uint8_t*>(part.data()), part.size());
    while (!left.empty()) {
      const Http2FrameCutter::Piece piece = cutter.next(left);
      EXPECT_FALSE(piece.bytes.empty());
      EXPECT_EQ(static_cast<const void*>(piece.bytes.data()), wire.data() + seen);
      seen += piece.bytes.size();
      if (!piece.head) continue;
      heads.push_back(std::to_string(piece.head->type) + " " + std::to_string(piece.head->flags) +
                      " " + std::to_string(piece.head->length));
    }
  }
  EXPECT_EQ(seen, wire.size());
  return heads;
}

TEST(Http2FrameCutter, FindsTheSameFramesWhereverTheBytesAreCut) {
  std::string wire = Http2Peer::preface();
  wire += to_bytes({.type = NGHTTP2_PING, .payload = "12345678"});
  wire += to_bytes({.type = NGHTTP2_DATA, .flags = 1, .stream = 1, .payload = "abc"});
  wire += to_bytes({.type = 0xff, .flags = 0xff, .stream = 1, .payload = std::string(70'000, 'x')});
  wire += to_bytes({.type = NGHTTP2_DATA});
  const std::vector<std::string> expected = {"4 0 0", "6 0 8", "0 1 3", "255 255 70000", "0 0 0"};
  for (const std::size_t piece : {1u, 2u, 3u, 8u, 9u, 10u, 24u, 25u, 100u, 100'000u})
    EXPECT_EQ(heads_of(wire, piece), expected) << piece;
}

}  // namespace
}  // namespace cordon::transport::http
