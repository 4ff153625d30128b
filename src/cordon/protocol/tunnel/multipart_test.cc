#include "cordon/protocol/tunnel/multipart.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/base/bytes.h"

namespace cordon::tunnel {
namespace {

// What came out, as text: "field name=value", "file name:content", then how it ended.
struct Reading {
  MultipartReader reader;
  std::string seen = {};
  bool is_over = false;

  explicit Reading(const MultipartLimits& limits) : reader("b0", limits) {}

  void feed(BytesView piece) {
    while (!is_over) {
      const auto event = reader.next(piece);
      if (!event) {
        seen += "fault " + std::to_string(static_cast<int>(event.error()));
        is_over = true;
      } else if (std::holds_alternative<NeedMore>(*event)) {
        EXPECT_TRUE(piece.empty());
        return;
      } else if (const auto* field = std::get_if<Field>(&*event)) {
        seen += "field " + field->name + "=" + field->value + "\n";
      } else if (const auto* file = std::get_if<FileBegin>(&*event)) {
        seen += "file " + file->head.name + ":";
      } else if (const auto* data = std::get_if<FileData>(&*event)) {
        EXPECT_FALSE(data->bytes.empty());
        seen += as_text(data->bytes);
      } else {
        seen += "\n";
      }
    }
  }

  std::string end() {
    if (!is_over) seen += reader.is_complete() ? "complete" : "cut";
    return seen;
  }
};

std::string read(std::string_view text, const MultipartLimits& limits = {}) {
  Reading reading(limits);
  reading.feed(as_bytes(text));
  return reading.end();
}

std::string field(std::string_view name, std::string_view value) {
  return "--b0\r\nContent-Disposition: form-data; name=\"" + std::string(name) + "\"\r\n\r\n" +
         std::string(value) + "\r\n";
}

std::string file(std::string_view name, std::string_view content) {
  return "--b0\r\nContent-Disposition: form-data; name=\"" + std::string(name) +
         "\"; filename=\"x\"\r\nContent-Type: text/plain\r\n\r\n" + std::string(content) + "\r\n";
}

const std::string closing = "--b0--\r\n";

TEST(Multipart, FieldsAndFilesComeInTheirOrder) {
  EXPECT_EQ(read(field("a", "1") + file("file:f", "content") + field("b", "") + closing),
            "field a=1\nfile file:f:content\nfield b=\ncomplete");
}

TEST(Multipart, GivesTheSameWhereverTheBytesAreCut) {
  const std::string text = "preamble\r\n" + field("a", "\r\n--b") +
                           file("file:f", "x\r\n--b\r\n-\r\r\n--b1\r\ny") + file("file:g", "") +
                           closing + "epilogue";
  const std::string expected =
      "field a=\r\n--b\nfile file:f:x\r\n--b\r\n-\r\r\n--b1\r\ny\nfile file:g:\ncomplete";
  ASSERT_EQ(read(text), expected);
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); second += 3) {
      Reading reading({});
      reading.feed(as_bytes(text).first(first));
      reading.feed(as_bytes(text).subspan(first, second - first));
      reading.feed(as_bytes(text).subspan(second));
      ASSERT_EQ(reading.end(), expected) << first << " " << second;
    }
  }
  Reading byte_by_byte({});
  for (std::size_t i = 0; i < text.size(); ++i) byte_by_byte.feed(as_bytes(text).subspan(i, 1));
  EXPECT_EQ(byte_by_byte.end(), expected);
}

RC_GTEST_PROP(Multipart, ContentOfAnyBytesComesOutAsItWentIn, ()) {
  // Letters of which delimiters are made, so that near misses are frequent.
  const auto content =
      *rc::gen::container<std::string>(rc::gen::element('\r', '\n', '-', 'b', '0'));
  RC_PRE(!("\r\n" + content).contains("\r\n--b0"));
  const std::string text = file("file:f", content) + closing;
  Reading reading({});
  BytesView rest = as_bytes(text);
  while (!rest.empty()) {
    const std::size_t size = *rc::gen::inRange<std::size_t>(1, rest.size() + 1);
    reading.feed(rest.first(size));
    rest = rest.subspan(size);
  }
  // A content that begins like the end of a delimiter is fine too.
  RC_ASSERT(reading.end() == "file file:f:" + content + "\ncomplete");
}

