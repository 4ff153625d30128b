#include "cordon/base/utf8.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cordon {
namespace {

// The reference: JavaScript's own model, UTF-16 units, written as WTF-8 one code point at a time.
std::string wtf8_of(const std::u16string& units) {
  std::string text;
  for (std::size_t i = 0; i < units.size(); ++i) {
    char32_t code_point = units[i];
    if (code_point >= 0xd800 && code_point < 0xdc00 && i + 1 < units.size() &&
        units[i + 1] >= 0xdc00 && units[i + 1] < 0xe000) {
      code_point = 0x10000 + ((code_point - 0xd800) << 10) + (units[++i] - 0xdc00u);
    }
    char bytes[4];
    text.append(bytes, write_code_point(bytes, code_point));
  }
  return text;
}

rc::Gen<std::u16string> units() {
  const auto unit = rc::gen::oneOf(
      rc::gen::inRange<char16_t>(0x20, 0x7f), rc::gen::inRange<char16_t>(0xd800, 0xdc00),
      rc::gen::inRange<char16_t>(0xdc00, 0xe000), rc::gen::arbitrary<char16_t>());
  return rc::gen::container<std::u16string>(unit);
}

TEST(Utf8, AcceptsTheFirstAndLastOfEachLength) {
  for (const char* text :
       {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(text));
    EXPECT_TRUE(is_wtf8(text));
  }
}

TEST(Utf8, RefusesOverlongFormsBadLeadsAndCutSequencesAtAnyPlace) {
  for (const char* bad :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xe1\x80",
        "\xe1\x80\x41", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80", "\xf0\x90\x80\x41", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff"}) {
    for (std::size_t before = 0; before < 40; ++before) {
      const std::string text = std::string(before, 'x') + bad + std::string(before / 2, 'y');
      EXPECT_EQ(valid_utf8_prefix(text), before);
      EXPECT_EQ(valid_wtf8_prefix(text), before);
    }
  }
}

TEST(Wtf8, AllowsLoneSurrogatesButNoPairOfThem) {
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));
  EXPECT_TRUE(is_wtf8("\xed\xa0\x80"));                           // high
  EXPECT_TRUE(is_wtf8("\xed\xbf\xbf"));                           // low
  EXPECT_TRUE(is_wtf8("\xed\xb0\x80\xed\xa0\x80"));               // low, high
  EXPECT_TRUE(is_wtf8("\xed\xa0\x80\xed\xa0\x80x\xed\xb0\x80"));  // none adjacent
  EXPECT_FALSE(is_wtf8("\xed\xa0\x80\xed\xb0\x80"));
  EXPECT_EQ(valid_wtf8_prefix("ab\xed\xa0\x80\xed\xb0\x80"), 2u);
}

TEST(Utf8, ReplacesAsTextDecoderDoes) {
  EXPECT_EQ(to_utf8_lossy("a\xff\xc2z"), "a\xef\xbf\xbd\xef\xbf\xbdz");
  EXPECT_EQ(to_utf8_lossy("\xe1\x80z"), "\xef\xbf\xbdz");
  EXPECT_EQ(to_utf8_lossy("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(to_wtf8_lossy("\xed\xa0\x80"), "\xed\xa0\x80");
  EXPECT_EQ(to_utf8_lossy("\xf0\x90\x80"), "\xef\xbf\xbd");
}

TEST(Wtf8, CutsLikeSlice) {
  EXPECT_EQ(first_utf16_units("aé€x", 3), "aé€");
  EXPECT_EQ(first_utf16_units("\xf0\x9f\x98\x80x", 2), "\xf0\x9f\x98\x80");
  EXPECT_EQ(first_utf16_units("\xf0\x9f\x98\x80x", 1), "\xed\xa0\xbd");
  EXPECT_EQ(first_utf16_units("abc", 0), "");
}

RC_GTEST_PROP(Wtf8, HoldsEveryUtf16Text, ()) {
  const std::u16string text = *units();
  const std::string wtf8 = wtf8_of(text);
  RC_ASSERT(is_wtf8(wtf8));
  RC_ASSERT(utf16_length(wtf8) == text.size());
  RC_ASSERT(to_wtf8_lossy(wtf8) == wtf8);
}

RC_GTEST_PROP(Wtf8, CutAndAppendedIsTheSameText, ()) {
  const std::u16string text = *units();
  const std::size_t cut = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  std::string front = first_utf16_units(wtf8_of(text), cut);
  RC_ASSERT(front == wtf8_of(text.substr(0, cut)));
  append_wtf8(front, wtf8_of(text.substr(cut)));
  RC_ASSERT(front == wtf8_of(text));
}

RC_GTEST_PROP(Utf8, AnyBytesBecomeWellFormed, (const std::string& bytes)) {
  RC_ASSERT(is_utf8(to_utf8_lossy(bytes)));
  // Replacing keeps what is valid, and WTF-8 keeps more of it.
  RC_ASSERT(!is_utf8(bytes) || to_utf8_lossy(bytes) == bytes);
  RC_ASSERT(is_wtf8(to_wtf8_lossy(bytes)));
}

TEST(CutBefore, KeepsWholeCharacters) {
  EXPECT_EQ(cut_before("abc", 5), "abc");
  EXPECT_EQ(cut_before("abc", 2), "ab");
  EXPECT_EQ(cut_before("aé", 2), "a");
  EXPECT_EQ(cut_before("a€b", 4), "a€");
  EXPECT_EQ(cut_before("€", 0), "");
}

}  // namespace
}  // namespace cordon
