#include "cordon/js/image.h"

#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/reader.h"
#include "cordon/js/guest.h"

namespace cordon::js {
namespace {

using namespace std::chrono_literals;

class Notes final : public GuestEvents {
 public:
  void on_call(std::uint64_t call, std::uint32_t, Result<Value>, std::size_t) override {
    calls.push_back(call);
  }
  void on_log(LogLevel, std::string_view text) override { logs.emplace_back(text); }
  void on_finish(Outcome end) override { outcome = std::move(end); }
  void on_ready(std::vector<std::string> names) override { ready = std::move(names); }
  void on_reply(std::uint64_t, Outcome) override {}
  Result<std::string> resolve(std::string_view, std::string_view name, ImportKind) override {
    return std::string(name);
  }
  std::optional<Result<Stripped>> load(std::string_view, ImportKind) override {
    return fail(ErrorCode::not_found, "none");
  }

  Value result() {
    EXPECT_TRUE(outcome.has_value());
    if (!outcome) return {};
    const auto* thrown = std::get_if<Thrown>(&*outcome);
    EXPECT_EQ(thrown, nullptr) << (thrown != nullptr ? thrown->error.message : "");
    auto* value = std::get_if<Value>(&*outcome);
    return value != nullptr ? std::move(*value) : Value();
  }

  std::vector<std::uint64_t> calls;
  std::vector<std::string> logs;
  std::vector<std::string> ready;
  std::optional<Outcome> outcome;
};

const std::atomic<bool> never = false;

// Two engines, as two processes have them: their slots lie elsewhere.
const GuestModule& here() {
  static const std::unique_ptr<GuestModule> loaded = *GuestModule::create({});
  return *loaded;
}
const GuestModule& elsewhere() {
  static const std::unique_ptr<GuestModule> loaded = *GuestModule::create({.slots = 4});
  return *loaded;
}

struct Living {
  explicit Living(const GuestModule& module, const GuestLimits& limits = {})
      : guest(*Guest::create(module, limits, notes)) {}

  void start(std::string_view source, Form form = Form::program) {
    const Namespace tools{"tools", {"ask", "tell"}};
    ASSERT_TRUE(
        guest->start({.form = form, .name = "p.js", .source = source, .namespaces = {&tools, 1}}));
    run();
  }
  void resume(const Image& image, Guest::Resumed how = Guest::Resumed::goes_on) {
    ASSERT_TRUE(guest->resume(image, ValueRule::strict, {}, how, steady_nanoseconds()));
    run();
  }
  void run() { step = guest->run(std::chrono::steady_clock::now() + 10s, never); }

  Notes notes;
  std::unique_ptr<Guest> guest;
  GuestStep step = GuestStep::idle;
};

Image waiting_image(std::string_view source) {
  Living living(here());
  living.start(source);
  EXPECT_EQ(living.step, GuestStep::idle);
  EXPECT_EQ(living.notes.calls.size(), 1u);
  return *living.guest->capture();
}

TEST(Image, OfAWaitingGuestGoesOnElsewhereWithItsVariables) {
  Living first(here());
  first.start(
      "const m = new Map([['a', 1]]); let n = 40; const got = await tools.ask({n}); n + got + "
      "m.get('a')");
  const Image image = *first.guest->capture();
  const std::uint64_t call = first.notes.calls.at(0);

  Living second(elsewhere());
  second.resume(image);
  ASSERT_TRUE(second.guest->settle(call, Value(2)));
  second.run();
  EXPECT_EQ(second.notes.result(), Value(43));
}

TEST(Image, IsSmall) {
  const Image image = waiting_image("const answer = await tools.ask({question: 'who?'}); answer");
  EXPECT_LT(image.runs.size(), 16u << 10);
  EXPECT_GT(image.runs.size(), 100u);
}

TEST(Image, LeavesTheGuestThatItWasTakenOfAsItWas) {
  Living living(here());
  living.start("await tools.ask() + 1");
  const Image image = *living.guest->capture();
  EXPECT_EQ(living.guest->capture()->runs, image.runs);
  ASSERT_TRUE(living.guest->settle(living.notes.calls.at(0), Value(1)));
  living.run();
  EXPECT_EQ(living.notes.result(), Value(2));
}

TEST(Image, OfAGrownMemoryIsRestoredWhole) {
  Living first(here());
  first.start(
      "const big = new Uint8Array(9e6).fill(7); await tools.ask(); big.reduce((a, b) => a + b)");
  const Image image = *first.guest->capture();
  EXPECT_GT(image.memory_bytes(), 9'000'000u);
  Living second(elsewhere());
  second.resume(image);
  ASSERT_TRUE(second.guest->settle(first.notes.calls.at(0), Value()));
  second.run();
  EXPECT_EQ(second.notes.result(), Value(63'000'000));

  GuestLimits limits;
  limits.memory_bytes = 4u << 20;
  Living small(elsewhere(), limits);
  const Result<> resumed = small.guest->resume(image, ValueRule::strict, {},
                                               Guest::Resumed::goes_on, steady_nanoseconds());
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.error().code, ErrorCode::memory_limit);
}

TEST(Image, StartsAnyNumberOfExecutionsThatShareNothing) {
  Living module(here());
  module.start(
      "let count = 0; const seen = new Set([1]);"
      "export default input => [++count, input, seen.has(1), Math.random(), crypto.randomUUID()]",
      Form::exports);
  EXPECT_EQ(module.notes.ready, std::vector<std::string>{"default"});
  const Image image = *module.guest->capture();
  std::set<double> numbers;
  std::set<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    Living started(elsewhere());
    started.resume(image, Guest::Resumed::starts);
    const Value input(i);
    ASSERT_TRUE(started.guest->invoke({.function = "default", .arguments = {&input, 1}}));
    started.run();
    const Value result = started.notes.result();
    EXPECT_EQ(result[0], Value(1));
    EXPECT_EQ(result[1], Value(i));
    EXPECT_EQ(result[2], Value(true));
    numbers.insert(result[3].value_or(0.0));
    ids.insert(result[4].value_or(std::string()));
  }
  EXPECT_EQ(numbers.size(), 3u);
  EXPECT_EQ(ids.size(), 3u);
}

