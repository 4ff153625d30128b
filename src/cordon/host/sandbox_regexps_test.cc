#include "cordon/host/sandbox_regexps.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

TEST(SandboxRegExps, KnowsWhatTheGuestsEngineCompiles) {
  const SandboxRegExps regexps;
  for (const auto& [pattern, flags] :
       std::vector<std::pair<const char*, const char*>>{{"", ""},
                                                        {"a+b", "g"},
                                                        {"(?<year>\\d{4})-\\k<year>", "u"},
                                                        {"[\\p{L}--[a-z]]", "v"},
                                                        {"(?<=a)b", "dgimsuy"},
                                                        {"\\u{1f600}", "u"},
                                                        {"a{,5}", ""},
                                                        {"/", ""},
                                                        {"\n", ""}}) {
    EXPECT_TRUE(*regexps.is_regexp(pattern, flags)) << pattern << " " << flags;
  }
  for (const auto& [pattern, flags] :
       std::vector<std::pair<const char*, const char*>>{{"(", ""},
                                                        {"a", "uv"},
                                                        {"a", "gg"},
                                                        {"a", "x"},
                                                        {"[b-a]", ""},
                                                        {"\\p{Nope}", "u"},
                                                        {"*", ""},
                                                        {"(?<a>x)(?<a>y)", ""},
                                                        {"\\", ""}}) {
    EXPECT_FALSE(*regexps.is_regexp(pattern, flags)) << pattern << " " << flags;
  }
}

TEST(SandboxRegExps, TakesEveryTextThatAStringCanHold) {
  const SandboxRegExps regexps;
  EXPECT_TRUE(*regexps.is_regexp(std::string("a\0b", 3), ""));
  EXPECT_TRUE(*regexps.is_regexp("\xed\xa0\x80", ""));
  EXPECT_TRUE(*regexps.is_regexp("`$'\"", ""));
}

TEST(SandboxRegExps, AsksOnceForEach) {
  const SandboxRegExps regexps;
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(*regexps.is_regexp("a", "g"));
    EXPECT_FALSE(*regexps.is_regexp("(", ""));
  }
  EXPECT_EQ(regexps.asked(), 2u);
  EXPECT_TRUE(*regexps.is_regexp("a", ""));
  EXPECT_TRUE(*regexps.is_regexp("g/a", ""));  // not the same as "a" with the flag g
  EXPECT_EQ(regexps.asked(), 4u);
}

TEST(SandboxRegExps, SurvivesPatternsThatTheSandboxDoesNot) {
  const SandboxRegExps regexps;
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += '(';
  for (int i = 0; i < 200'000; ++i) deep += ')';
  EXPECT_FALSE(*regexps.is_regexp(deep, ""));
  EXPECT_TRUE(*regexps.is_regexp("still here", ""));
}

TEST(SandboxRegExps, AnswersManyThreads) {
  const SandboxRegExps regexps;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&regexps, t] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(*regexps.is_regexp("a" + std::to_string(i * t), ""));
        EXPECT_FALSE(*regexps.is_regexp("(" + std::to_string(i), ""));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace cordon::host
