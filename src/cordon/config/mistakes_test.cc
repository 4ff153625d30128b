// Messages for those who wrote what looks right: they say what is wrong and what to write.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/config/load.h"
#include "cordon/config/testing/imagined.h"

namespace cordon::config {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Mistakes, OfATaskThatIsTwoThingsAreAboutThatAlone) {
  EXPECT_THAT(mistakes(R"({"tasks": {"t": {"script": "add.js", "plugin": "rank", "function": "f"}},
      "server": {"auth": {"token": "x"}, "expose": {"tasks": ["t"]}}})"),
              ElementsAre("cordon.json:1:17: tasks.t: has a script and a plugin; a task has one of "
                          "them: remove the other"));
}

TEST(Mistakes, OfASecretThatLooksLikeAVariableAreWarnings) {
  EXPECT_THAT(server_mistakes(R"({"auth": {"token": "${TOKEN}"}})"),
              ElementsAre("cordon.json:1:31: warning: server.auth.token: variables are not "
                          "replaced in text, so the secret is the text itself, with its dollar; "
                          "write {\"env\": \"TOKEN\"} for what the variable TOKEN has"));
  EXPECT_TRUE(loaded(R"({"server": {"auth": {"token": "${TOKEN}"}}})").is_right());
  EXPECT_THAT(server_mistakes(R"({"auth": {"token": ["x", "$TOKEN"]}})"),
              ElementsAre(HasSubstr("warning: server.auth.token[1]: variables are not replaced")));
  EXPECT_THAT(mistakes(R"({"tunnels": {"t": {"url": "http://a", "token": "${TOKEN:-none}"}}})"),
              ElementsAre(HasSubstr("tunnels.t.token: variables are not replaced")));
  // The rest of the text may be a secret.
  EXPECT_THAT(server_mistakes(R"({"auth": {"token": "hunter2-${TOKEN}"}})"),
              ElementsAre(AllOf(HasSubstr("{\"env\": \"TOKEN\"}"), Not(HasSubstr("hunter2")))));
  for (const char* fine : {"pa$$word", "$tr0ng", "a$B", "${", "${}", "$", "}${", "${a b}"}) {
    EXPECT_THAT(server_mistakes(R"({"auth": {"token": ")" + std::string(fine) + "\"}}"), IsEmpty())
        << fine;
  }
}

