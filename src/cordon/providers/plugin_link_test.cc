#include "cordon/providers/plugin_link.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/providers/testing/guest_program.h"

namespace cordon::providers {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

Instant in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

std::unique_ptr<PluginLink> link(LinkOptions options) {
  return PluginLink::start(std::move(options)).value();
}

TEST(PluginLink, MovesACallAndItsAnswer) {
  const auto guest = link(guest_link());
  const std::string id = guest->session().call("add", Value::array({1, 2})).value();
  const auto message = guest->next(in(30s));
  const auto& response = std::get<duplex::FunctionResponse>(**message);
  EXPECT_EQ(response.id, id);
  EXPECT_EQ(response.result, Value(3));
}

TEST(PluginLink, MovesMoreThanAPipeHolds) {
  const auto guest = link(guest_link());
  const Value large = std::string(std::size_t{3} << 20, 'x');
  ASSERT_TRUE(guest->session().call("echo", large).has_value());
  const auto message = guest->next(in(30s));
  EXPECT_EQ(std::get<duplex::FunctionResponse>(**message).result, large);
}

TEST(PluginLink, ComesBackInTimeWhereNothingIsSaid) {
  const auto guest = link(guest_link());
  EXPECT_FALSE(guest->next(in(1ms)).value().has_value());
}

TEST(PluginLink, TellsWhenAllIsWritten) {
  const auto guest = link(guest_link());
  ASSERT_TRUE(guest->session().call("hang", Value()).has_value());
  EXPECT_FALSE(guest->next(in(30s), -1, PluginLink::More::when_written).value().has_value());
  EXPECT_TRUE(guest->session().output().empty());
}

TEST(PluginLink, EndsTheProcessOfAGuestThatIsLate) {
  const auto guest = link(guest_link());
  ASSERT_TRUE(guest->session().call("hang", Value(), {.deadline = in(20ms)}).has_value());
  EXPECT_TRUE(guest->next({}).error().is(ErrorCode::timeout));
  EXPECT_TRUE(guest->process().has_ended());
}

TEST(PluginLink, TellsHowAProcessEnded) {
  const auto guest = link({.command = {"sh", "-c", "exit 3"}});
  const Error error = guest->next(in(30s)).error();
  EXPECT_TRUE(error.is(ErrorCode::exited));
  EXPECT_THAT(error.message, testing::HasSubstr("code 3"));
}

TEST(PluginLink, DoesNotWaitForWhatAProcessLeftBehind) {
  // It holds the pipe open for ever, and is nobody's guest.
  const auto guest = link({.command = {"sh", "-c", "sleep 1000 & exit 0"}});
  EXPECT_TRUE(guest->next(in(30s)).error().is(ErrorCode::exited));
}

TEST(PluginLink, SendsAnEndOfFileAfterWhatIsToBeWritten) {
  const auto guest = link(guest_link());
  ASSERT_TRUE(guest->session().call("add", Value::array({1, 2})).has_value());
  guest->finish_input();
  EXPECT_TRUE(guest->next(in(30s)).value().has_value());
  EXPECT_TRUE(guest->next(in(30s)).error().is(ErrorCode::exited));
  EXPECT_TRUE(guest->process().ended_well());
}

TEST(PluginLink, NoticesThatNobodyReadsItsInput) {
  const auto guest = link({.command = {"sh", "-c", "exec 0<&-; sleep 1000"}});
  const sig_t before = std::signal(SIGPIPE, SIG_IGN);
  const Instant until = in(30s);
  while (!guest->is_input_broken() && std::chrono::steady_clock::now() < until) {
    ASSERT_TRUE(guest->session().call("add", Value()).has_value());
    (void)guest->next(in(5ms));
  }
  std::signal(SIGPIPE, before);
  EXPECT_TRUE(guest->is_input_broken());
}

TEST(PluginLink, PassesOnTheBeginningOfItsStandardError) {
  std::string errors;
  const auto guest = link({.command = {"sh", "-c", "printf 123456789 >&2"},
                           .error_bytes = 4,
                           .on_errors = [&](std::string_view text) { errors += text; }});
  EXPECT_FALSE(guest->next(in(30s)).has_value());
  EXPECT_EQ(errors, "1234");
}

TEST(SplitWords, SplitsAsAShellDoes) {
  EXPECT_THAT(*split_words("  python3\tguest.py \n -v "), ElementsAre("python3", "guest.py", "-v"));
  EXPECT_THAT(*split_words("'a b' \"c d\" e\\ f"), ElementsAre("a b", "c d", "e f"));
  EXPECT_THAT(*split_words("a'b'\"c\"d"), ElementsAre("abcd"));
  EXPECT_THAT(*split_words("'' \"\""), ElementsAre("", ""));
  EXPECT_THAT(*split_words(R"("a\"b" "a\nb" 'a\b')"), ElementsAre("a\"b", "a\\nb", "a\\b"));
  EXPECT_THAT(*split_words("$HOME *.js a;b"), ElementsAre("$HOME", "*.js", "a;b"));
  EXPECT_TRUE(split_words("   ")->empty());
}

TEST(SplitWords, RefusesWhatIsNotClosed) {
  for (const char* line : {"'a", "\"a", "a\\", "\"a\\\""}) {
    EXPECT_TRUE(split_words(line).error().is(ErrorCode::malformed)) << line;
  }
}

TEST(RandomBytes, AreNotTheSameTwice) {
  std::array<std::uint8_t, 16> first{};
  std::array<std::uint8_t, 16> second{};
  random_bytes(first);
  random_bytes(second);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace cordon::providers