TEST(Image, DoesNotCountTheTimeThatAGuestSleeps) {
  Living first(here());
  first.start(
      "const start = performance.now(); let fired = false; setTimeout(() => { fired = true }, "
      "60000);"
      "await tools.ask(); [fired, performance.now() - start < 30000]");
  Image image = *first.guest->capture();
  Living second(elsewhere());
  // As of a machine that has been up for a year less.
  const std::int64_t year = std::int64_t{365} * 86'400 * 1'000'000'000;
  ASSERT_TRUE(second.guest->resume(image, ValueRule::strict, {}, Guest::Resumed::goes_on,
                                   steady_nanoseconds()));
  image.clock += year;
  Living third(elsewhere());
  ASSERT_TRUE(third.guest->resume(image, ValueRule::strict, {}, Guest::Resumed::goes_on,
                                  steady_nanoseconds() + year));
  for (Living* living : {&second, &third}) {
    living->run();
    ASSERT_TRUE(living->guest->timer_after().has_value());
    EXPECT_GT(*living->guest->timer_after(), 50s);
    EXPECT_LE(*living->guest->timer_after(), 60s);
    ASSERT_TRUE(living->guest->settle(first.notes.calls.at(0), Value()));
    living->run();
    EXPECT_EQ(living->notes.result(), Value::array({false, true}));
  }
}

TEST(Image, IsNotTakenOfAGuestThatRuns) {
  Living living(here());
  const Namespace none{"tools", {}};
  ASSERT_TRUE(
      living.guest->start({.name = "p.js", .source = "for (;;);", .namespaces = {&none, 1}}));
  EXPECT_FALSE(living.guest->capture()) << "its program is queued";
}

TEST(Image, WithBytesOutsideOfItsMemoryIsRefused) {
  Image image = waiting_image("await tools.ask()");
  image.runs.insert(image.runs.end(), {0xff, 0xff, 0xff, 0xff, 0x0f, 1, 1});
  EXPECT_FALSE(check_runs(image));
  Living living(elsewhere());
  EXPECT_FALSE(living.guest->resume(image, ValueRule::strict, {}, Guest::Resumed::goes_on, 0));
  image.memory_pages = 1;
  EXPECT_FALSE(living.guest->resume(image, ValueRule::strict, {}, Guest::Resumed::goes_on, 0));
}

// A guest is its memory and its mutable globals, so the only one that there may be is the stack
// pointer, whose value at rest is known.
TEST(Image, NeedsNoGlobalButTheStackPointer) {
  std::ifstream file(CORDON_GUEST_WASM, std::ios::binary);
  const Bytes wasm(std::istreambuf_iterator<char>(file), {});
  ASSERT_GT(wasm.size(), 8u);
  Reader in(BytesView(wasm).subspan(8));
  constexpr std::uint8_t globals_section = 6;
  std::size_t mutable_globals = 0;
  bool found = false;
  while (!in.at_end()) {
    const std::uint8_t id = *in.u8();
    const BytesView section = *in.sized_bytes();
    if (id != globals_section) continue;
    found = true;
    Reader entries(section);
    const std::uint64_t count = *entries.varint();
    for (std::uint64_t i = 0; i < count; ++i) {
      ASSERT_EQ(*entries.u8(), 0x7f) << "an i32";
      mutable_globals += *entries.u8();
      ASSERT_EQ(*entries.u8(), 0x41) << "a constant";
      ASSERT_TRUE(entries.varint());
      ASSERT_EQ(*entries.u8(), 0x0b) << "its end";
    }
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(mutable_globals, 1u);

  Living living(here());
  living.start("const deep = n => n ? deep(n - 1) : 0; deep(500); await tools.ask()");
  EXPECT_TRUE(living.guest->capture()) << "it checks that the stack is empty";
}

}  // namespace
}  // namespace cordon::js
