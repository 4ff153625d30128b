#include "cordon/js/loose_ends.h"

#include <string>

#include "guest/abi.h"
#include <gtest/gtest.h>

#include "cordon/base/writer.h"

namespace cordon::js {
namespace {

class Message {
 public:
  Message& byte(std::uint8_t value) { return Writer(bytes_).u8(value), *this; }
  Message& number(std::uint32_t value) { return Writer(bytes_).u32(value), *this; }
  Message& text(std::string_view text) {
    number(static_cast<std::uint32_t>(text.size()));
    Writer(bytes_).text(text);
    return *this;
  }
  Message& call(std::uint32_t tool, std::string_view name, std::uint32_t count,
                std::string_view place) {
    return number(tool).text(name).number(count).text(place);
  }
  Result<LooseEnds> read() const {
    Reader in(bytes_);
    return read_loose_ends(in);
  }

 private:
  Bytes bytes_;
};

TEST(LooseEnds, AreReadWithTheirPlaces) {
  const Result<LooseEnds> ends = Message()
                                     .byte(NO_RESULT_VARIABLE)
                                     .text("total")
                                     .number(1)
                                     .call(3, "send", 2, "    at m.js:4:5\n")
                                     .number(1)
                                     .call(2, "", 7, "")
                                     .number(1)
                                     .call(1, "", 1, "")
                                     .read();
  ASSERT_TRUE(ends.has_value()) << ends.error().message;
  EXPECT_EQ(ends->no_result, NoResult::variable);
  EXPECT_EQ(ends->result_name, "total");
  ASSERT_EQ(ends->unawaited.size(), 1u);
  EXPECT_EQ(ends->unawaited[0].tool, 3u);
  EXPECT_EQ(ends->unawaited[0].name, "send");
  EXPECT_EQ(ends->unawaited[0].count, 2u);
  ASSERT_TRUE(ends->unawaited[0].first.has_value());
  EXPECT_EQ(ends->unawaited[0].first->line, 4u);
  ASSERT_EQ(ends->left.size(), 1u);
  EXPECT_EQ(ends->left[0].count, 7u);
  ASSERT_EQ(ends->extra_arguments.size(), 1u);
  EXPECT_FALSE(ends->extra_arguments[0].first.has_value());
}

TEST(LooseEnds, AreRefusedWhereOurGuestWouldNotWriteThem) {
  const auto ends = [] { return Message().byte(NO_RESULT_AS_MEANT).text(""); };
  EXPECT_TRUE(ends().number(0).number(0).number(0).read().has_value());
  EXPECT_FALSE(Message().byte(NO_RESULT_BLOCK + 1).text("").number(0).number(0).read());
  EXPECT_FALSE(ends().number(0).number(0).read()) << "cut off";
  EXPECT_FALSE(ends().number(0).number(0).number(0).byte(0).read()) << "more than there should be";
  EXPECT_FALSE(ends().number(MOST_LOOSE_CALLS + 1).read());
  EXPECT_FALSE(ends().number(0xFFFFFFFF).read());
  EXPECT_FALSE(Message()
                   .byte(NO_RESULT_VARIABLE)
                   .text(std::string(5000, 'x'))
                   .number(0)
                   .number(0)
                   .number(0)
                   .read());
  EXPECT_FALSE(ends().number(1).call(0, std::string(5000, 'x'), 1, "").number(0).number(0).read());
}

TEST(LooseEnds, KeepNamesOfAnyLetters) {
  const Result<LooseEnds> ends = Message()
                                     .byte(NO_RESULT_VARIABLE)
                                     .text("\xED\xA0\x80\xFF")
                                     .number(0)
                                     .number(0)
                                     .number(0)
                                     .read();
  EXPECT_TRUE(ends.has_value());
}

}  // namespace
}  // namespace cordon::js
