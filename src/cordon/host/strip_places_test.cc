#include "cordon/host/strip_places.h"

#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

// Asks, and keeps what it gets.
struct Guest {
  explicit Guest(StripPlaces& places, bool wants = true)
      : got(places.ask([this, wants](StripPlaces::Place& place) {
          ++offers;
          if (wants) got = std::move(place);
          return wants;
        })) {}

  bool has_place() const { return std::holds_alternative<StripPlaces::Place>(got); }

  int offers = 0;
  std::variant<StripPlaces::Place, StripPlaces::Waiting> got;
};

TEST(StripPlaces, AreSoManyAndOthersWaitInTurn) {
  StripPlaces places(2);
  std::optional<Guest> first(places);
  std::optional<Guest> second(places);
  Guest third(places);
  Guest fourth(places);
  EXPECT_TRUE(first->has_place());
  EXPECT_TRUE(second->has_place());
  EXPECT_FALSE(third.has_place());
  EXPECT_FALSE(fourth.has_place());
  second.reset();
  EXPECT_TRUE(third.has_place());
  EXPECT_FALSE(fourth.has_place());
  first.reset();
  EXPECT_TRUE(fourth.has_place());
  EXPECT_FALSE(Guest(places).has_place());
}

TEST(StripPlaces, GoOnToTheNextWhereSomebodyWantsNoneAnyMore) {
  StripPlaces places(1);
  std::optional<Guest> first(places);
  Guest dead(places, false);
  Guest dead_too(places, false);
  Guest alive(places);
  first.reset();
  EXPECT_EQ(dead.offers, 1);
  EXPECT_EQ(dead_too.offers, 1);
  EXPECT_TRUE(alive.has_place());
}

TEST(StripPlaces, AreFreeWhereNobodyWantsThem) {
  StripPlaces places(1);
  {
    const Guest first(places);
    const Guest dead(places, false);
    EXPECT_FALSE(dead.has_place());
  }
  EXPECT_TRUE(Guest(places).has_place());
  EXPECT_TRUE(Guest(places).has_place()) << "once";
}

TEST(StripPlaces, AreNotOfferedToWhoLeftTheQueue) {
  StripPlaces places(1);
  std::optional<Guest> first(places);
  int offers = 0;
  std::optional<std::variant<StripPlaces::Place, StripPlaces::Waiting>> left =
      places.ask([&](StripPlaces::Place&) {
        ++offers;
        return false;
      });
  Guest next(places);
  left.reset();
  first.reset();
  EXPECT_EQ(offers, 0);
  EXPECT_TRUE(next.has_place());
}

TEST(StripPlaces, AreNeverMoreAndNeverLostWhoeverTakesThem) {
  StripPlaces places(3);
  std::atomic<int> taken = 0;
  std::atomic<int> most = 0;
  const auto work = [&] {
    for (int i = 0; i < 2000; ++i) {
      std::atomic<bool> has_place = false;
      std::optional<StripPlaces::Place> place;
      auto asked = places.ask([&](StripPlaces::Place& offered) {
        place = std::move(offered);
        has_place = true;
        return true;
      });
      if (auto* at_once = std::get_if<StripPlaces::Place>(&asked)) {
        place = std::move(*at_once);
      } else {
        while (!has_place) std::this_thread::yield();
      }
      const int now = ++taken;
      int before = most.load();
      while (now > before && !most.compare_exchange_weak(before, now)) {
      }
      --taken;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 3);
  for (int i = 0; i < 2; ++i) {
    const Guest a(places);
    const Guest b(places);
    const Guest c(places);
    EXPECT_TRUE(a.has_place() && b.has_place() && c.has_place());
    EXPECT_FALSE(Guest(places).has_place());
  }
}

}  // namespace
}  // namespace cordon::host
