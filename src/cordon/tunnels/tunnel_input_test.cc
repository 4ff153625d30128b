#include <gtest/gtest.h>

#include "cordon/tunnel_client.h"

namespace cordon {
namespace {

TEST(TunnelInput, StandsForAFileWithWhatIsKnownAboutIt) {
  TunnelInput input;
  const Value described = input.add({.name = "a.txt",
                                     .type = "text/plain",
                                     .content = Bytes{1, 2, 3},
                                     .extra = Value::object({{"page", 1}})});
  const Value other = input.add({.name = "b", .content = TunnelFile::Path{"/nowhere/at.all"}});
  EXPECT_EQ(described.find("$runnerFile"), "File");
  EXPECT_EQ(described.find("meta"), Value::object({{"name", "a.txt"},
                                                   {"type", "text/plain"},
                                                   {"size", 3},
                                                   {"extra", Value::object({{"page", 1}})}}));
  ASSERT_EQ(input.files().size(), 2u);
  EXPECT_EQ(described.find("id"), input.files()[0].id);
  EXPECT_NE(described.find("id"), other.find("id"));
}

}  // namespace
}  // namespace cordon
