#pragma once

// Answers that a tool or a port gives at once, before its call returns. They are put into the
// guest in the same turn and need neither a lock nor the scheduler.
//
// Whether an answer is of this kind depends on the thread that gives it: a Reply may have been
// moved to another thread, which answers while the turn still runs. So the turn notes the id of its
// thread around each call. Only that thread writes the note, so a thread that finds its own id
// there has written it itself and is inside the call; any other finds another id, however the
// accesses are ordered.

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "cordon/host/delivery.h"

namespace cordon::host {

class TurnAnswers {
 public:
  // Hold it while a turn calls a tool. Calls may nest, if a tool drives the engine itself.
  class Calling {
   public:
    explicit Calling(TurnAnswers& answers)
        : caller_(answers.caller_),
          before_(caller_.exchange(std::this_thread::get_id(), std::memory_order_relaxed)) {}
    ~Calling() { caller_.store(before_, std::memory_order_relaxed); }
    Calling(const Calling&) = delete;
    Calling& operator=(const Calling&) = delete;

   private:
    std::atomic<std::thread::id>& caller_;
    const std::thread::id before_;
  };

  // Keeps an answer that comes from inside a call. False if it comes from elsewhere; it is then
  // left as it is.
  bool keep(Delivery::Answer& answer) { return keep_in(answers_, answer); }
  bool keep(Delivery::PortAnswer& answer) { return keep_in(port_answers_, answer); }
  // Adds an answer of the turn itself.
  void add(Delivery::Answer answer) { answers_.push_back(std::move(answer)); }

  std::vector<Delivery::Answer> take() { return std::exchange(answers_, {}); }
  std::vector<Delivery::PortAnswer> take_of_port() { return std::exchange(port_answers_, {}); }

 private:
  template <class A>
  bool keep_in(std::vector<A>& kept, A& answer) {
    if (caller_.load(std::memory_order_relaxed) != std::this_thread::get_id()) return false;
    kept.push_back(std::move(answer));
    return true;
  }

  std::atomic<std::thread::id> caller_{};
  std::vector<Delivery::Answer> answers_;
  std::vector<Delivery::PortAnswer> port_answers_;
};

}  // namespace cordon::host
