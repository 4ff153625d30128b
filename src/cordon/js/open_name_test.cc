#include "cordon/js/open_name.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "cordon/base/writer.h"

namespace cordon::js {
namespace {

Result<std::string> read(std::string_view name, std::uint32_t size) {
  Bytes bytes;
  Writer out(bytes);
  out.u32(size);
  out.text(name);
  Reader in(bytes);
  return read_open_name(in);
}

Result<std::string> read(std::string_view name) {
  return read(name, static_cast<std::uint32_t>(name.size()));
}

TEST(OpenName, IsTextThatEverybodyCanShow) {
  for (const std::string& name :
       {std::string("score"), std::string("app.tasks.add"), std::string("a b"), std::string("名前"),
        std::string("\xC2\xA0"), std::string("😀"), std::string(768, 'x')}) {
    EXPECT_EQ(read(name), name);
  }
}

TEST(OpenName, IsRefusedWhereTheShimWouldNotHaveSentIt) {
  for (const std::string& name :
       {std::string(), std::string(769, 'x'), std::string("a\0b", 3), std::string("a\n"),
        std::string("\x1B[2J"), std::string("\x7F"), std::string("\xC2\x9B"), std::string("\xC2"),
        std::string("\xED\xA0\x80"), std::string("\xFF"), std::string("a\xC0\x80")}) {
    const Result<std::string> refused = read(name);
    ASSERT_FALSE(refused.has_value()) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::protocol_violation);
  }
  EXPECT_FALSE(read("abc", 4).has_value()) << "longer than its message";
  EXPECT_FALSE(read("abc", 0xFFFFFFFF).has_value());
}

}  // namespace
}  // namespace cordon::js