TEST(Mistakes, OfAUrlToListenOnSayWhichAddressItIs) {
  EXPECT_THAT(
      server_mistakes(R"({"listen": "http://0.0.0.0:8080/x"})"),
      ElementsAre("cordon.json:1:23: server.listen: this is a URL; an address has no scheme "
                  "and no path; write it as \"0.0.0.0:8080\""));
  EXPECT_THAT(server_mistakes(R"({"metrics": {"listen": "https://localhost"}})"),
              ElementsAre(AllOf(HasSubstr("server.metrics.listen: this is a URL"),
                                HasSubstr("server.tls; write it as \"localhost:443\""))));
  EXPECT_THAT(server_mistakes(R"({"listen": "ftp://x"})"),
              ElementsAre(HasSubstr("write it as \"127.0.0.1:7070\"")));
}

TEST(Mistakes, OfAnOriginWithAPathSayWhichOriginItIs) {
  EXPECT_THAT(server_mistakes(R"({"cors": {"origin": "https://shop.example:8443/"}})"),
              ElementsAre("cordon.json:1:32: server.cors.origin: an origin has no path, not even a "
                          "slash at its end, so no browser's would match; write it as "
                          "\"https://shop.example:8443\""));
  EXPECT_THAT(
      server_mistakes(R"({"cors": {"origin": ["https://a.example", "https://b.example/c"]}})"),
      ElementsAre(HasSubstr("origin[1]: an origin has no path")));
}

TEST(Mistakes, OfAnyOriginWithCredentialsAreToldBeforeABrowserTellsThem) {
  EXPECT_THAT(
      server_mistakes(R"({"cors": {"origin": "*", "credentials": true}})"),
      ElementsAre("cordon.json:1:32: warning: server.cors.origin: browsers refuse \"*\" together "
                  "with credentials; name the origins, as [\"https://app.example\"], or "
                  "remove credentials"));
  EXPECT_THAT(
      server_mistakes(R"({"cors": {"credentials": true, "origin": ["https://a.example", "*"]}})"),
      ElementsAre(HasSubstr("browsers refuse \"*\" together with credentials")));
  EXPECT_THAT(server_mistakes(R"({"cors": {"origin": "*", "credentials": false}})"), IsEmpty());
  EXPECT_THAT(server_mistakes(R"({"cors": {"origin": ["*"]}})"),
              ElementsAre(HasSubstr("warning: server.cors.origin: in a list \"*\" matches no")));
}

TEST(Mistakes, OfALogNameTheFolderThatIsNotThere) {
  EXPECT_THAT(server_mistakes(R"({"log": {"access": "logs/access.log"}})"),
              ElementsAre("cordon.json:1:31: server.log.access: there is no folder "
                          "\"/etc/app/logs\" for the file; make the folder before the start, or "
                          "name another"));
  EXPECT_THAT(server_mistakes(R"({"log": {"access": "../app"}})"),
              ElementsAre(HasSubstr("there is no folder \"/etc\"")));
  EXPECT_THAT(server_mistakes(R"({"log": {"access": "./"}})"),
              ElementsAre(HasSubstr("\"./\" is a folder; name a file in it, as \"./access.log\"")));
  for (const char* right : {"-", "access.log", "/etc/app/access.log"}) {
    EXPECT_THAT(server_mistakes(R"({"log": {"access": ")" + std::string(right) + "\"}}"),
                IsEmpty());
  }
}

TEST(Mistakes, OfALogLevelNameTheNearestOne) {
  EXPECT_THAT(server_mistakes(R"({"log": {"level": "warning"}})"),
              ElementsAre(HasSubstr("server.log.level: unknown word \"warning\"; did you mean "
                                    "\"warn\"?")));
}

constexpr std::string_view secret = "a secret of thirty-two bytes, ok";

std::vector<std::string> lane_mistakes(const std::string& lane, const std::string& server = "") {
  return mistakes(R"({"tasks": {"add": {"script": "add.js"}}, "server": {"auth": {"token": "x"},)"
                  R"("expose": {"tasks": ["add"]},)" +
                  server + "\n\"lanes\": {\"l\": " + lane + "}}}");
}

TEST(Mistakes, OfALaneAreToldWithTheirPlaces) {
  const std::string good = "\"secret\": \"" + std::string(secret) + "\"";
  EXPECT_THAT(lane_mistakes(R"({"tasks": ["add"], )" + good + "}"), IsEmpty());
  EXPECT_THAT(
      lane_mistakes(R"({"tasks": ["add"], "secret": "short"})"),
      ElementsAre("cordon.json:2:45: server.lanes.l.secret: the secret has 5 bytes; it needs "
                  "16, and 32 are better; make one with `openssl rand -base64 32`"));
  EXPECT_THAT(lane_mistakes(R"({"tasks": ["add"], "secret": {"env": "TOKEN"}})"),
              ElementsAre("cordon.json:2:45: warning: server.lanes.l.secret: the secret has 16 "
                          "bytes, and HS256 wants 32; make one with `openssl rand -base64 32`"));
  EXPECT_THAT(lane_mistakes(R"({"tasks": ["add"], "secret": {"env": "NONE"}})"),
              ElementsAre(HasSubstr("server.lanes.l.secret: the environment has no NONE")));
  EXPECT_THAT(
      lane_mistakes(R"({"tasks": ["add"]})"),
      ElementsAre("cordon.json:2:16: server.lanes.l: the key \"secret\" is missing; with it "
                  "calls are signed (HS256)"));
  EXPECT_THAT(
      lane_mistakes(R"({"tasks": ["ad"], )" + good + "}"),
      ElementsAre("cordon.json:2:27: server.lanes.l.tasks: there is no task \"ad\"; did you "
                  "mean \"add\"?"));
  EXPECT_THAT(lane_mistakes("{" + good + "}"),
              ElementsAre(HasSubstr("warning: server.lanes.l: has no task and no event")));
  EXPECT_THAT(lane_mistakes(R"({"tasks": ["add", "add"], )" + good + "}"),
              ElementsAre(HasSubstr("the task \"add\" is of the lane \"l\" already")));
  EXPECT_THAT(lane_mistakes(R"({"tasks": ["add"], "mode": "hmca", )" + good + "}"),
              ElementsAre(HasSubstr("unknown word \"hmca\"; did you mean \"hmac\"?")));
  EXPECT_THAT(lane_mistakes(R"({"tasks": ["add"], "header": "X-Runner-Token", )" + good + "}"),
              ElementsAre(HasSubstr("server.auth.token is in the header x-runner-token too")));
  EXPECT_THAT(lane_mistakes(R"({"tasks": ["add"], "skewMs": -1, )" + good + "}"),
              ElementsAre(HasSubstr("server.lanes.l.skewMs: the number -1 cannot be used")));
}

TEST(Mistakes, OfAKeyOfALaneAreToldWithTheirPlaces) {
  const auto told = [](const std::string& rest) {
    return lane_mistakes(R"({"tasks": ["add"], "mode": "asymmetric")" + rest + "}");
  };
  EXPECT_THAT(told(""), ElementsAre(HasSubstr("the key \"publicKeys\" is missing")));
  EXPECT_THAT(told(R"(, "publicKeys": {})"), ElementsAre(HasSubstr("publicKeys has no key")));
  EXPECT_THAT(told(R"(, "secret": ")" + std::string(secret) + "\""),
              ElementsAre(HasSubstr("secret goes with the mode \"hmac\"")));
  EXPECT_THAT(lane_mistakes(R"({"tasks": ["add"], "publicKeys": {}})"),
              ElementsAre(HasSubstr("publicKeys goes with the mode \"asymmetric\"; write \"mode\": "
                                    "\"asymmetric\"")));
  EXPECT_THAT(
      told(R"(, "publicKeys": {"k1": "hello"})"),
      ElementsAre("cordon.json:2:78: server.lanes.l.publicKeys.k1: the key is not in PEM: it "
                  "begins with -----BEGIN PUBLIC KEY-----"));
  EXPECT_THAT(told(R"(, "publicKeys": {"k1": {"file": "token"}})"),
              ElementsAre(HasSubstr("server.lanes.l.publicKeys.k1: the key is not in PEM")));
  EXPECT_THAT(told(R"(, "publicKeys": {"k1": {"file": "none"}})"),
              ElementsAre(HasSubstr("the file \"none\" does not exist")));
  constexpr std::string_view ed25519 =
      "-----BEGIN PUBLIC KEY-----\\n"
      "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\\n"
      "-----END PUBLIC KEY-----\\n";
  EXPECT_THAT(told(R"(, "publicKeys": {"k1": ")" + std::string(ed25519) + "\"}"), IsEmpty());
}

TEST(Mistakes, OfTwoNamesThatProgramsWouldWriteAlikeNameBoth) {
  EXPECT_THAT(
      mistakes(R"({"tunnels": {"my.shop": {"url": "http://a"}, "my-shop": {"url": "http://b"}}})"),
      ElementsAre("cordon.json:1:46: tunnels: programs write \"my_shop\" for \"my-shop\", and "
                  "for \"my.shop\" too; choose another"));
  EXPECT_THAT(
      mistakes(R"({"tunnels": {"shop": {"url": "http://a"}, "shop2": {"url": "http://b"}}})"),
      IsEmpty());
}

}  // namespace
}  // namespace cordon::config
