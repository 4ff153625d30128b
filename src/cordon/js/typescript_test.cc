#include "cordon/js/typescript.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::js {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const std::atomic<bool> never = false;
constexpr std::uint64_t enough = std::uint64_t{256} << 20;

const TypeScript& typescript() {
  static const std::unique_ptr<TypeScript> loaded = *TypeScript::create();
  return *loaded;
}

Stripped strip(std::string_view source) {
  const auto job = *StripJob::create(typescript(), std::string(source), enough);
  const auto done = job->run(std::chrono::steady_clock::now() + 1h, never);
  if (!done || !*done) {
    ADD_FAILURE() << (done ? to_string(done->error()) : "it did not come to an end");
    return StripRefusal();
  }
  return **done;
}

std::string code(std::string_view source) {
  const Stripped stripped = strip(source);
  const auto* text = std::get_if<std::string>(&stripped);
  if (text == nullptr) ADD_FAILURE() << source << ": " << std::get<StripRefusal>(stripped).message;
  return text == nullptr ? std::string() : *text;
}

StripRefusal refusal(std::string_view source) {
  const Stripped stripped = strip(source);
  const auto* refused = std::get_if<StripRefusal>(&stripped);
  EXPECT_NE(refused, nullptr) << source;
  return refused == nullptr ? StripRefusal() : *refused;
}

TEST(TypeScript, MakesTypesBlank) {
  EXPECT_EQ(code("const a: number = 1"), "const a         = 1");
  EXPECT_EQ(code("let b = a as string;"), "let b = a          ;");
  EXPECT_EQ(code("x!.y"), "x .y");
  EXPECT_EQ(code("f<T>(1)"), "f   (1)");
  EXPECT_EQ(code("const s = {} satisfies X"), "const s = {}            ");
  EXPECT_EQ(code("async (x: number): Promise<void> => {}"),
            "async (x        )                => {}");
}

TEST(TypeScript, KeepsLinesAndColumns) {
  const std::string source =
      "interface Row {\n  id: number;\n}\ntype Id = Row['id'];\nconst f = (r: Row): Id => r.id;\n"
      "import type { X } from './x.js';\n";
  const std::string stripped = code(source);
  ASSERT_EQ(stripped.size(), source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    EXPECT_EQ(stripped[i] == '\n', source[i] == '\n') << i;
    const bool is_kept = stripped[i] != ' ' && stripped[i] != ';';
    EXPECT_TRUE(!is_kept || stripped[i] == source[i]) << i;
  }
}

TEST(TypeScript, LeavesPlainJavaScriptAsItIs) {
  for (const std::string source : {"const a = 1;\nawait f(a)", "export default async () => 'é😀'",
                                   "for (const x of [1]) {}", ""})
    EXPECT_EQ(code(source), source);
}

TEST(TypeScript, AllowsReturnAtTheTop) {
  EXPECT_EQ(code("const a: number = 1\nreturn a"), "const a         = 1\nreturn a");
  const StripRefusal refused = refusal("enum E { A }; return 1");
  EXPECT_EQ(refused.kind, StripRefusal::Kind::unsupported);
  EXPECT_EQ(refused.line, 1u);
  EXPECT_EQ(refused.column, 1u);
}

TEST(TypeScript, RefusesWhatCannotBeStrippedWithItsPlace) {
  const StripRefusal an_enum = refusal("const a = 1;\n  enum E { A }\n");
  EXPECT_EQ(an_enum.kind, StripRefusal::Kind::unsupported);
  EXPECT_THAT(an_enum.message, HasSubstr("enum"));
  EXPECT_EQ(an_enum.line, 2u);
  EXPECT_EQ(an_enum.column, 3u);
  EXPECT_THAT(refusal("namespace N { export const x = 1 }").message, HasSubstr("namespace"));
  EXPECT_THAT(refusal("class P { constructor(private x: number) {} }").message,
              HasSubstr("parameter property"));
}

