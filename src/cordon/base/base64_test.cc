#include "cordon/base/base64.h"

#include <gtest/gtest.h>

#include "cordon/base/bytes.h"

namespace cordon {
namespace {

TEST(Base64, WritesAndReadsTheVectorsOfTheRfc) {
  const std::pair<const char*, const char*> vectors[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [plain, coded] : vectors) {
    EXPECT_EQ(to_base64(as_bytes(plain)), coded);
    const auto bytes = from_base64(coded);
    ASSERT_TRUE(bytes.has_value());
    EXPECT_EQ(as_text(*bytes), plain);
  }
}

TEST(Base64, PaddingMayBeLeftOut) {
  EXPECT_EQ(from_base64("Zg"), from_base64("Zg=="));
  EXPECT_TRUE(from_base64("Zg").has_value());
}

TEST(Base64, RefusesWhatItIsNot) {
  for (const char* text : {"Z", "Zg=", "Zg===", "Z===", "====", "Zm9v!", "Zm 9", "Zh==", "=Zg="}) {
    EXPECT_FALSE(from_base64(text).has_value()) << text;
  }
}

TEST(Base64Url, HasLettersOfItsOwnAndNoPadding) {
  const Bytes bytes = {0xfb, 0xef, 0xff};
  EXPECT_EQ(to_base64url(bytes), "--__");
  EXPECT_EQ(from_base64url("--__"), bytes);
  EXPECT_EQ(to_base64url(Bytes{0}), "AA");
  EXPECT_EQ(from_base64url("AA"), Bytes{0});
  EXPECT_EQ(from_base64url(""), Bytes());
}

TEST(Base64Url, HasOneTextForEachSequenceOfBytes) {
  for (const char* wrong : {"++//", "A", "AA==", "AA=", "AB", "AAB", "A A", "AA\n", "AAAAA", "a.b"})
    EXPECT_EQ(from_base64url(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace cordon
