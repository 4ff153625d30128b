#include "cordon/sandbox/instance.h"

#include <algorithm>
#include <sys/mman.h>

#include <cordon_runtime.h>

#include "cordon/limits.h"
#include "cordon/sandbox/slot_order.h"
#include "cordon/sandbox/wasmtime_error.h"

// A call into the guest is a future of Wasmtime's with a stack of its own, and run() polls it once.
// The guest gives the thread back at a tick, where on_tick finds that the slice is over, and the
// next run() continues it on the same stack:
//
//   begin() --> a call is there, and nothing has run yet
//   run()   --> yielded    the slice is over: run() again
//           --> waiting    a host function has no answer yet: run() asks it again
//           --> returned   the call is over, and result() is there
//           --> stopped, trapped   the call is over, and the instance may only be destroyed
//
// Order of members and destructors. A future points into State (arguments, results) and into the
// store, so State does not move, and the future is declared last and dropped first. Wasmtime looks
// at `memory_limit` for as long as the store lives. `interrupt` and `until` are read at ticks only,
// so they need to live for the length of run().
//
// The slot's memory. Wasmtime resets it for the next guest, but knows nothing of the file that
// begin_with() maps over a part of it (the tail). That mapping must not outlive the instance by
// accident: a later guest of the slot would see this file. So at the end it is either handed to
// KeptCopies, which gives it to the next instance in this slot, or replaced by empty pages. If
// neither works, the slot is given up for good. `left_` is what this instance found in its slot, or
// has to clean up itself; `tail_` is what it uses.

namespace cordon::sandbox {
namespace {

constexpr std::uint64_t page_bytes = 65536;
constexpr std::size_t max_arguments = 4;
constexpr auto time_to_keep_pages = std::chrono::microseconds(200);
constexpr std::size_t probed_bytes = 1024 * 1024;
constexpr std::ptrdiff_t pages_to_keep = 32;

struct DeleteStore {
  void operator()(wasmtime_store_t* store) const { wasmtime_store_delete(store); }
};
struct DeleteFuture {
  void operator()(wasmtime_call_future_t* future) const { wasmtime_call_future_delete(future); }
};

// Pages that were written stay with the slot, and resetting each of them costs the next guest time.
// A guest that went deep into its stack, which lies first in its memory, gives all pages back. For
// other guests the page faults would cost more than they save.
void give_back_deep_stack(std::span<std::uint8_t> memory) {
  unsigned char resident[probed_bytes / 4096] = {};
  const std::size_t bytes = std::min(memory.size(), probed_bytes);
  if (mincore(memory.data(), bytes, resident) != 0) return;
  const auto pages =
      std::ranges::count_if(resident, [](unsigned char page) { return (page & 1) != 0; });
  if (pages > pages_to_keep) madvise(memory.data(), memory.size(), MADV_DONTNEED);
}

}  // namespace

struct Instance::State {
  cordon_memory_limit_t memory_limit{};  // the store reads it as long as it lives
  std::unique_ptr<wasmtime_store_t, DeleteStore> store;
  wasmtime_context_t* context = nullptr;
  wasmtime_instance_t instance{};
  wasmtime_memory_t memory{};
  wasmtime_func_t enter{};
  wasmtime_func_t other{};  // the function that begin() was given by name

  // The running call writes to these when it ends, so they must not move.
  wasmtime_val_t arguments[max_arguments]{};
  wasmtime_val_t result{};
  wasm_trap_t* trap_out = nullptr;
  wasmtime_error_t* error_out = nullptr;
  // Declared after the store, so that an unfinished call is dropped before the store that it runs
  // in.
  std::unique_ptr<wasmtime_call_future_t, DeleteFuture> call;

  Instant until{};
  Duration worked{};
  const std::atomic<bool>* interrupt = nullptr;
  bool stopped = false;
  bool waits = false;
  Trap trap = Trap::none;
  std::string trap_text;

