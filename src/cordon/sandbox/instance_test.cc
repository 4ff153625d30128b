#include "cordon/sandbox/instance.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::sandbox {
namespace {

using namespace std::chrono_literals;

Proceed add_one(Instance&, std::span<RawValue> values) {
  ++values[0].i32;
  return Proceed::on;
}
Proceed stop(Instance&, std::span<RawValue>) { return Proceed::stop; }
Proceed grow(Instance& instance, std::span<RawValue> values) {
  const auto pages = instance.grow_memory(static_cast<std::uint32_t>(values[0].i32));
  values[0].i32 = pages ? static_cast<std::int32_t>(*pages) : -1;
  return Proceed::on;
}

// Answers the sum of its arguments once it was called often enough.
struct Patience {
  int calls_left = 0;
  int calls = 0;
  Proceed then = Proceed::on;
};
Proceed later(Instance& instance, std::span<RawValue> values) {
  Patience& patience = *static_cast<Patience*>(instance.owner());
  ++patience.calls;
  if (patience.calls_left-- > 0) {
    values[0].i32 = 99;  // what it leaves there is not an argument of the next call
    return Proceed::wait;
  }
  values[0].i64 = values[0].i32 + values[1].i64;
  return patience.then;
}

constexpr std::array functions = {
    HostFunction{"add_one", "i:i", add_one},
    HostFunction{"stop", ":", stop},
    HostFunction{"grow", "i:i", grow},
    HostFunction{"later", "iI:I", later, true},
};

// `enter` does what its first argument says.
constexpr std::string_view guest = R"((module
  (import "test" "add_one" (func $add_one (param i32) (result i32)))
  (import "test" "stop" (func $stop))
  (import "test" "grow" (func $grow (param i32) (result i32)))
  (import "test" "later" (func $later (param i32 i64) (result i64)))
  (memory (export "memory") 2)
  (global (export "address") i32 (i32.const 1234))
  (func $deeper (param i32) (result i32)
    (i32.add (i32.const 1) (call $deeper (local.get 0))))
  (func (export "enter") (param $what i32) (param $with i32) (result i32)
    (if (i32.eq (local.get $what) (i32.const 0)) (then (return (call $add_one (local.get $with)))))
    (if (i32.eq (local.get $what) (i32.const 1)) (then (loop $forever (br $forever))))
    (if (i32.eq (local.get $what) (i32.const 2)) (then (call $stop)))
    (if (i32.eq (local.get $what) (i32.const 3)) (then (return (call $grow (local.get $with)))))
    (if (i32.eq (local.get $what) (i32.const 4)) (then (return (call $deeper (local.get $with)))))
    (if (i32.eq (local.get $what) (i32.const 5)) (then (return (memory.grow (local.get $with)))))
    (if (i32.eq (local.get $what) (i32.const 6)) (then unreachable))
    (if (i32.eq (local.get $what) (i32.const 7)) (then
      (return (i32.wrap_i64 (call $later (local.get $with) (i64.const 40))))))
    (i32.const 7))))";

const std::atomic<bool> never = false;

enum : std::uint32_t { add, spin, stop_now, host_grow, recurse, own_grow, trap, ask_later };

class InstanceOf : public testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override {
    engine_ = std::make_unique<Engine>(*Engine::create({.slots = GetParam()}));
    module_ = std::make_unique<Module>(*Module::compile(*engine_, *from_text(guest)));
    template_ = *Template::create(*engine_, *module_, "test", functions);
  }

  std::unique_ptr<Instance> make(std::uint64_t memory_bytes = 1 << 20) {
    auto made = Instance::create(template_, {.memory_bytes = memory_bytes}, nullptr);
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }

  std::unique_ptr<Instance> make_for(Patience& owner) {
    auto made = Instance::create(template_, {}, &owner);
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }

  std::unique_ptr<Instance> make_with(const MemoryFile& tail, std::uint32_t tail_at) {
    auto made = Instance::create(template_, {.tail = &tail, .tail_at = tail_at}, nullptr);
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }

  static Progress call(Instance& instance, std::uint32_t what, std::uint32_t with = 0) {
    instance.begin(what, with);
    return instance.run(std::chrono::steady_clock::now() + 1h, never);
  }

  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Module> module_;
  Template template_;
};

