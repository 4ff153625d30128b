#include "cordon/protocol/tunnel/part_head.h"

#include <gtest/gtest.h>

namespace cordon::tunnel {
namespace {

std::optional<PartHead> disposition(const std::string& parameters) {
  return parse_part_head("Content-Disposition: form-data; " + parameters + "\r\n");
}

TEST(PartHead, NamesTheFieldOrTheFile) {
  const auto field = disposition(R"(name="__manifest")");
  ASSERT_TRUE(field);
  EXPECT_EQ(field->name, "__manifest");
  EXPECT_FALSE(field->is_file());
  const auto file = parse_part_head(
      "content-type: text/plain; charset=utf-8\r\n"
      "CONTENT-DISPOSITION: Form-Data; name=\"file:f1\"; filename=\"a.txt\"\r\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->name, "file:f1");
  EXPECT_EQ(file->file_name, "a.txt");
  EXPECT_EQ(file->content_type, "text/plain");
  EXPECT_TRUE(file->is_file());
}

TEST(PartHead, TheManifestIsAFieldAndFilePartsAreFiles) {
  EXPECT_FALSE(disposition(R"(name="__manifest"; filename="m.json")")->is_file());
  EXPECT_TRUE(disposition(R"(name="file:x")")->is_file());
  EXPECT_TRUE(disposition(R"(name="other"; filename="")")->is_file());
}

TEST(PartHead, QuotesAreEscapedInEitherWay) {
  EXPECT_EQ(disposition(R"(name="file:a\"b")")->name, "file:a\"b");
  EXPECT_EQ(disposition(R"(name="file:a%22b%0D%0A%41")")->name, "file:a\"b\r\n%41");
  EXPECT_EQ(disposition(R"(name="n"; filename="a\\b\"c.txt")")->file_name, "b\"c.txt");
}

TEST(PartHead, FoldersAreCutOff) {
  EXPECT_EQ(disposition(R"(name="n"; filename="C:\fakepath\a.txt")")->file_name, "a.txt");
  EXPECT_EQ(disposition(R"(name="n"; filename="../../etc/passwd")")->file_name, "passwd");
  EXPECT_EQ(disposition(R"(name="n"; filename*=UTF-8''a%2Fb.txt)")->file_name, "b.txt");
}

TEST(PartHead, TextIsUtf8AndLatin1WhereItIsNot) {
  EXPECT_EQ(disposition("name=\"file:\u00e9\"; filename=\"\u65e5.txt\"")->file_name, "\u65e5.txt");
  EXPECT_EQ(disposition("name=\"file:\xe9\"")->name, "file:\u00e9");
}

TEST(PartHead, TheExtendedNameWinsWhereItCanBeRead) {
  EXPECT_EQ(disposition(R"(name=n; filename=x; filename*=UTF-8'en'%e2%82%ac.txt)")->file_name,
            "\u20ac.txt");
  EXPECT_EQ(disposition(R"(name=n; filename*=iso-8859-1''%e9; filename=x)")->file_name, "\u00e9");
  EXPECT_EQ(disposition(R"(name=n; filename=x; filename*=UTF-8''%ff)")->file_name, "x");
  EXPECT_EQ(disposition(R"(name=n; filename=x; filename*=koi8''a)")->file_name, "x");
}

TEST(PartHead, WhatIsMalformedIsNone) {
  for (const char* lines :
       {"", "Content-Type: text/plain\r\n", "Content-Disposition: form-data\r\n",
        "Content-Disposition: attachment; name=\"a\"\r\n",
        "Content-Disposition: form-data; name=\"a\r\n", "Content-Disposition form-data; name=a\r\n",
        "Content-Disposition: form-data; name=a\r\n folded: x\r\n",
        "Content-Disposition: form-data; name=a\nX: y\r\n",
        "Content-Disposition : form-data; name=a\r\n", "Content-Disposition: form-data name=a\r\n",
        "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b\r\n"})
    EXPECT_FALSE(parse_part_head(lines)) << lines;
}

TEST(MultipartBoundary, IsWhatRfc2046Allows) {
  EXPECT_EQ(boundary_of("multipart/form-data; boundary=abc"), "abc");
  EXPECT_EQ(boundary_of("multipart/form-data; charset=x; Boundary=\"a b\""), "a b");
  EXPECT_EQ(boundary_of("multipart/form-data;boundary=a==b"), "a==b");
  EXPECT_EQ(boundary_of("multipart/form-data; boundary=" + std::string(70, 'x')),
            std::string(70, 'x'));
  for (const std::string& type :
       {std::string("multipart/form-data"), std::string("multipart/form-data; boundary="),
        std::string("multipart/form-data; boundary=\"a "), std::string("x; boundary=\"a \""),
        std::string("x; boundary=a\"b"), "x; boundary=" + std::string(71, 'x')})
    EXPECT_FALSE(boundary_of(type)) << type;
}

}  // namespace
}  // namespace cordon::tunnel