TEST(Multipart, LimitsHoldAndWhatReachesThemIsAllowed) {
  const MultipartLimits limits{
      .file_bytes = 4, .files = 1, .fields = 2, .field_bytes = 3, .head_bytes = 200};
  EXPECT_EQ(read(file("file:f", "1234") + field("a", "123") + field("b", "") + closing, limits),
            "file file:f:1234\nfield a=123\nfield b=\ncomplete");
  const auto fault = [](MultipartFault kind) {
    return "fault " + std::to_string(static_cast<int>(kind));
  };
  EXPECT_TRUE(read(file("file:f", "12345") + closing, limits)
                  .ends_with(fault(MultipartFault::file_too_large)));
  EXPECT_EQ(read(field("a", "1234") + closing, limits), fault(MultipartFault::field_too_large));
  EXPECT_EQ(read(file("f", "") + file("g", "") + closing, limits),
            "file f:\n" + fault(MultipartFault::too_many_files));
  EXPECT_EQ(read(field("a", "") + field("b", "") + field("c", "") + closing, limits),
            "field a=\nfield b=\n" + fault(MultipartFault::too_many_fields));
  EXPECT_EQ(read(field(std::string(200, 'x'), "") + closing, limits),
            fault(MultipartFault::malformed));
}

TEST(Multipart, WhatIsOutsideOfPartsIsBounded) {
  const MultipartLimits limits{.outside_bytes = 100};
  EXPECT_EQ(read(std::string(50, 'x') + "\r\n" + field("a", "1") + closing, limits),
            "field a=1\ncomplete");
  EXPECT_EQ(read(std::string(200, 'x') + "\r\n" + field("a", "1") + closing, limits), "fault 0");
  EXPECT_EQ(read(field("a", "1") + closing + std::string(200, 'x'), limits), "field a=1\nfault 0");
}

TEST(Multipart, LineEndsAreCrLfAlone) {
  EXPECT_EQ(read("--b0\nContent-Disposition: form-data; name=\"a\"\n\n1\n--b0--\n"), "fault 0");
  EXPECT_EQ(read("--b0\r\nContent-Disposition: form-data; name=\"a\"\n\r\n\r\n1\r\n--b0--"),
            "fault 0");
}

TEST(Multipart, MalformedPartsAreRefused) {
  EXPECT_EQ(read("--b0\r\n\r\n1\r\n--b0--"), "fault 0");
  EXPECT_EQ(read("--b0\r\nX: y\r\n\r\n1\r\n--b0--"), "fault 0");
  EXPECT_EQ(read("--b0x\r\n"), "fault 0");
  EXPECT_EQ(read(field("a", "1") + "--b0-x"), "field a=1\nfault 0");
}

TEST(Multipart, ABodyThatEndsEarlyIsCut) {
  EXPECT_EQ(read(""), "cut");
  EXPECT_EQ(read("x"), "cut");
  EXPECT_EQ(read(field("a", "1")), "cut");
  EXPECT_EQ(read(field("a", "1") + "--b0"), "field a=1\ncut");
  Reading reading({});
  const std::string text = file("file:f", "1234");
  reading.feed(as_bytes(text).first(text.size() - 3));
  EXPECT_TRUE(reading.reader.is_in_file());
}

TEST(Multipart, BlanksMayFollowADelimiter) {
  EXPECT_EQ(read("--b0 \t\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b0--"),
            "field a=1\ncomplete");
  EXPECT_EQ(read(closing), "complete");
}

}  // namespace
}  // namespace cordon::tunnel
