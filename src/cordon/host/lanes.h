#pragma once

// All lanes of a Scheduler: where a new execution goes, and which one has its turn next. Any thread
// may call it.
//
// Urgency goes before the lane: a worker takes from another lane before it takes something less
// urgent from its own. No two lanes are locked at once.

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/host/lane.h"

namespace cordon::host {

class Lanes {
 public:
  // One for each worker, or one if there are no workers.
  explicit Lanes(std::size_t workers);

  // The thread that calls is the worker of that lane from now on.
  void own(std::size_t number);
  // The lane for a new execution. A worker that submits, from a callback or a tool, gets its own
  // lane, where it competes with no other thread. Other threads get each lane in turn.
  Lane& for_new();
  Lane& first() { return *all_[0]; }

  // The next to have a turn, for the worker of `home`.
  std::optional<Lane::Taken> take_next(Lane& home);

  bool has_ready() const;
  bool nothing_lives() const;
  std::optional<Instant> first_timer() const;

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::optional<Lane::Taken> steal(const Lane& home, Lane::Queue queue);

  std::vector<std::unique_ptr<Lane>> all_;
  std::vector<std::atomic<std::thread::id>> owners_;  // by lane, where they are workers
  std::atomic<std::size_t> next_ = 0;
};

}  // namespace cordon::host