TEST_P(InstanceOf, CallsTheHostAndReturns) {
  const auto instance = make();
  EXPECT_EQ(call(*instance, add, 41), Progress::returned);
  EXPECT_EQ(instance->result(), 42u);
}

TEST_P(InstanceOf, YieldsAtTheEndOfItsSliceAndGoesOn) {
  const auto instance = make();
  std::atomic<bool> over = false;
  std::thread ticker([&] {
    for (; !over; std::this_thread::sleep_for(1ms)) engine_->tick();
  });
  instance->begin(spin, 0);
  EXPECT_EQ(instance->run(std::chrono::steady_clock::now() + 3ms, never), Progress::yielded);
  EXPECT_TRUE(instance->is_running());
  std::atomic<bool> interrupt = false;
  std::thread interrupter([&] {
    std::this_thread::sleep_for(5ms);
    interrupt = true;
  });
  EXPECT_EQ(instance->run(std::chrono::steady_clock::now() + 1h, interrupt), Progress::yielded);
  interrupter.join();
  over = true;
  ticker.join();
}

TEST_P(InstanceOf, StopsWhereAHostFunctionSaysSo) {
  const auto instance = make();
  EXPECT_EQ(call(*instance, stop_now), Progress::stopped);
}

TEST_P(InstanceOf, WaitsInAHostFunctionThatHasNoAnswerYet) {
  Patience patience{.calls_left = 3};
  const auto instance = make_for(patience);
  EXPECT_EQ(call(*instance, ask_later, 2), Progress::waiting);
  EXPECT_TRUE(instance->is_running());
  EXPECT_EQ(patience.calls, 1);
  const Instant end = std::chrono::steady_clock::now() + 1h;
  // Each run asks once, on whatever thread.
  std::thread([&] { EXPECT_EQ(instance->run(end, never), Progress::waiting); }).join();
  EXPECT_EQ(instance->run(end, never), Progress::waiting);
  EXPECT_EQ(patience.calls, 3);
  EXPECT_EQ(instance->run(end, never), Progress::returned);
  EXPECT_EQ(instance->result(), 42u);
  EXPECT_EQ(call(*instance, ask_later, 3), Progress::returned) << "an answer at once";
  EXPECT_EQ(instance->result(), 43u);
}

TEST_P(InstanceOf, CanBeStoppedAndDroppedWhileItWaits) {
  Patience patience{.calls_left = 1, .then = Proceed::stop};
  auto stopped = make_for(patience);
  EXPECT_EQ(call(*stopped, ask_later), Progress::waiting);
  EXPECT_EQ(stopped->run(std::chrono::steady_clock::now() + 1h, never), Progress::stopped);
  stopped.reset();
  for (int i = 0; i < 20; ++i) {
    Patience endless{.calls_left = 1000};
    auto dropped = make_for(endless);
    EXPECT_EQ(call(*dropped, ask_later), Progress::waiting);
    dropped.reset();
    EXPECT_EQ(endless.calls, 1);
  }
}

