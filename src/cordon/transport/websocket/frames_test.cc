#include "cordon/transport/websocket/frames.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/transport/websocket/testing/client_frames.h"

namespace cordon::transport::websocket {
namespace {

using testing::bytes_of;
using testing::client_frame;
using testing::Frame;
using ::testing::HasSubstr;

// What a reader sees in these bytes, a line for each event, with the parts of a message joined.
std::string seen(const std::vector<std::string>& pieces,
                 std::uint64_t limit = FrameReader::unlimited) {
  FrameReader reader(limit);
  std::string text;
  std::string message;
  for (std::string piece : pieces) {
    std::span<std::uint8_t> input(reinterpret_cast<std::uint8_t*>(piece.data()), piece.size());
    for (;;) {
      const FrameReader::Event event = reader.next(input);
      if (std::holds_alternative<FrameReader::NeedsMore>(event)) {
        EXPECT_TRUE(input.empty());
        break;
      }
      if (const auto* const data = std::get_if<FrameReader::Data>(&event)) {
        message.append(data->bytes.begin(), data->bytes.end());
        if (data->ends_message) text += "message " + std::exchange(message, {}) + "\n";
      } else if (const auto* const ping = std::get_if<FrameReader::Ping>(&event)) {
        text += "ping " + std::string(ping->payload.begin(), ping->payload.end()) + "\n";
      } else if (std::holds_alternative<FrameReader::Pong>(event)) {
        text += "pong\n";
      } else if (const auto* const close = std::get_if<FrameReader::Close>(&event)) {
        return text + "close " + std::to_string(static_cast<unsigned>(close->code)) + "\n";
      } else if (const auto* const wrong = std::get_if<FrameReader::Fault>(&event)) {
        return text + std::to_string(static_cast<unsigned>(wrong->code)) + " " +
               std::string(wrong->why) + "\n";
      }
    }
  }
  return text;
}
std::string seen(const std::string& bytes, std::uint64_t limit = FrameReader::unlimited) {
  return seen(std::vector{bytes}, limit);
}

std::string code_bytes(unsigned code) {
  return {static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
}

TEST(WebSocketFrames, GiveMessagesWithoutTheirMasks) {
  // RFC 6455, 5.7.
  EXPECT_EQ(seen("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"), "message Hello\n");
  EXPECT_EQ(seen(client_frame({.payload = "one"}) + client_frame({.payload = ""}) +
                 client_frame({.opcode = Opcode::binary, .payload = "\xff\xfe"})),
            "message one\nmessage \nmessage \xff\xfe\n");
}

TEST(WebSocketFrames, HaveLengthsOfThreeSizes) {
  for (const std::size_t size : {0u, 1u, 125u, 126u, 65'535u, 65'536u, 100'000u}) {
    const std::string payload(size, 'x');
    EXPECT_EQ(seen(client_frame({.payload = payload})), "message " + payload + "\n") << size;
  }
}

TEST(WebSocketFrames, MakeUpAMessageInPartsWithControlFramesBetween) {
  const std::string bytes =
      client_frame({.payload = "Hel", .is_final = false}) +
      client_frame({.opcode = Opcode::ping, .payload = "there?"}) +
      client_frame({.opcode = Opcode::continuation, .payload = "", .is_final = false}) +
      client_frame({.opcode = Opcode::pong, .payload = "x"}) +
      client_frame({.opcode = Opcode::continuation, .payload = "lo"});
  EXPECT_EQ(seen(bytes), "ping there?\npong\nmessage Hello\n");
}

TEST(WebSocketFrames, AreTheSameWhereverTheyAreCut) {
  const std::string bytes =
      client_frame({.payload = "\u00e4\u20ac\U0001f600", .is_final = false}) +
      client_frame({.opcode = Opcode::ping, .payload = "there?"}) +
      client_frame({.opcode = Opcode::continuation, .payload = std::string(200, 'y')}) +
      client_frame({.opcode = Opcode::binary, .payload = "b"}) +
      client_frame({.opcode = Opcode::close, .payload = code_bytes(1001) + "bye"});
  const std::string expected = seen(bytes);
  EXPECT_THAT(expected, HasSubstr("close 1001"));
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    EXPECT_EQ(seen({bytes.substr(0, cut), bytes.substr(cut)}), expected) << cut;
  }
  std::vector<std::string> single;
  for (const char byte : bytes) single.emplace_back(1, byte);
  EXPECT_EQ(seen(single), expected);
}

TEST(WebSocketFrames, HaveMasksWhereAClientSendsThem) {
  EXPECT_THAT(seen(client_frame({.payload = "x", .is_masked = false})), HasSubstr("1002 a client"));
  EXPECT_THAT(seen(client_frame({.opcode = Opcode::close, .is_masked = false})),
              HasSubstr("1002 a client"));
}

TEST(WebSocketFrames, HaveNoReservedBitsAndOpcodes) {
  for (const unsigned bit : {0x40u, 0x20u, 0x10u})
    EXPECT_THAT(seen(client_frame({.payload = "x", .reserved = bit})),
                HasSubstr("1002 a reserved bit"));
  for (const int opcode : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15}) {
    EXPECT_THAT(seen(client_frame({.opcode = static_cast<Opcode>(opcode)})),
                HasSubstr("1002 unknown opcode"));
  }
}

TEST(WebSocketFrames, OfControlAreShortAndWhole) {
  const std::string longest(125, 'p');
  EXPECT_EQ(seen(client_frame({.opcode = Opcode::ping, .payload = longest})),
            "ping " + longest + "\n");
  EXPECT_THAT(seen(client_frame({.opcode = Opcode::ping, .payload = longest + "p"})),
              HasSubstr("1002 a control frame that is too long"));
  for (const Opcode opcode : {Opcode::ping, Opcode::pong, Opcode::close}) {
    EXPECT_THAT(seen(client_frame({.opcode = opcode, .is_final = false})),
                HasSubstr("1002 a control frame in parts"));
  }
}

TEST(WebSocketFrames, OfAMessageFollowOneAnother) {
  EXPECT_THAT(seen(client_frame({.opcode = Opcode::continuation, .payload = "x"})),
              HasSubstr("1002 a continuation of nothing"));
  EXPECT_THAT(seen(client_frame({.payload = "x"}) +
                   client_frame({.opcode = Opcode::continuation, .payload = "x"})),
              HasSubstr("1002 a continuation of nothing"));
  EXPECT_THAT(
      seen(client_frame({.payload = "x", .is_final = false}) + client_frame({.payload = "x"})),
      HasSubstr("1002 a message inside of a message"));
}

TEST(WebSocketFrames, HaveLengthsInAsFewBytesAsCanBe) {
  EXPECT_THAT(seen(bytes_of({0x81, 0xfe, 0, 125, 1, 2, 3, 4})), HasSubstr("1002 a length in more"));
  EXPECT_THAT(seen(bytes_of({0x81, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 1, 2, 3, 4})),
              HasSubstr("1002 a length in more"));
  EXPECT_THAT(seen(bytes_of({0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4})),
              HasSubstr("1002 a length past"));
}

TEST(WebSocketFrames, OfTextAreUtf8) {
  const auto text = [](std::string_view payload) {
    return seen(client_frame({.payload = std::string(payload)}));
  };
  EXPECT_EQ(text("\u00e4\u20ac\U0010ffff"), "message \u00e4\u20ac\U0010ffff\n");
  for (const char* const wrong :
       {"\xff", "\x80", "\xc0\x80", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xf0\x9f\x98", "\xe0\x80\x80", "a\xf8\x88\x80\x80\x80"}) {
    EXPECT_THAT(text(wrong), HasSubstr("1007 a text")) << ::testing::PrintToString(wrong);
  }
  // A character may be cut by frames, but not by messages.
  EXPECT_EQ(seen(client_frame({.payload = "\xf0\x9f", .is_final = false}) +
                 client_frame({.opcode = Opcode::continuation, .payload = "\x98\x80"})),
            "message \U0001f600\n");
  EXPECT_THAT(seen(client_frame({.payload = "\xf0\x9f", .is_final = false}) +
                   client_frame({.opcode = Opcode::continuation})),
              HasSubstr("1007"));
  // It is seen at the first byte that is wrong, however long the message is to be.
  EXPECT_THAT(seen(client_frame({.payload = "a\xed\xa0", .is_final = false})), HasSubstr("1007"));
}

TEST(WebSocketFrames, OfAMessageThatIsTooLongAreRefusedByTheirHeads) {
  const std::string first = client_frame({.payload = "123456", .is_final = false});
  const std::string rest = client_frame({.opcode = Opcode::continuation, .payload = "7890"});
  EXPECT_EQ(seen(first + rest, 10), "message 1234567890\n");
  EXPECT_THAT(seen(first + rest.substr(0, 6), 9), HasSubstr("1009"));
  EXPECT_EQ(seen(first + rest + first + rest, 10), "message 1234567890\nmessage 1234567890\n");
  EXPECT_EQ(seen(client_frame({.opcode = Opcode::ping, .payload = "not counted"}), 3),
            "ping not counted\n");
}

TEST(WebSocketFrames, OfTheEndHaveACodeThatMayBeSent) {
  const auto close = [](const std::string& payload) {
    return seen(client_frame({.opcode = Opcode::close, .payload = payload}) +
                client_frame({.payload = "nothing follows"}));
  };
  EXPECT_EQ(close(""), "close 1005\n");
  for (const unsigned code : {1000u, 1001u, 1003u, 1007u, 1014u, 3000u, 4999u})
    EXPECT_EQ(close(code_bytes(code) + "why"), "close " + std::to_string(code) + "\n");
  for (const unsigned code : {0u, 999u, 1004u, 1005u, 1006u, 1015u, 2999u, 5000u, 65'535u})
    EXPECT_THAT(close(code_bytes(code)), HasSubstr("1002 a bad close code")) << code;
  EXPECT_THAT(close("\x03"), HasSubstr("1002 half"));
  EXPECT_THAT(close(code_bytes(1000) + "\xff"), HasSubstr("1007 a reason"));
}

TEST(WebSocketFrames, OfAServerHaveNoMask) {
  const auto head = [](Opcode opcode, bool is_final, std::uint64_t size) {
    const FrameHead made = frame_head(opcode, is_final, size);
    return std::string(made.bytes.begin(),
                       made.bytes.begin() + static_cast<std::ptrdiff_t>(made.size));
  };
  EXPECT_EQ(head(Opcode::text, true, 5), bytes_of({0x81, 5}));
  EXPECT_EQ(head(Opcode::text, false, 125), bytes_of({0x01, 125}));
  EXPECT_EQ(head(Opcode::continuation, true, 126), bytes_of({0x80, 126, 0, 126}));
  EXPECT_EQ(head(Opcode::text, true, 65'535), bytes_of({0x81, 126, 0xff, 0xff}));
  EXPECT_EQ(head(Opcode::text, true, 65'536), bytes_of({0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(control_frame(Opcode::pong, "hi"), bytes_of({0x8a, 2, 'h', 'i'}));
  EXPECT_EQ(control_frame(Opcode::pong, std::string(200, 'x')).size(), 2u + 125u);
  EXPECT_EQ(close_frame(CloseCode::none, ""), bytes_of({0x88, 0}));
  EXPECT_EQ(close_frame(CloseCode::too_big, "no"), bytes_of({0x88, 4, 0x03, 0xf1, 'n', 'o'}));
}

}  // namespace
}  // namespace cordon::transport::websocket
