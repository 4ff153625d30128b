#pragma once

// Memories and stacks go from one instance to the next under locks inside Wasmtime, which
// ThreadSanitizer does not see. This tells it that everything that the first instance did happens
// before what the next one does with them. Without the sanitizer it does nothing.

#include <atomic>

namespace cordon::sandbox {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CORDON_THREAD_SANITIZER
#endif
#endif

#ifdef CORDON_THREAD_SANITIZER
inline std::atomic<int> slots_given_back = 0;
inline void take_slot() { slots_given_back.load(std::memory_order_acquire); }
inline void give_slot_back() { slots_given_back.fetch_add(1, std::memory_order_acq_rel); }
#else
inline void take_slot() {}
inline void give_slot_back() {}
#endif

// Hold it while our code runs on the stack of a guest, which another guest had before.
struct OnGuestStack {
  OnGuestStack() { take_slot(); }
  ~OnGuestStack() { give_slot_back(); }
  OnGuestStack(const OnGuestStack&) = delete;
  OnGuestStack& operator=(const OnGuestStack&) = delete;
};

}  // namespace cordon::sandbox