  Result<wasmtime_func_t> function(std::string_view name);
  Progress failed();
};

Instance::Instance(void* owner, std::uint64_t memory_limit)
    : owner_(owner), memory_limit_(memory_limit), state_(std::make_unique<State>()) {}

Instance::~Instance() {
  if (!keeps_pages_) {
    madvise(memory().data(), memory().size(), MADV_DONTNEED);
  } else if (state_->worked > time_to_keep_pages) {
    give_back_deep_stack(memory());
  }
  if (tail_ && kept_copies_ != nullptr) {
    kept_copies_->keep(memory().data(), *tail_);
  } else if (tail_) {
    left_ = tail_;
  }
  if (left_ && !unmap_left()) {
    // The next guest of this slot would see the file, so the slot is lost on purpose.
    (void)state_.release();
    return;
  }
  IdleSlots::HandOver hand_over;
  if (idle_slots_ != nullptr) {
    hand_over = idle_slots_->hand_over();
    idle_slots_->leave(memory());
  }
  give_slot_back();
  state_.reset();
}

Result<std::unique_ptr<Instance>> Instance::create(const Template& from,
                                                   const InstanceLimits& limits, void* owner) {
  std::unique_ptr<Instance> made(
      new Instance(owner, std::min(limits.memory_bytes, max_memory_bytes)));
  State& state = *made->state_;
  state.store.reset(wasmtime_store_new(from.engine().raw(), made.get(), nullptr));
  state.context = wasmtime_store_context(state.store.get());
  wasmtime_context_set_epoch_deadline(state.context, 1);

  // Each tick asks here whether to continue. Without this callback a store traps at its first tick.
  const auto on_tick = [](wasmtime_context_t*, void* instance, std::uint64_t* ticks,
                          wasmtime_update_deadline_kind_t* kind) -> wasmtime_error_t* {
    const OnGuestStack on_stack;
    const State& slice = *static_cast<Instance*>(instance)->state_;
    const bool over = slice.interrupt->load(std::memory_order_relaxed) ||
                      std::chrono::steady_clock::now() >= slice.until;
    *ticks = 1;
    *kind = over ? WASMTIME_UPDATE_DEADLINE_YIELD : WASMTIME_UPDATE_DEADLINE_CONTINUE;
    return nullptr;
  };
  wasmtime_store_epoch_deadline_callback(state.store.get(), on_tick, made.get(), nullptr);

  const std::shared_ptr<IdleSlots>& slots = from.engine().idle_slots();
  IdleSlots::HandOver hand_over;
  if (slots != nullptr) hand_over = slots->hand_over();
  const std::unique_ptr<wasmtime_call_future_t, DeleteFuture> making(
      wasmtime_instance_pre_instantiate_async(from.raw(), state.context, &state.instance,
                                              &state.trap_out, &state.error_out));
  while (!wasmtime_call_future_poll(making.get())) {
  }
  take_slot();
  if (state.trap_out != nullptr || state.error_out != nullptr) {
    state.failed();
    return fail(ErrorCode::overloaded, "no sandbox to be had: " + state.trap_text);
  }

  wasmtime_extern_t item;
  if (!wasmtime_instance_export_get(state.context, &state.instance, "memory", 6, &item) ||
      item.kind != WASMTIME_EXTERN_MEMORY) {
    return fail(ErrorCode::invalid_argument, "the module exports no memory");
  }
  state.memory = item.of.memory;
  if (slots != nullptr) {
    slots->take(made->memory().data());
    made->idle_slots_ = slots;
    hand_over.unlock();
  }
  state.enter = CORDON_TRY(state.function(limits.entry));

  // A limit below the size of a fresh memory means that the memory may not grow at all.
  made->memory_limit_ = std::max<std::uint64_t>(made->memory_limit_, made->memory().size());
  state.memory_limit.max_bytes = made->memory_limit_;
  cordon_runtime_limit_memory(state.store.get(), &state.memory_limit);

  made->kept_copies_ = from.engine().kept_copies();
  if (made->kept_copies_ != nullptr) made->left_ = made->kept_copies_->take(made->memory().data());
  if (limits.tail != nullptr) {
    CORDON_TRY(made->begin_with(*limits.tail, limits.tail_at));
  } else if (made->left_) {
    if (!made->unmap_left()) return fail(ErrorCode::overloaded, "no mapping to be had");
    made->left_.reset();
  }
  return made;
}

void Instance::begin(std::uint32_t operation, std::uint32_t size) {
  State& state = *state_;
  state.arguments[0] = {.kind = WASMTIME_I32, .of = {.i32 = static_cast<std::int32_t>(operation)}};
  state.arguments[1] = {.kind = WASMTIME_I32, .of = {.i32 = static_cast<std::int32_t>(size)}};
  state.call.reset(wasmtime_func_call_async(state.context, &state.enter, state.arguments, 2,
                                            &state.result, 1, &state.trap_out, &state.error_out));
}

Result<wasmtime_func_t> Instance::State::function(std::string_view name) {
  wasmtime_extern_t item;
  if (!wasmtime_instance_export_get(context, &instance, name.data(), name.size(), &item) ||
      item.kind != WASMTIME_EXTERN_FUNC) {
    return fail(ErrorCode::invalid_argument,
                "the module exports no function `" + std::string(name) + "`");
  }
  return item.of.func;
}

Result<> Instance::begin(std::string_view function, std::span<const std::int32_t> arguments) {
  State& state = *state_;
  if (arguments.size() > max_arguments) return fail(ErrorCode::invalid_argument, "arguments");
  state.other = CORDON_TRY(state.function(function));
  wasm_functype_t* type = wasmtime_func_type(state.context, &state.other);
  const std::size_t results = wasm_functype_results(type)->size;
  wasm_functype_delete(type);
  if (results > 1) return fail(ErrorCode::invalid_argument, "more than one result");
  for (std::size_t i = 0; i < arguments.size(); ++i)
    state.arguments[i] = {.kind = WASMTIME_I32, .of = {.i32 = arguments[i]}};
  state.call.reset(wasmtime_func_call_async(state.context, &state.other, state.arguments,
                                            arguments.size(), &state.result, results,
                                            &state.trap_out, &state.error_out));
  return {};
}

Progress Instance::run(Instant until, const std::atomic<bool>& interrupt) {
  State& state = *state_;
  state.until = until;
  state.interrupt = &interrupt;
  state.waits = false;
  // The epoch went on while the call was put off, so the old deadline may have passed.
  wasmtime_context_set_epoch_deadline(state.context, 1);
  const Instant start = std::chrono::steady_clock::now();
  const bool over = wasmtime_call_future_poll(state.call.get());
  state.worked += std::chrono::steady_clock::now() - start;
  if (!over) return state.waits ? Progress::waiting : Progress::yielded;
  state.call.reset();
  if (state.trap_out == nullptr && state.error_out == nullptr) return Progress::returned;
  return state.failed();
}

// Takes the trap or error that a call ended with.
Progress Instance::State::failed() {
  const OwnedTrap owned_trap(std::exchange(trap_out, nullptr));
  const OwnedError owned_error(std::exchange(error_out, nullptr));
  if (owned_error != nullptr) trap_text = message_of(*owned_error);
  if (owned_trap != nullptr) {
    wasm_message_t text;
    wasm_trap_message(owned_trap.get(), &text);
    trap_text.assign(text.data, text.size > 0 ? text.size - 1 : 0);
    wasm_byte_vec_delete(&text);
    wasmtime_trap_code_t code = 0;
    const bool known = wasmtime_trap_code(owned_trap.get(), &code);
    trap = known && code == WASMTIME_TRAP_CODE_STACK_OVERFLOW ? Trap::stack_overflow : Trap::other;
  } else {
    trap = Trap::other;
  }
  return stopped ? Progress::stopped : Progress::trapped;
}

bool Instance::is_running() const { return state_->call != nullptr; }
std::uint32_t Instance::result() const { return static_cast<std::uint32_t>(state_->result.of.i32); }
Trap Instance::trap() const { return state_->trap; }
const std::string& Instance::trap_text() const { return state_->trap_text; }
void Instance::mark_stopped() { state_->stopped = true; }
void Instance::mark_waiting() { state_->waits = true; }
bool Instance::was_refused_memory() const { return state_->memory_limit.was_refused; }

std::span<std::uint8_t> Instance::memory() const {
  return {wasmtime_memory_data(state_->context, &state_->memory),
          wasmtime_memory_data_size(state_->context, &state_->memory)};
}

std::span<std::uint8_t> Instance::memory_at(std::uint32_t address, std::uint32_t size) const {
  const std::span<std::uint8_t> all = memory();
  if (address > all.size() || size > all.size() - address) return {};
  return all.subspan(address, size);
}

Result<std::uint32_t> Instance::grow_memory(std::uint32_t pages) {
  const std::uint64_t size = memory().size();
  if (size + pages * page_bytes > memory_limit_)
    return fail(ErrorCode::memory_limit, "growth refused");
  std::uint64_t before = 0;
  CORDON_TRY(checked(wasmtime_memory_grow(state_->context, &state_->memory, pages, &before),
                     ErrorCode::memory_limit));
  return static_cast<std::uint32_t>(before);
}

std::uint32_t Instance::room_pages() const {
  return static_cast<std::uint32_t>((memory_limit_ - memory().size()) / page_bytes);
}

Result<> Instance::begin_with(const MemoryFile& file, std::uint32_t address) {
  const std::uint64_t size = memory().size();
  const std::uint64_t end = address + std::uint64_t{file.size()};
  if (address < size || address % page_bytes != 0 || file.size() == 0)
    return fail(ErrorCode::invalid_argument, "no place for a copy of a file");
  CORDON_TRY(grow_memory(static_cast<std::uint32_t>((end - size + page_bytes - 1) / page_bytes)));
  const std::span<std::uint8_t> room = memory().subspan(address, file.size());
  if (left_ && left_->file == file.id() && left_->room.data() == room.data()) {
    kept_copies_->renew(room, file);
    tail_ = std::exchange(left_, std::nullopt);
    return {};
  }
  if (left_ && !unmap_left()) return fail(ErrorCode::overloaded, "no mapping to be had");
  left_.reset();
  // This replaces pages that Wasmtime made accessible when the memory grew above.
  void* const made = mmap(room.data(), room.size(), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file.descriptor(), 0);
  if (made == MAP_FAILED) return fail(ErrorCode::overloaded, "no mapping to be had");
  tail_ = {.file = file.id(), .room = room};
  return {};
}

// Puts empty pages over the mapping. Those within the memory are accessible; those beyond it are
// not, because the guest may only reach them once Wasmtime has grown the memory.
bool Instance::unmap_left() const {
  const auto map = [](std::span<std::uint8_t> room, int protection) {
    return room.empty() ||
           mmap(room.data(), room.size(), protection,
                MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
  };
  const std::span<std::uint8_t> room = left_->room;
  const auto begin = static_cast<std::size_t>(room.data() - memory().data());
  const std::size_t inside =
      std::min(room.size(), memory().size() - std::min(memory().size(), begin));
  return map(room.first(inside), PROT_READ | PROT_WRITE) && map(room.subspan(inside), PROT_NONE);
}

Result<std::uint32_t> Instance::exported_address(std::string_view name) const {
  wasmtime_extern_t item;
  if (!wasmtime_instance_export_get(state_->context, &state_->instance, name.data(), name.size(),
                                    &item) ||
      item.kind != WASMTIME_EXTERN_GLOBAL) {
    return fail(ErrorCode::not_found, "the module exports no variable `" + std::string(name) + "`");
  }
  wasmtime_val_t value;
  wasmtime_global_get(state_->context, &item.of.global, &value);
  if (value.kind != WASMTIME_I32) return fail(ErrorCode::type_mismatch, std::string(name));
  return static_cast<std::uint32_t>(value.of.i32);
}

}  // namespace cordon::sandbox
