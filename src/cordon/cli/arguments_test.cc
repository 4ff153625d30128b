#include "cordon/cli/arguments.h"

#include <cstdlib>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/cli/call.h"
#include "cordon/cli/run.h"
#include "cordon/execution.h"
#include "cordon/plugin.h"

namespace cordon::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Positive, IsADecimalIntegerAboveZero) {
  EXPECT_EQ(positive("1").value(), 1u);
  EXPECT_EQ(positive("007").value(), 7u);
  EXPECT_EQ(positive("18446744073709551615").value(), UINT64_MAX);
}

TEST(Positive, IsNothingElse) {
  for (const char* text : {"", "0", "00", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "1_000",
                           "1,000", "abc", "1a", "٣", "--1", "1\n", "Infinity", "NaN"}) {
    const auto number = positive(text);
    ASSERT_FALSE(number.has_value()) << text;
    EXPECT_EQ(number.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(number.error().message, HasSubstr(text));
  }
  EXPECT_FALSE(positive(std::string_view("1\0", 2)).has_value());
  EXPECT_THAT(positive("18446744073709551616").error().message, HasSubstr("too large"));
}

TEST(Milliseconds, AreAYearAtMost) {
  EXPECT_EQ(milliseconds("5000").value(), 5s);
  EXPECT_EQ(milliseconds("31536000000").value(), std::chrono::hours(24 * 365));
  EXPECT_THAT(milliseconds("31536000001").error().message, HasSubstr("year"));
  EXPECT_FALSE(milliseconds("18446744073709551615").has_value());
  EXPECT_FALSE(milliseconds("0").has_value());
  EXPECT_FALSE(milliseconds("5s").has_value());
}

TEST(ByteSize, IsANumberOrHasAUnit) {
  EXPECT_EQ(byte_size("1").value(), 1u);
  EXPECT_EQ(byte_size("3KiB").value(), 3u << 10);
  EXPECT_EQ(byte_size("64MiB").value(), 64u << 20);
  EXPECT_EQ(byte_size("4GiB").value(), std::uint64_t{4} << 30);
}

TEST(ByteSize, IsNothingElse) {
  for (const char* text : {"", "0", "0MiB", "MiB", "64MB", "64mib", "64 MiB", "64M", "-1MiB",
                           "1.5GiB", "1TiB", "1KiBMiB", "MiB64", "64MiB "}) {
    const auto size = byte_size(text);
    ASSERT_FALSE(size.has_value()) << text;
    EXPECT_THAT(size.error().message, HasSubstr("64MiB")) << "an example of what is right";
  }
}

TEST(ByteSize, DoesNotOverflow) {
  for (const char* text : {"18446744073709551615", "18446744073709551615KiB", "17179869184GiB",
                           "9223372036854775808", "4503599627370497MiB"}) {
    EXPECT_FALSE(byte_size(text).has_value()) << text;
  }
  EXPECT_EQ(byte_size("4294967296GiB").value(), std::uint64_t{1} << 62);
}

class ReadTextTest : public testing::Test {
 protected:
  ReadTextTest() {
    const int file = mkstemp(path.data());
    EXPECT_GE(file, 0);
    close(file);
  }
  ~ReadTextTest() override { unlink(path.c_str()); }

  void write(std::string_view content) const {
    FILE* file = fopen(path.c_str(), "wb");
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(fwrite(content.data(), 1, content.size(), file), content.size());
    EXPECT_EQ(fclose(file), 0);
  }

  std::string path = "/tmp/cordon_read_text_XXXXXX";
};

TEST_F(ReadTextTest, GivesTheWholeOfAFile) {
  write("");
  EXPECT_EQ(read_text(path, 100).value(), "");
  write(std::string_view("a\0é\n", 5));
  EXPECT_EQ(read_text(path, 100).value(), std::string_view("a\0é\n", 5));
  const std::string large(300'000, 'x');
  write(large);
  EXPECT_EQ(read_text(path, 300'000).value(), large);
}

TEST_F(ReadTextTest, RefusesAFileThatIsTooLarge) {
  write("12345");
  EXPECT_EQ(read_text(path, 5).value(), "12345");
  const auto text = read_text(path, 4);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code, ErrorCode::too_large);
}

TEST_F(ReadTextTest, NamesTheByteThatIsNotUtf8) {
  write("abc\xFFxyz");
  const auto text = read_text(path, 100);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code, ErrorCode::invalid_utf8);
  EXPECT_THAT(text.error().message, HasSubstr("3"));
  write("\xED\xA0\x80");
  EXPECT_FALSE(read_text(path, 100).has_value()) << "a lone surrogate is not UTF-8";
}

TEST_F(ReadTextTest, SaysWhyItCannotRead) {
  EXPECT_THAT(read_text("/nonexistent/file.js", 100).error().message, HasSubstr("No such file"));
  EXPECT_THAT(read_text("/tmp", 100).error().message, HasSubstr("directory"));
  EXPECT_EQ(read_text("", 100).error().code, ErrorCode::io);
}

TEST_F(ReadTextTest, StopsReadingWhatHasNoEnd) {
  EXPECT_EQ(read_text("/dev/zero", 1 << 20).error().code, ErrorCode::too_large);
}

TEST(SizeText, IsWhatByteSizeReads) {
  for (const char* text : {"1", "1023", "1KiB", "1025", "64MiB", "3GiB", "4096GiB"}) {
    EXPECT_EQ(size_text(byte_size(text).value()), text);
  }
  EXPECT_EQ(size_text(0), "0");
}

TEST(NoChoiceText, ListsTheWordsAndSaysWhichIsNear) {
  EXPECT_EQ(no_choice_text("x", {"json"}), "'x' is not json");
  EXPECT_EQ(no_choice_text("xml", {"runner", "json", "msgpack"}),
            "'xml' is not runner, json or msgpack");
  EXPECT_EQ(no_choice_text("jsno", {"runner", "json"}),
            "'jsno' is not runner or json; did you mean json?");
}

TEST(Defaults, OfTheCommandLineAreThoseOfTheLayers) {
  const Limits run = limits_of(nullptr);
  EXPECT_EQ(run.time.total, std::chrono::milliseconds(5000)) << "the help says so";
  EXPECT_EQ(run.memory_bytes, std::uint64_t{64} << 20) << "the help says so";
  EXPECT_EQ(plugin_timeout, PluginOptions().timeout);
}

}  // namespace
}  // namespace cordon::cli
