#include "cordon/protocol/tunnel/context_header.h"

#include <gtest/gtest.h>

#include "cordon/codec/rich/testing/stand_ins.h"

namespace cordon::tunnel {
namespace {

const rich::StandInRegExps regexps;
const rich::Serializer serializer({}, regexps);
const std::vector<std::string> ids = {"app.ctx.tenant", "app.ctx.user"};

Value contexts(std::string_view header) { return contexts_of(serializer, header, ids); }

TEST(TunnelContexts, KnownIdsAreRestoredFromTheirTexts) {
  const Value found = contexts(
      R"({"app.ctx.tenant":"{\"id\":7}","app.ctx.user":"{\"__type\":\"Date\",\"value\":\"1970-01-01T00:00:00.000Z\"}","other":"1"})");
  EXPECT_EQ(found, Value::object({{"app.ctx.tenant", Value::object({{"id", 7}})},
                                  {"app.ctx.user", Value::date(0)}}));
}

TEST(TunnelContexts, BrokenEntriesAreDroppedOneByOne) {
  EXPECT_EQ(contexts(R"({"app.ctx.tenant":"{broken","app.ctx.user":"\"eve\""})"),
            Value::object({{"app.ctx.user", "eve"}}));
  EXPECT_EQ(contexts(R"({"app.ctx.tenant":{"id":7},"app.ctx.user":"1"})"),
            Value::object({{"app.ctx.user", 1}}));
}

TEST(TunnelContexts, ABrokenHeaderIsIgnoredWhole) {
  for (const char* header : {"", "x", "[1]", "\"text\"", "{\"app.ctx.user\":\"1\"", "null"})
    EXPECT_EQ(contexts(header), Value::object({})) << header;
  EXPECT_EQ(contexts(R"({"app.ctx.user":"1","x":")" + std::string(100'000, 'x') + "\"}"),
            Value::object({}));
}

TEST(TunnelContexts, Latin1IsReadAsSuch) {
  EXPECT_EQ(contexts("{\"app.ctx.user\":\"\\\"\xe9\\\"\"}"),
            Value::object({{"app.ctx.user", "\u00e9"}}));
}

}  // namespace
}  // namespace cordon::tunnel
