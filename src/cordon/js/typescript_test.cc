#include "cordon/js/typescript.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <ostream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/js/written_runs.h"

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
  const auto* made = std::get_if<JavaScript>(&stripped);
  if (made == nullptr) ADD_FAILURE() << source << ": " << std::get<StripRefusal>(stripped).message;
  return made == nullptr ? std::string() : made->text;
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
  EXPECT_EQ(code("enum E { A }; return E.A"),
            "\n    let E = /*#__PURE__*/ function(E) {\n        E[E[\"A\"] = 0] = \"A\";\n"
            "        return E;\n    }({});\n    ;\n    return 0;\n");
  const StripRefusal refused = refusal("return 1; const  a;");
  EXPECT_EQ(refused.kind, StripRefusal::Kind::invalid);
  EXPECT_EQ(refused.line, 1u);
  EXPECT_EQ(refused.column, 18u);
}

// What the engine's own parser knows is not refused here.
TEST(TypeScript, LeavesAModuleWithAReturnUnread) {
  EXPECT_EQ(refusal("import './a.js'; return 1").kind, StripRefusal::Kind::unread);
}

TEST(TypeScript, RefusesWhatMeansNothingHereWithItsPlace) {
  const StripRefusal required = refusal("const a = 1;\n  import b = require('b')\n");
  EXPECT_EQ(required.kind, StripRefusal::Kind::unsupported);
  EXPECT_THAT(required.message, HasSubstr("write `import x from"));
  EXPECT_EQ(required.line, 2u);
  EXPECT_EQ(required.column, 3u);
  EXPECT_THAT(refusal("export = 1").message, HasSubstr("write `export default`"));
  EXPECT_THAT(refusal("module M { let x = 1 }").message, HasSubstr("`namespace`"));
}

TEST(TypeScript, CountsColumnsInUtf16UnitsWhateverIsBeforeThem) {
  for (const char* before :
       {"", "\t\t", "'x'; ", "'é€'; ", "'你好'; \t", "'😀😀'; ", "'a\u0301'; "}) {
    const StripRefusal refused =
        refusal("const a = 1;\r\n" + std::string(before) + "module M { let x = 1 }");
    std::size_t units = 0;
    for (const char* at = before; *at != 0; ++at) {
      const auto byte = static_cast<unsigned char>(*at);
      if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 ? 2 : 1;
    }
    EXPECT_EQ(refused.line, 2u) << before;
    EXPECT_EQ(refused.column, units + 1) << before;
  }
  EXPECT_EQ(refusal("\treturn '€'; const a").column, 20u);
}

// What is written anew.

TEST(TypeScript, KeepsFieldsAndImportsOfWhatItWritesAnew) {
  EXPECT_EQ(
      code("class P { constructor(private x: number) {} y = this.x; }"),
      "class P {\n    x;\n    constructor(x){\n        this.x = x;\n    }\n    y = this.x;\n}\n");
  EXPECT_EQ(code("import { A, type B } from './a.ts'; import type { C } from './c.ts';"
                 "let a = <A>1"),
            "import { A } from './a.ts';\nlet a = 1;\n");
  EXPECT_EQ(code("import type { C } from './c.ts'; enum E {}").find("export"), std::string::npos);
}

struct Place {
  std::size_t line = 0;
  std::size_t column = 0;
  friend bool operator==(const Place&, const Place&) = default;
  friend void PrintTo(const Place& place, std::ostream* out) {
    *out << place.line << ':' << place.column;
  }
};

// Only for ASCII text.
Place place_of(std::string_view what, std::string_view text) {
  const std::string_view before = text.substr(0, text.find(what));
  return {static_cast<std::size_t>(std::ranges::count(before, '\n')),
          before.size() - (before.rfind('\n') + 1)};
}

// As the engine's parser finds it.
Place written(const JavaScript& made, Place place) {
  const WrittenRun* last = nullptr;
  const std::vector<WrittenRun> runs = *read_runs(made.runs);
  for (const WrittenRun& run : runs) {
    if (std::pair<std::size_t, std::size_t>(run.line, run.column) <=
        std::pair(place.line, place.column))
      last = &run;
  }
  if (last == nullptr || last->line != place.line) return {999, 999};
  return {last->written_line,
          last->written_column + std::min<std::size_t>(place.column - last->column, last->length)};
}