TEST_P(InstanceOf, HasAMemoryLimitThatHoldsForGuestAndHost) {
  const auto instance = make(4 * 65536);
  EXPECT_EQ(call(*instance, host_grow, 1), Progress::returned);
  EXPECT_EQ(instance->result(), 2u);
  EXPECT_EQ(call(*instance, own_grow, 1), Progress::returned);
  EXPECT_EQ(instance->result(), 3u);
  EXPECT_FALSE(instance->was_refused_memory());
  EXPECT_EQ(call(*instance, own_grow, 1), Progress::returned);
  EXPECT_EQ(instance->result(), 0xFFFFFFFFu) << "memory.grow past the limit";
  EXPECT_TRUE(instance->was_refused_memory());
  EXPECT_EQ(call(*instance, host_grow, 2), Progress::returned);
  EXPECT_EQ(instance->result(), 0xFFFFFFFFu);
  EXPECT_EQ(call(*instance, host_grow, 0xFFFFFFFF), Progress::returned);
  EXPECT_EQ(instance->result(), 0xFFFFFFFFu) << "a growth that overflows";
  EXPECT_EQ(instance->memory().size(), 4u * 65536);
}

TEST_P(InstanceOf, AllowsNoGrowthWhereTheLimitIsBelowTheInitialMemory) {
  const auto instance = make(1);
  EXPECT_EQ(call(*instance, own_grow, 1), Progress::returned);
  EXPECT_EQ(instance->result(), 0xFFFFFFFFu);
}

TEST_P(InstanceOf, TellsAStackOverflowFromOtherTraps) {
  auto deep = make();
  EXPECT_EQ(call(*deep, recurse), Progress::trapped);
  EXPECT_EQ(deep->trap(), Trap::stack_overflow);
  deep.reset();
  const auto broken = make();
  EXPECT_EQ(call(*broken, trap), Progress::trapped);
  EXPECT_EQ(broken->trap(), Trap::other);
  EXPECT_THAT(broken->trap_text(), testing::HasSubstr("unreachable"));
}

TEST_P(InstanceOf, LendsOnlyMemoryThatTheGuestHas) {
  const auto instance = make();
  EXPECT_EQ(instance->memory_at(0, 131072).size(), 131072u);
  EXPECT_EQ(instance->memory_at(131072, 0).size(), 0u);
  EXPECT_TRUE(instance->memory_at(131071, 2).empty());
  EXPECT_TRUE(instance->memory_at(0xFFFFFFFF, 0xFFFFFFFF).empty());
  EXPECT_EQ(instance->exported_address("address"), 1234u);
  EXPECT_FALSE(instance->exported_address("nothing").has_value());
}

TEST_P(InstanceOf, StartsWithMemoryThatNobodyUsedBefore) {
  for (int i = 0; i < 3; ++i) {
    const auto instance = make();
    const auto memory = instance->memory();
    EXPECT_TRUE(std::ranges::all_of(memory, [](std::uint8_t byte) { return byte == 0; }));
    std::ranges::fill(memory, std::uint8_t{0xAA});
  }
}

TEST_P(InstanceOf, BeginsWithACopyOfAFileThatNoLaterGuestSees) {
  constexpr std::uint32_t at = 2 * 65536;
  const Bytes content(3 * 65536, 0xAB);
  const Bytes other_content(4 * 65536, 0xCD);
  const MemoryFile file = *MemoryFile::create(content);
  const MemoryFile other_file = *MemoryFile::create(other_content);
  const auto expect_empty = [&] {
    auto without = make();
    ASSERT_EQ(*without->grow_memory(6), 2u);
    EXPECT_TRUE(
        std::ranges::all_of(without->memory(), [](std::uint8_t byte) { return byte == 0; }));
  };
  const auto begin_and_write = [&](const MemoryFile& tail, BytesView expected) {
    auto with_file = make_with(tail, at);
    const auto memory = with_file->memory();
    ASSERT_TRUE(std::ranges::equal(memory.subspan(at), expected));
    // What it writes is its own, in the file's part, before it and past it.
    memory[0] = memory[at] = memory[at + 70'000] = memory.back() = 1;
    ASSERT_EQ(call(*with_file, own_grow, 2), Progress::returned);
    EXPECT_EQ(with_file->result(), memory.size() / 65536);
    with_file->memory()[memory.size()] = 1;
    EXPECT_TRUE(with_file->has_tail(tail));
  };
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    begin_and_write(file, content);
    begin_and_write(file, content);  // the slot still has it
    if (round != 0) expect_empty();
    begin_and_write(other_file, other_content);
    begin_and_write(file, content);
    expect_empty();
  }
  // Those that get no further leave nothing either.
  begin_and_write(file, content);
  EXPECT_EQ(
      Instance::create(template_, {.memory_bytes = 65536, .tail = &file, .tail_at = at}, nullptr)
          .error()
          .code,
      ErrorCode::memory_limit);
  EXPECT_FALSE(Instance::create(template_, {.tail = &file, .tail_at = 65536}, nullptr).has_value());
  expect_empty();
}

