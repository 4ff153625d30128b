#include "cordon/protocol/tunnel/cors.h"

#include <gtest/gtest.h>

namespace cordon::tunnel {
namespace {

std::string answer(const CorsRules& rules, std::string_view origin) {
  std::string out;
  Cors(rules).answer(origin, [&](std::string_view name, std::string_view value) {
    out += std::string(name) + ": " + std::string(value) + "\n";
  });
  return out;
}

std::string preflight(const CorsRules& rules, std::string_view origin, std::string_view asked) {
  std::string out;
  Cors(rules).preflight(origin, asked, [&](std::string_view name, std::string_view value) {
    out += std::string(name) + ": " + std::string(value) + "\n";
  });
  return out;
}

TEST(TunnelCors, WithoutRulesAnyOriginMayRead) {
  EXPECT_EQ(answer({}, "https://a.example"), "Access-Control-Allow-Origin: *\n");
  EXPECT_EQ(preflight({}, "https://a.example", "x-q, content-type"),
            "Access-Control-Allow-Origin: *\n"
            "Access-Control-Allow-Methods: POST, OPTIONS\n"
            "Access-Control-Allow-Headers: x-q, content-type\n");
  EXPECT_EQ(preflight({}, "", ""),
            "Access-Control-Allow-Origin: *\n"
            "Access-Control-Allow-Methods: POST, OPTIONS\n");
}

TEST(TunnelCors, AFixedOriginIsSentWhateverTheRequestsIs) {
  const CorsRules rules{.origin = "https://a.example"};
  EXPECT_EQ(answer(rules, "https://b.example"), "Access-Control-Allow-Origin: https://a.example\n");
  EXPECT_EQ(answer(rules, ""), "Access-Control-Allow-Origin: https://a.example\n");
}

TEST(TunnelCors, AListEchoesTheMatchAndVaries) {
  const CorsRules rules{.origins = {{"https://a.example", "https://b.example"}},
                        .credentials = true,
                        .methods = {"POST"},
                        .allowed_headers = {"x-c", "x-d"},
                        .exposed_headers = {"x-a", "x-b"},
                        .max_age = 600};
  EXPECT_EQ(answer(rules, "https://b.example"),
            "Vary: Origin\n"
            "Access-Control-Allow-Origin: https://b.example\n"
            "Access-Control-Allow-Credentials: true\n"
            "Access-Control-Expose-Headers: x-a, x-b\n");
  EXPECT_EQ(answer(rules, "https://z.example"),
            "Vary: Origin\n"
            "Access-Control-Allow-Credentials: true\n"
            "Access-Control-Expose-Headers: x-a, x-b\n");
  EXPECT_EQ(preflight(rules, "https://b.example", "x-q"),
            "Vary: Origin\n"
            "Access-Control-Allow-Origin: https://b.example\n"
            "Access-Control-Allow-Credentials: true\n"
            "Access-Control-Allow-Methods: POST\n"
            "Access-Control-Allow-Headers: x-c, x-d\n"
            "Access-Control-Max-Age: 600\n");
}

TEST(TunnelCors, CredentialsNeedAnOriginThatIsNamed) {
  const std::string none = "Vary: Origin\nAccess-Control-Allow-Credentials: true\n";
  EXPECT_EQ(answer({.credentials = true}, "https://a.example"), none);
  EXPECT_EQ(answer({.origin = "*", .credentials = true}, "https://a.example"), none);
}

}  // namespace
}  // namespace cordon::tunnel
