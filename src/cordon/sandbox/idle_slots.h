#pragma once

// Slots that no guest has at the moment. Pages that their last guests wrote to stay with them: the
// next guest finds them there, which is cheaper than asking the kernel for them again. After a
// burst most of these slots have no next guest for long, and give_back() returns their pages.
//
// The rule that makes this safe: a page may only be given back while its slot has no guest. Both
// ends of a guest's time in its slot, where Wasmtime takes the slot and where it takes it back,
// happen within a HandOver; give_back() waits for those and keeps new ones waiting.
//
// What a slot then has is what a fresh guest expects: the pages of the image that it maps, zeros
// beyond, and the file of a copy that is kept there (KeptCopies).
//
// Any thread may use this.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <unordered_map>

namespace cordon::sandbox {

class IdleSlots {
 public:
  using HandOver = std::shared_lock<std::shared_mutex>;
  [[nodiscard]] HandOver hand_over() { return HandOver(handing_over_); }

  // Within a HandOver. `slot` is where the memory begins.
  void take(const std::uint8_t* slot);
  void leave(std::span<std::uint8_t> memory);

  // How many bytes the kernel was offered. Those that it had before are not counted again.
  std::size_t give_back();
  // Before the slots' addresses are gone.
  void forget();

 private:
  std::shared_mutex handing_over_;
  std::mutex mutex_;  // of what follows
  // By where it begins: what its last guest had, or 0 where a guest has it or it was given back. An
  // entry stays, so that a guest's start and end allocate nothing.
  std::unordered_map<const std::uint8_t*, std::span<std::uint8_t>> left_;
};

}  // namespace cordon::sandbox