// More than half of a huge page, and less than a whole one.
TEST_P(InstanceOf, MapsACopyOfALargeFile) {
  constexpr std::uint32_t at = 2 * 65536;
  constexpr std::uint32_t pages = 20;
  Bytes content(pages * 65536);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::uint8_t>(i / 4096);
  const MemoryFile file = *MemoryFile::create(content);
  EXPECT_EQ(file.size(), content.size());
  for (int round = 0; round < 2; ++round) {
    const auto instance = make_with(file, at);
    ASSERT_EQ(*instance->grow_memory(1), 2 + pages);
    const auto memory = instance->memory();
    EXPECT_TRUE(std::ranges::equal(memory.subspan(at, content.size()), content));
    EXPECT_EQ(memory[at + content.size()], 0);
    std::ranges::fill(memory, std::uint8_t{0xAA});
  }
}

// What the kernel says of each page (pagemap in proc(5)).
std::vector<std::uint64_t> page_table(std::span<const std::uint8_t> memory) {
  std::vector<std::uint64_t> entries(memory.size() / 4096);
  const auto first = reinterpret_cast<std::uintptr_t>(memory.data()) / 4096;
  const int table = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  const std::size_t bytes = entries.size() * sizeof(std::uint64_t);
  EXPECT_EQ(pread(table, entries.data(), bytes, static_cast<off_t>(first * sizeof(std::uint64_t))),
            static_cast<ssize_t>(bytes));
  close(table);
  return entries;
}

// Pages that are a guest's own by now.
std::size_t own_pages(std::span<const std::uint8_t> memory) {
  constexpr std::uint64_t is_present = std::uint64_t{1} << 63;
  constexpr std::uint64_t is_of_file = std::uint64_t{1} << 61;
  return static_cast<std::size_t>(std::ranges::count_if(
      page_table(memory),
      [](std::uint64_t entry) { return (entry & is_present) != 0 && (entry & is_of_file) == 0; }));
}

// Has the kernel put a memory's pages out, to swap. Where the machine has none they stay, and the
// tests that use this try less: they say so.
class PagesOut {
 public:
  ~PagesOut() {
    if (pages_ > 0) return;
    testing::Test::RecordProperty("swap", "none");
    std::cout << "this machine has no swap: pages stayed resident, and only that was tried\n";
  }
  void operator()(std::span<std::uint8_t> memory) {
    constexpr std::uint64_t is_swapped = std::uint64_t{1} << 62;
    constexpr int madv_pageout = 21;  // MADV_PAGEOUT, of Linux 5.4
    madvise(memory.data(), memory.size(), madv_pageout);
    pages_ += static_cast<std::size_t>(std::ranges::count_if(
        page_table(memory), [](std::uint64_t entry) { return (entry & is_swapped) != 0; }));
  }

 private:
  std::size_t pages_ = 0;
};

bool is_zero(std::span<const std::uint8_t> memory) {
  return std::ranges::all_of(memory, [](std::uint8_t byte) { return byte == 0; });
}

TEST_P(InstanceOf, LeavesNothingThoughItsPagesAreSwappedOut) {
  PagesOut put_out;
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    const auto instance = make();
    ASSERT_EQ(*instance->grow_memory(8), 2u);
    ASSERT_TRUE(is_zero(instance->memory()));
    std::ranges::fill(instance->memory(), std::uint8_t{0xAA});
    put_out(instance->memory());
  }
}

