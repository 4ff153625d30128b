#include "cordon/base/sha256.h"

#include <gtest/gtest.h>

#include "cordon/base/base64.h"
#include "cordon/base/bytes.h"

namespace cordon {
namespace {

TEST(HmacSha256, GivesTheSumsOfTheRfc) {
  // RFC 4231, 4.3 and 4.7.
  EXPECT_EQ(to_base64url(HmacSha256(as_bytes("Jefe")).of(as_bytes("what do ya want for nothing?"))),
            "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM");
  const Bytes long_key(131, 0xaa);
  EXPECT_EQ(to_base64url(HmacSha256(long_key).of(
                as_bytes("Test Using Larger Than Block-Size Key - Hash Key First"))),
            "YOQxWR7gtn8Niiaqy_W3f44LxiE3KMUUBUYEDw7jf1Q");
}

}  // namespace
}  // namespace cordon
