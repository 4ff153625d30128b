#include "cordon/sandbox/idle_slots.h"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <sys/mman.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/sandbox/instance.h"

namespace cordon::sandbox {
namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t resident_pages(std::span<std::uint8_t> memory) {
  std::vector<unsigned char> pages(memory.size() / page_bytes);
  EXPECT_EQ(mincore(memory.data(), memory.size(), pages.data()), 0);
  return static_cast<std::size_t>(
      std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; }));
}

// Some pages, all of them written to.
class WrittenPages {
 public:
  explicit WrittenPages(std::size_t count)
      : memory_(static_cast<std::uint8_t*>(mmap(nullptr, count * page_bytes, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
                count * page_bytes) {
    std::ranges::fill(memory_, std::uint8_t{7});
  }
  ~WrittenPages() { munmap(memory_.data(), memory_.size()); }
  WrittenPages(const WrittenPages&) = delete;
  WrittenPages& operator=(const WrittenPages&) = delete;

  std::span<std::uint8_t> memory() const { return memory_; }

 private:
  std::span<std::uint8_t> memory_;
};

TEST(IdleSlots, GivesBackWhatGuestsLeftOnce) {
  const WrittenPages one(8);
  const WrittenPages two(4);
  IdleSlots slots;
  EXPECT_EQ(slots.give_back(), 0u);
  slots.leave(one.memory());
  slots.leave(two.memory());
  EXPECT_EQ(slots.give_back(), 12 * page_bytes);
  EXPECT_EQ(resident_pages(one.memory()) + resident_pages(two.memory()), 0u);
  EXPECT_EQ(slots.give_back(), 0u);
}

TEST(IdleSlots, LeavesSlotsAloneThatAreTaken) {
  const WrittenPages pages(8);
  IdleSlots slots;
  slots.leave(pages.memory());
  slots.take(pages.memory().data());
  EXPECT_EQ(slots.give_back(), 0u);
  EXPECT_EQ(pages.memory().back(), 7);
  slots.leave(pages.memory());
  slots.forget();
  EXPECT_EQ(slots.give_back(), 0u);
  EXPECT_EQ(pages.memory().back(), 7);
}

TEST(IdleSlots, WaitsForWhoeverHandsASlotOver) {
  const WrittenPages pages(1);
  IdleSlots slots;
  slots.leave(pages.memory());
  std::atomic<bool> is_over = false;
  IdleSlots::HandOver hand_over = slots.hand_over();
  std::thread other([&] {
    EXPECT_EQ(slots.give_back(), 0u);
    is_over = true;
  });
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  EXPECT_FALSE(is_over);
  slots.take(pages.memory().data());
  hand_over.unlock();
  other.join();
}

constexpr std::string_view guest = R"((module
  (memory (export "memory") 2)
  (data (i32.const 70000) "fresh")
  (func (export "enter") (param i32 i32) (result i32) (i32.const 0))))";

class IdleSlotsOfAnEngine : public testing::Test {
 protected:
  std::unique_ptr<Instance> make() { return *Instance::create(code_, {}, nullptr); }

  static bool is_fresh(const Instance& instance) {
    const std::span<std::uint8_t> memory = instance.memory();
    constexpr std::string_view text = "fresh";
    return std::equal(text.begin(), text.end(), memory.begin() + 70'000) &&
           std::ranges::all_of(memory.first(70'000), [](std::uint8_t byte) { return byte == 0; });
  }

  const Engine engine_ = *Engine::create({.slots = 8});
  const Module module_ = *Module::compile(engine_, *from_text(guest));
  const Template code_ = *Template::create(engine_, module_, "test", {});
};

TEST_F(IdleSlotsOfAnEngine, HaveNoPagesLeftAndFreshGuestsAllTheSame) {
  std::vector<std::unique_ptr<Instance>> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(make());
    std::ranges::fill(all.back()->memory(), std::uint8_t{0xAA});
  }
  const std::unique_ptr<Instance> kept = std::move(all.back());
  all.clear();
  EXPECT_EQ(engine_.idle_slots()->give_back(), 7 * kept->memory().size());
  EXPECT_EQ(kept->memory()[5], 0xAA) << "a guest that lives keeps its memory";
  for (int i = 0; i < 7; ++i) {
    all.push_back(make());
    EXPECT_LT(resident_pages(all.back()->memory()), 4u);
    EXPECT_TRUE(is_fresh(*all.back()));
  }
}

TEST_F(IdleSlotsOfAnEngine, GiveBackWhileGuestsComeAndGo) {
  std::atomic<bool> is_over = false;
  std::thread giving([&] {
    while (!is_over) engine_.idle_slots()->give_back();
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        const std::unique_ptr<Instance> instance = make();
        ASSERT_TRUE(is_fresh(*instance));
        std::ranges::fill(instance->memory(), std::uint8_t{0xAA});
        std::this_thread::yield();
        ASSERT_TRUE(
            std::ranges::all_of(instance->memory(), [](auto byte) { return byte == 0xAA; }));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  giving.join();
}

}  // namespace
}  // namespace cordon::sandbox