TEST_P(InstanceOf, LeavesNothingInACopyOfAFileThatIsSwappedOut) {
  constexpr std::uint32_t at = 2 * 65536;
  const Bytes content(8 * 65536, 0xAB);
  const MemoryFile file = *MemoryFile::create(content);
  PagesOut put_out;
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    std::span<std::uint8_t> left;
    {
      const auto instance = make_with(file, at);
      const auto memory = instance->memory();
      ASSERT_TRUE(is_zero(memory.first(at)));
      ASSERT_TRUE(std::ranges::equal(memory.subspan(at), content));
      std::ranges::fill(memory.first(at + content.size() / 2), std::uint8_t{0xAA});
      put_out(memory);
      left = memory.subspan(at);
    }
    // As it lies in its slot, where there are slots.
    if (GetParam() > 0 && has_pagemap_scan()) put_out(left);
    if (round == 2) {
      EXPECT_TRUE(is_zero(make()->memory())) << "of one without the file";
    }
  }
}

TEST(Instance, LeavesNoPagesToTheNextIfItGivesThemBack) {
  const Engine engine = *Engine::create({.slots = 1});
  const Module module = *Module::compile(engine, *from_text(guest));
  const Template code = *Template::create(engine, module, "test", functions);
  const auto write_all = [&](bool gives_back) {
    const auto instance = *Instance::create(code, {}, nullptr);
    std::ranges::fill(instance->memory(), std::uint8_t{0xAA});
    if (gives_back) instance->give_pages_back();
  };
  const auto left = [&] { return own_pages((*Instance::create(code, {}, nullptr))->memory()); };
  write_all(false);
  EXPECT_EQ(left(), 32u) << "2 pages of 64 KiB";
  write_all(true);
  EXPECT_EQ(left(), 0u);
}

INSTANTIATE_TEST_SUITE_P(RawValues, InstanceOf, testing::Values(0u, 1u, 16u),
                         [](const auto& slots) { return "Slots" + std::to_string(slots.param); });

TEST(Instance, IsRefusedWhereNoSlotIsFree) {
  const Engine engine = *Engine::create({.slots = 1});
  const std::string_view text =
      R"((module (memory (export "memory") 1) (func (export "enter") (param i32 i32) (result i32) (i32.const 0))))";
  const Module module = *Module::compile(engine, *from_text(text));
  const Template code = *Template::create(engine, module, "test", {});
  const auto first = Instance::create(code, {}, nullptr);
  ASSERT_TRUE(first.has_value());
  const auto second = Instance::create(code, {}, nullptr);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::overloaded);
}

TEST(Engine, ReportsAPoolThatDoesNotFitInsteadOfAborting) {
  const auto engine = Engine::create({.slots = 4'000'000});
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().code, ErrorCode::unavailable);
}

TEST(Template, RefusesAnImportThatNobodyGives) {
  const Engine engine = *Engine::create({});
  const std::string_view text = R"((module (import "env" "open" (func))))";
  const Module module = *Module::compile(engine, *from_text(text));
  EXPECT_THAT(module.imports(), testing::ElementsAre("env.open"));
  EXPECT_FALSE(Template::create(engine, module, "test", functions).has_value());
}

TEST(Module, RefusesWhatNoGuestOfOursNeeds) {
  const Engine engine = *Engine::create({});
  for (const std::string_view text : {
           "(module (memory 1 2 shared))",
           "(module (memory i64 1))",
           "(module (memory 1) (memory 1))",
           "(module (type (struct (field i32))))",
           "(module (tag))",
           "(component)",
       }) {
    const auto wasm = from_text(text);
    EXPECT_FALSE(wasm && Module::compile(engine, *wasm)) << text;
  }
}

}  // namespace
}  // namespace cordon::sandbox