void expect_places(const std::string& source, std::initializer_list<std::string_view> parts) {
  const Stripped stripped = strip(source);
  const auto* made = std::get_if<JavaScript>(&stripped);
  ASSERT_NE(made, nullptr) << source;
  for (const std::string_view part : parts) {
    ASSERT_NE(made->text.find(part), std::string::npos) << part << " in " << made->text;
    EXPECT_EQ(written(*made, place_of(part, made->text)), place_of(part, source))
        << part << " in " << made->text;
  }
}

TEST(TypeScript, KnowsThePlacesOfWhatItWritesAnew) {
  expect_places(
      "interface A { a: number }\nenum E { One = first ( ) }\n\n\n"
      "namespace N {\n  export  const  b = second<A> ( 1 );\n"
      "   export function third( x : A ) { return  fourth\n  . fifth (x) [ sixth ] }\n}\n"
      "class C { constructor ( private seventh : A ) {  eighth() } }\n"
      "throw   new Ninth ( <A> tenth )",
      {"first", "second", "third", "fourth", "fifth", "sixth", "eighth", "throw", "new", "Ninth",
       "tenth"});
  expect_places("enum E {}\n  if (a) return  first . second ( )", {"if", "first", "second"});
  expect_places("const a = <any> 1; return  first . second ( )",
                {"const", "return", "first", "second"});
}

TEST(TypeScript, HasFewRunsWhereLittleHasChanged) {
  std::string source = "enum E { A }\n";
  for (int i = 0; i < 100; ++i) source += "const a" + std::to_string(i) + " = f(x, y(z).w[0]);\n";
  const Stripped stripped = strip(source);
  EXPECT_LT(std::get<JavaScript>(stripped).runs.size(), 120 * written_run_bytes);
}

TEST(TypeScript, SaysWhereATextIsNoTypeScript) {
  const StripRefusal refused = refusal("const a = 1\nconst b: = 2");
  EXPECT_EQ(refused.kind, StripRefusal::Kind::invalid);
  EXPECT_EQ(refused.line, 2u);
  EXPECT_EQ(refused.message, "Unexpected token `=`");
}

TEST(TypeScript, SurvivesTextsThatAreNestedTooDeeply) {
  EXPECT_EQ(refusal("const x: any = " + std::string(100'000, '(')).kind,
            StripRefusal::Kind::unread);
  EXPECT_EQ(refusal("let x: " + std::string(100'000, '[')).kind, StripRefusal::Kind::unread);
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
  EXPECT_TRUE(std::holds_alternative<JavaScript>(*strip_in(enough, source)));
  // If the copies of a text alone are too much, no sandbox is made.
  EXPECT_EQ(strip_in(1000, std::string(251, ' ')).error().code, ErrorCode::memory_limit);
  // What is nested too deeply for its stack is another thing.
  const Result<Stripped> deep = strip_in(enough, "let x: " + std::string(100'000, '['));
  ASSERT_TRUE(deep.has_value());
  EXPECT_EQ(std::get<StripRefusal>(*deep).kind, StripRefusal::Kind::unread);
}

TEST(TypeScript, TellsWhenTheMemoryIsNotEnoughForWhatItWritesAnew) {
  std::string source = "enum E { A }\n";
  for (int i = 0; i < 20'000; ++i) source += "const a" + std::to_string(i) + ": number = 1;\n";
  EXPECT_EQ(strip_in(std::uint64_t{16} << 20, source).error().code, ErrorCode::memory_limit);
  EXPECT_TRUE(std::holds_alternative<JavaScript>(*strip_in(enough, source)));
  // What grows with its indentation is not written out.
  std::string deep = "enum E { A }" + std::string(500, '{');
  for (int i = 0; i < 20'000; ++i) deep += "a\n";
  deep += std::string(500, '}');
  EXPECT_EQ(strip_in(enough, deep).error().code, ErrorCode::memory_limit);
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
      EXPECT_TRUE(std::holds_alternative<JavaScript>(**done));
      break;
    }
    ++slices;
  }
  EXPECT_GT(slices, 0);
}

}  // namespace
}  // namespace cordon::js
