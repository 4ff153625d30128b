#include "cordon/cli/media_type.h"

#include <gtest/gtest.h>

namespace cordon::cli {
namespace {

TEST(MediaType, ComesFromTheEndOfTheName) {
  EXPECT_EQ(media_type_of("a.txt"), "text/plain");
  EXPECT_EQ(media_type_of("/some.pdf/pages/one.PNG"), "image/png");
  EXPECT_EQ(media_type_of("backup.tar.gz"), "application/gzip");
  EXPECT_EQ(media_type_of("x.json"), "application/json");
  for (const char* unknown : {"", "a", "a.", ".json", "/x/.txt", "a.nothing", "a.txt/b", "txt"})
    EXPECT_EQ(media_type_of(unknown), "application/octet-stream") << unknown;
}

TEST(FileName, IsTheLastPartOfThePath) {
  EXPECT_EQ(file_name_of("a/b/c.txt"), "c.txt");
  EXPECT_EQ(file_name_of("c.txt"), "c.txt");
  EXPECT_EQ(file_name_of("/c.txt"), "c.txt");
  EXPECT_EQ(file_name_of("a/b/"), "b");
  EXPECT_EQ(file_name_of("/"), "/");
}

}  // namespace
}  // namespace cordon::cli
