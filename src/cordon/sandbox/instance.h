#pragma once

// One guest's store, memory and stack. You enter it through the one function that the module
// exports, run it in slices, and throw it away when it has trapped or was stopped.
//
// One thread at a time may use an Instance, not always the same one.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cordon/base/instant.h"
#include "cordon/result.h"
#include "cordon/sandbox/idle_slots.h"
#include "cordon/sandbox/kept_copies.h"
#include "cordon/sandbox/memory_file.h"
#include "cordon/sandbox/module.h"

namespace cordon::sandbox {

struct InstanceLimits {
  std::uint64_t memory_bytes = std::uint64_t{64} << 20;
  std::string_view entry = "enter";  // the function that begin() calls, unless it is given a name
  // The memory grows for a copy of this file, whose first page is at `tail_at`: beyond the memory
  // that the module begins with. The file must outlive the instance's creation only.
  const MemoryFile* tail = nullptr;
  std::uint32_t tail_at = 0;
};

enum class Progress {
  returned,  // the call is over
  yielded,   // its slice is over: call run() again
  waiting,   // a host function has no answer yet: run() will ask it again
  stopped,   // a host function said so
  trapped,   // see trap()
};

enum class Trap { none, stack_overflow, other };

class Instance {
 public:
  // Fails with ErrorCode::overloaded if no slot is free. Host functions get `owner` back from
  // owner().
  static Result<std::unique_ptr<Instance>> create(const Template& from,
                                                  const InstanceLimits& limits, void* owner);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  // Starts a call of `enter`, which run() continues. One call at a time.
  void begin(std::uint32_t operation, std::uint32_t size);
  // The same for another exported function, whose arguments are numbers, with or without a result.
  Result<> begin(std::string_view function, std::span<const std::int32_t> arguments);
  // Runs until the call is over or `until` has passed, or until the tick after `interrupt` became
  // true.
  Progress run(Instant until, const std::atomic<bool>& interrupt);
  bool is_running() const;
  // What `enter` returned.
  std::uint32_t result() const;

  std::span<std::uint8_t> memory() const;
  // `size` bytes at `address`, or an empty span if the guest's memory does not have them.
  std::span<std::uint8_t> memory_at(std::uint32_t address, std::uint32_t size) const;
  // Returns the pages of 64 KiB before the growth, or fails with ErrorCode::memory_limit.
  Result<std::uint32_t> grow_memory(std::uint32_t pages);
  // How many pages it would still give.
  std::uint32_t room_pages() const;
  // Whether the module's own memory.grow was refused. It is up to the module what it does then;
  // most trap, as they do after any mistake.
  bool was_refused_memory() const;
  // Whether it was created with a copy of this file.
  bool has_tail(const MemoryFile& file) const { return tail_ && tail_->file == file.id(); }
  // At its end all pages that it wrote go back to the kernel. Call this for a guest that wrote far
  // more than the next guests of its slot will: each of them would pay for the pages that stay.
  void give_pages_back() { keeps_pages_ = false; }
  // The value of an exported i32 constant, such as the address of a variable.
  Result<std::uint32_t> exported_address(std::string_view name) const;

  Trap trap() const;
  const std::string& trap_text() const;
  void* owner() const { return owner_; }
  void mark_stopped();
  void mark_waiting();

 private:
  struct State;  // Wasmtime's side
  Instance(void* owner, std::uint64_t memory_limit);
  Result<> begin_with(const MemoryFile& file, std::uint32_t address);
  // Puts empty pages over what the slot's last guest left.
  bool unmap_left() const;

  void* owner_;
  std::uint64_t memory_limit_;
  std::shared_ptr<IdleSlots> idle_slots_;
  std::shared_ptr<KeptCopies> kept_copies_;
  std::optional<KeptCopies::Copy>
      left_;  // found in the slot, left by its last guest; see instance.cc
  std::optional<KeptCopies::Copy> tail_;
  bool keeps_pages_ = true;
  std::unique_ptr<State> state_;
};

}  // namespace cordon::sandbox