TEST(TypeScript, CountsColumnsInUtf16UnitsWhateverIsBeforeThem) {
  for (const char* before :
       {"", "\t\t", "'x'; ", "'é€'; ", "'你好'; \t", "'😀😀'; ", "'a\u0301'; "}) {
    const StripRefusal refused = refusal("const a = 1;\r\n" + std::string(before) + "enum E { A }");
    std::size_t units = 0;
    for (const char* at = before; *at != 0; ++at) {
      const auto byte = static_cast<unsigned char>(*at);
      if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 ? 2 : 1;
    }
    EXPECT_EQ(refused.line, 2u) << before;
    EXPECT_EQ(refused.column, units + 1) << before;
  }
  EXPECT_EQ(refusal("\tenum E { A }; return 1").column, 2u);
}

TEST(TypeScript, SaysWhereATextIsNoTypeScript) {
  const StripRefusal refused = refusal("const a = 1\nconst b: = 2");
  EXPECT_EQ(refused.kind, StripRefusal::Kind::invalid);
  EXPECT_EQ(refused.line, 2u);
}

TEST(TypeScript, SurvivesTextsThatAreNestedTooDeeply) {
  EXPECT_EQ(refusal("const x: any = " + std::string(100'000, '(')).kind,
            StripRefusal::Kind::invalid);
  EXPECT_EQ(refusal("let x: " + std::string(100'000, '[')).kind, StripRefusal::Kind::invalid);
}

Result<Stripped> strip_in(std::uint64_t memory_bytes, std::string source) {
  const auto job = StripJob::create(typescript(), std::move(source), memory_bytes);
  if (!job) return fail(job.error());
  return *(*job)->run(std::chrono::steady_clock::now() + 1h, never);
}

// Not as a text that is no TypeScript: that one is then tried as JavaScript.
TEST(TypeScript, TellsWhenItsMemoryIsNotEnough) {
  std::string source;
  for (int i = 0; i < 20'000; ++i) source += "const a" + std::to_string(i) + ": number = 1;\n";
  const Result<Stripped> in_little = strip_in(std::uint64_t{6} << 20, source);
  ASSERT_FALSE(in_little.has_value());
  EXPECT_EQ(in_little.error().code, ErrorCode::memory_limit);
  EXPECT_TRUE(std::holds_alternative<std::string>(*strip_in(enough, source)));
  // If the copies of a text alone are too much, no sandbox is made.
  EXPECT_EQ(strip_in(1000, std::string(251, ' ')).error().code, ErrorCode::memory_limit);
  // What is nested too deeply for its stack is another thing.
  const Result<Stripped> deep = strip_in(enough, "let x: " + std::string(100'000, '['));
  ASSERT_TRUE(deep.has_value());
  EXPECT_EQ(std::get<StripRefusal>(*deep).kind, StripRefusal::Kind::invalid);
}

TEST(TypeScript, RefusesATextThatIsTooLongForAnybody) {
  EXPECT_EQ(strip_in(std::uint64_t{4} << 30, std::string((16 << 20) + 1, ' ')).error().code,
            ErrorCode::too_large);
}

TEST(TypeScript, StopsAtTheEndOfItsSlice) {
  std::string source;
  for (int i = 0; i < 20'000; ++i) source += "const a" + std::to_string(i) + ": number = 1;\n";
  const auto job = *StripJob::create(typescript(), source, enough);
  const std::jthread ticker([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      typescript().engine().tick();
      std::this_thread::sleep_for(100us);
    }
  });
  int slices = 0;
  for (;;) {
    const auto done = job->run(std::chrono::steady_clock::now(), never);
    if (done) {
      EXPECT_TRUE(std::holds_alternative<std::string>(**done));
      break;
    }
    ++slices;
  }
  EXPECT_GT(slices, 0);
}

}  // namespace
}  // namespace cordon::js
