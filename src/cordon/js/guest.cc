#include "cordon/js/guest.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "guest/abi.h"

#include "cordon/base/random.h"
#include "cordon/base/utf8.h"
#include "cordon/js/image_file.h"
#include "cordon/js/open_name.h"

// Messages to the guest wait in `outgoing_`, and one call of the guest's `enter` delivers the first
// of them. While that call runs, the message stays at the front: `instance_->is_running()` says
// that the front message is in the guest's hands. A message that does not fit into the inbox takes
// two calls:
//
//   begin_next --small: copied into the inbox-----------------------> enter(operation)
//              --large: enter(OP_RESERVE) answers where it may lie;
//                       run() copies it there (reserving_)----------> enter(operation)
//   enter returns --> the message is popped, its answer is when the next timer is due
//
// A guest is at rest when no call runs and no message waits. Only then may its memory be read as an
// image, since nothing of it is on a stack. A message that was queued for a hibernating guest waits
// until it is restored.
//
// Nothing that comes from the guest is trusted. An address is checked against the memory before it
// is used, a length against a limit, a number against what is known. What does not fit is a
// violation: the guest ends (end_), and its memory is not entered again. What is too large for the
// host's budget is no violation, because an honest guest can send it: the call fails instead.
//
// Emissions come in the middle of the guest's work, on its own stack. So on_emission() and what it
// calls only take notes, through GuestEvents.

namespace cordon::js {
namespace {

constexpr std::uint32_t max_functions = 65'536;
constexpr std::size_t max_failure_data_bytes = std::size_t{1} << 20;

void put_text(Writer& out, std::string_view text) {
  out.u32(static_cast<std::uint32_t>(text.size()));
  out.text(text);
}

// The engine's parser reads up to a NUL, which the size does not count.
void put_zero_text(Writer& out, std::string_view text) {
  put_text(out, text);
  out.u8(0);
}

// These numbers are sent to the guest without a mapping.
static_assert(std::to_underlying(ValueRule::strict) == VALUES_STRICT);
static_assert(std::to_underlying(ValueRule::json) == VALUES_JSON);
static_assert(std::to_underlying(ValueRule::rich) == VALUES_RICH);

std::uint8_t form_of(Form form) {
  switch (form) {
    case Form::program:
      return FORM_PROGRAM;
    case Form::module:
      return FORM_MODULE;
    case Form::exports:
      return FORM_EXPORTS;
    case Form::execbox:
      return FORM_EXECBOX;
  }
  std::unreachable();
}

// The guest asks in UTF-8, so it would not find other names.
bool is_asked(const Namespace& space) {
  return !space.is_open && space.functions.size() > FEW_TOOLS && space.functions.is_utf8();
}

std::uint8_t flags_of(const Namespace& space) {
  return static_cast<std::uint8_t>((space.is_open ? SPACE_IS_OPEN : 0) |
                                   (space.is_rich ? SPACE_IS_RICH : 0) |
                                   (is_asked(space) ? SPACE_IS_ASKED : 0));
}

std::uint8_t flags_of(const TaskRequest* request) {
  if (request == nullptr) return 0;
  return static_cast<std::uint8_t>(INVOKE_TASK | (request->has_body ? INVOKE_HAS_BODY : 0) |
                                   (request->is_event ? INVOKE_IS_EVENT : 0));
}

// execbox leaves it to JSON.stringify what becomes of a value, whatever is lost.
std::uint8_t values_of(const Program& program) {
  const bool is_stringified = program.form == Form::execbox && program.values == ValueRule::json;
  return is_stringified ? std::uint8_t{VALUES_STRINGIFY} : std::to_underlying(program.values);
}

WireLimits of_all_kinds(WireLimits limits) {
  limits.kinds = WireKinds::rich;
  return limits;
}

// What follows the message of a typed failure. Data that cannot enter is left out.
Bytes bytes_of(const FailureType& type, WireLimits limits) {
  Bytes bytes;
  Writer out(bytes);
  put_text(out, type.id);
  const std::size_t size = bytes.size();
  limits.bytes = std::min(limits.bytes, max_failure_data_bytes);
  // A text that is too large is written all the same.
  if (!write_value(out, type.data, limits) || bytes.size() - size > max_failure_data_bytes) {
    bytes.resize(size);
    out.u8(TAG_UNDEFINED);
  }
  return bytes;
}

// The guest's own stack lies at the bottom of its memory, and the engine recurses in places without
// looking at what is left of it: running out of it is an access just below address 0. The text is
// Wasmtime's, not the guest's.
bool is_past_own_stack(std::string_view trap_text) {
  constexpr std::string_view mark = "memory fault at wasm address 0x";
  const std::size_t found = trap_text.find(mark);
  if (found == std::string_view::npos) return false;
  const std::string_view digits = trap_text.substr(found + mark.size());
  std::uint64_t address = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  constexpr std::uint64_t lowest = 0xFFF0'0000;
  return address >= lowest;
}

}  // namespace

Guest::Guest(const GuestModule& module, const GuestLimits& limits, GuestEvents& events)
    : module_(module), limits_(limits), events_(events) {
  limits_.values.bytes = limits_.message_bytes;
  given_ = limits_.values;
  given_.budget.reset();
}

Result<std::unique_ptr<Guest>> Guest::create(const GuestModule& module, const GuestLimits& limits,
                                             GuestEvents& events, const Image* from) {
  std::unique_ptr<Guest> guest(new Guest(module, limits, events));
  sandbox::InstanceLimits instance_limits{.memory_bytes = limits.memory_bytes};
  if (from != nullptr && from->tail != nullptr) {
    instance_limits.tail = from->tail.get();
    instance_limits.tail_at = from->tail_at;
  }
  guest->instance_ =
      CORDON_TRY(sandbox::Instance::create(module.code(), instance_limits, guest.get()));
  return guest;
}

void Guest::take_rule(ValueRule values, std::span<const Namespace> namespaces) {
  limits_.values.kinds = values == ValueRule::rich ? WireKinds::rich : WireKinds::plain;
  given_.kinds = values == ValueRule::strict ? WireKinds::plain : WireKinds::rich;
  std::uint32_t number = 0;
  for (const Namespace& space : namespaces) {
    const auto first = std::exchange(number, number + static_cast<std::uint32_t>(space.numbers()));
    if (space.is_rich) rich_.emplace_back(first, number);
  }
}

bool Guest::is_rich(std::uint32_t tool) const {
  return std::ranges::any_of(
      rich_, [tool](const auto& range) { return tool >= range.first && tool < range.second; });
}

Result<> Guest::start(Program program) {
  Message message{OP_RUN, {}};
  message.bytes.reserve(256 + program.source.size());
  Writer out(message.bytes);

  // The seeds of Math.random and of hash tables, and the key of `crypto`, which gets 160 of the
  // bits. Each guest has its own; those of the snapshot are known to all. More than 32 bytes take
  // the kernel longer.
  std::uint8_t seeds[32];
  CORDON_TRY(fill_with_randomness(seeds));
  out.bytes(seeds);
  out.u32(limits_.message_bytes);
  out.u32(static_cast<std::uint32_t>(limits_.values.elements));
  out.u32(static_cast<std::uint32_t>(limits_.values.depth));
  out.u32(limits_.pending_calls);
  out.u8(values_of(program));
  take_rule(program.values, program.namespaces);

  out.u32(static_cast<std::uint32_t>(program.namespaces.size()));
  for (const Namespace& space : program.namespaces) {
    put_text(out, space.name);
    out.u8(flags_of(space));
    out.u32(static_cast<std::uint32_t>(space.functions.size()));
    if (is_asked(space)) continue;
    for (const std::string& function : space.functions) put_text(out, function);
  }
  out.u8(program.input != nullptr);
  if (program.input != nullptr) CORDON_TRY(write_value(out, *program.input, given_));

  out.u8(form_of(program.form));
  out.u32(program.first_line);
  put_zero_text(out, program.name);
  put_zero_text(out, program.source);
  out.u32(static_cast<std::uint32_t>(program.runs.size()));
  message.rest = std::move(program.runs);
  queue(std::move(message));
  return {};
}

Result<> Guest::check_at_rest() const {
  if (is_hibernated()) return fail(ErrorCode::invalid_argument, "a guest that sleeps");
  const std::uint32_t stack = CORDON_TRY(instance_->exported_address("__stack_pointer"));
  if (instance_->is_running() || !outgoing_.empty() || end_ != GuestEnd::none ||
      stack != module_.stack_top()) {
    return fail(ErrorCode::invalid_argument, "a guest that is not at rest");
  }
  return {};
}

Result<Image> Guest::capture() const {
  CORDON_TRY(check_at_rest());
  return difference(module_, instance_->memory());
}

// The image becomes a file that many guests map. Those that start from it write little, so the
// pages that loading wrote would only burden the slot.
Result<Image> Guest::capture_to_share() {
  CORDON_TRY(check_at_rest());
  // A program is loaded once, and guests that start from its image do not load it again.
  instance_->give_pages_back();
  return difference_to_share(module_, instance_->memory());
}

// The sandbox goes last: if packing fails, the guest is as it was.
Result<> Guest::hibernate() {
  Image image = CORDON_TRY(capture());
  hibernated_runs_bytes_ = image.runs.size();
  image.runs = CORDON_TRY(pack(image.runs));
  hibernated_ = std::move(image);
  instance_.reset();
  return {};
}

Result<> Guest::restore() {
  instance_ = CORDON_TRY(
      sandbox::Instance::create(module_.code(), {.memory_bytes = limits_.memory_bytes}, this));
  Image image = std::exchange(hibernated_, {});
  image.runs = CORDON_TRY(unpack(image.runs, hibernated_runs_bytes_));
  return put_over_memory(image);
}

std::size_t Guest::memory_bytes() const {
  return is_hibernated() ? hibernated_.memory_bytes() : instance_->memory().size();
}

// The memory of a fresh instance is the snapshot. An image holds only what differs from it, so it
// fits over no other memory, and never over a larger one.
Result<> Guest::put_over_memory(const Image& image) {
  const std::uint64_t size = instance_->memory().size();
  if (image.memory_bytes() < size)
    return fail(ErrorCode::malformed, "the image has too little memory");
  const std::uint64_t missing = (image.memory_bytes() - size) / memory_page_bytes;
  if (missing > 0) CORDON_TRY(instance_->grow_memory(static_cast<std::uint32_t>(missing)));
  if (image.tail != nullptr && !instance_->has_tail(*image.tail))
    return fail(ErrorCode::invalid_argument, "a guest that was created for something else");
  return apply(image, instance_->memory());
}

Result<> Guest::resume(const Image& image, ValueRule values, std::span<const Namespace> namespaces,
                       Resumed how, std::int64_t clock) {
  CORDON_TRY(put_over_memory(image));
  take_rule(values, namespaces);
  Message message{OP_RESUME, {}};
  Writer out(message.bytes);
  std::uint8_t seeds[28];
  CORDON_TRY(fill_with_randomness(seeds));
  out.bytes(seeds);
  out.u64(static_cast<std::uint64_t>(clock) - static_cast<std::uint64_t>(image.clock));
  out.u8(how == Resumed::starts ? RESUME_START : RESUME_GO_ON);
  queue(std::move(message));
  return {};
}

Result<> Guest::settle(std::uint64_t call, ValueView value, std::uint32_t tool) {
  Message message{OP_SETTLE, {}};
  message.bytes.reserve(64);
  Writer out(message.bytes);
  out.u64(call);
  const bool is_rich_value = is_rich(tool);
  out.u8(is_rich_value ? SETTLED_RICH_VALUE : SETTLED_VALUE);
  CORDON_TRY(write_value(out, value, is_rich_value ? of_all_kinds(given_) : given_));
  return queue_charged(std::move(message));
}

void Guest::settle(std::uint64_t call, const Error& failure) {
  Message message{OP_SETTLE, {}};
  Writer out(message.bytes);
  out.u64(call);
  out.u8(SETTLED_FAILURE);
  put_text(out, failure.code_text());
  put_text(out, failure.message);
  message.charge = Charge(limits_.values.budget);
  (void)message.charge.add(message.size());
  if (failure.typed != nullptr) {
    message.rest = bytes_of(*failure.typed, of_all_kinds(given_));
    if (message.charge.add(message.rest.size())) {
      message.bytes[sizeof call] = SETTLED_TYPED_FAILURE;
    } else {
      message.rest.clear();
    }
  }
  queue(std::move(message));
}

Result<> Guest::invoke(const Invocation& invocation) {
  if (invocation.arguments.size() > MAX_ARGUMENTS) {
    return fail(
        ErrorCode::invalid_argument,
        "a function is called with " + std::to_string(MAX_ARGUMENTS) + " arguments at most");
  }
  const TaskRequest* const request = invocation.request;
  Message message{OP_INVOKE, {}};
  if (request != nullptr) message.bytes.reserve(1024);
  Writer out(message.bytes);
  out.u64(invocation.call);
  out.u8(flags_of(request));
  put_text(out, invocation.function);
  out.u32(static_cast<std::uint32_t>(invocation.arguments.size()));
  for (const Value& argument : invocation.arguments) CORDON_TRY(write_value(out, argument, given_));
  if (request != nullptr) {
    // The size of the four values, once it is known: the guest skips them until the task asks.
    out.u32(0);
    const std::size_t before = message.bytes.size();
    CORDON_TRY(write_value(out, request->method, given_));
    CORDON_TRY(write_value(out, request->url, given_));
    CORDON_TRY(write_value(out, request->headers, given_));
    CORDON_TRY(write_value(out, request->contexts, given_));
    const auto size = static_cast<std::uint32_t>(message.bytes.size() - before);
    std::memcpy(message.bytes.data() + before - sizeof size, &size, sizeof size);
    CORDON_TRY(write_value(out, request->files, given_));
  }
  return queue_charged(std::move(message));
}

void Guest::feed(std::uint64_t call, Bytes bytes) {
  Message message{OP_FEED, {}, std::move(bytes)};
  Writer out(message.bytes);
  out.u64(call);
  out.u64(0);  // so that the bytes are aligned
  queue(std::move(message));
}

void Guest::abort_task() { queue({OP_ABORT, {}}); }

void Guest::Message::copy_to(std::span<std::uint8_t> room) const {
  if (!bytes.empty()) std::memcpy(room.data(), bytes.data(), bytes.size());
  if (!rest.empty()) std::memcpy(room.data() + bytes.size(), rest.data(), rest.size());
}

void Guest::run_timers() {
  timer_after_.reset();
  queue({OP_TIMER, {}});
}

void Guest::take_timer(std::uint32_t answer) {
  constexpr auto unit = std::chrono::microseconds(100);
  timer_after_.reset();
  if (answer > 0) timer_after_ = unit * (answer - 1);
}

void Guest::queue(Message message) {
  queued_bytes_ += message.size();
  outgoing_.push_back(std::move(message));
}

Result<> Guest::queue_charged(Message message) {
  if (message.size() > limits_.message_bytes)
    return fail(ErrorCode::serialization_error, "value larger than a message may be");
  message.charge = Charge(limits_.values.budget);
  if (!message.charge.add(message.size()))
    return fail(ErrorCode::memory_limit, "more than the host may hold for the guest");
  queue(std::move(message));
  return {};
}

bool Guest::begin_next() {
  if (outgoing_.empty()) return false;
  const Message& message = outgoing_.front();
  const auto size = static_cast<std::uint32_t>(message.size());
  reserving_ = size > INBOX_BYTES;
  if (!reserving_) {
    message.copy_to(instance_->memory_at(module_.inbox_address(), size));
  }
  instance_->begin(reserving_ ? std::uint32_t{OP_RESERVE} : message.operation, size);
  return true;
}

GuestStep Guest::run(Instant until, const std::atomic<bool>& interrupt) {
  while (end_ == GuestEnd::none) {
    if (!instance_->is_running() && !begin_next()) return GuestStep::idle;
    const sandbox::Progress progress = instance_->run(until, interrupt);
    if (progress == sandbox::Progress::yielded) return GuestStep::yielded;
    if (progress == sandbox::Progress::waiting) return GuestStep::wants_module;
    if (progress != sandbox::Progress::returned) return ended(progress);
    if (reserving_) {
      reserving_ = false;
      const Message& message = outgoing_.front();
      const auto size = static_cast<std::uint32_t>(message.size());
      const auto room = instance_->memory_at(instance_->result(), size);
      if (room.size() != size) {
        violate("the guest gave no room for a message");
        break;
      }
      message.copy_to(room);
      instance_->begin(message.operation, size);
    } else {
      queued_bytes_ -= outgoing_.front().size();
      if (outgoing_.front().operation == OP_FEED) spare_ = std::move(outgoing_.front().rest);
      outgoing_.pop_front();
      take_timer(instance_->result());
    }
  }
  return GuestStep::ended;
}

GuestStep Guest::ended(sandbox::Progress progress) {
  if (progress == sandbox::Progress::trapped) {
    end_text_ = instance_->trap_text();
    const bool is_overflow =
        instance_->trap() == sandbox::Trap::stack_overflow || is_past_own_stack(end_text_);
    end_ = is_overflow ? GuestEnd::stack_overflow : GuestEnd::trap;
  } else if (end_ == GuestEnd::none) {
    end_ = GuestEnd::violation;
  }
  return GuestStep::ended;
}

sandbox::Proceed Guest::violate(std::string text) {
  end_ = GuestEnd::violation;
  end_text_ = std::move(text);
  return sandbox::Proceed::stop;
}

sandbox::Proceed Guest::on_emission(std::uint32_t kind, BytesView message) {
  const Result<> taken = take_emission(kind, message);
  return taken ? sandbox::Proceed::on : violate(to_string(taken.error()));
}

Result<> Guest::take_emission(std::uint32_t kind, BytesView message) {
  Reader in(message);
  switch (kind) {
    case EMIT_FINISH: {
      if (std::exchange(finished_, true))
        return fail(ErrorCode::protocol_violation, "finished twice");
      events_.on_finish(CORDON_TRY(read_outcome(in, limits_.values)));
      return {};
    }
    case EMIT_CALL:
      return take_call(in);
    case EMIT_CALL_NAMED:
      return take_named_call(in);
    case EMIT_LOG: {
      const std::uint8_t level = CORDON_TRY(in.u8());
      if (level > static_cast<std::uint8_t>(LogLevel::debug))
        return fail(ErrorCode::protocol_violation, "log level");
      events_.on_log(static_cast<LogLevel>(level), CORDON_TRY(in.text(in.left())));
      return {};
    }
    case EMIT_BYTES:
      if (message.size() > limits_.message_bytes)
        return fail(ErrorCode::protocol_violation, "more bytes than a message may have");
      emitted_bytes_ = std::exchange(spare_, {});
      emitted_bytes_->assign(message.begin(), message.end());
      return {};
    case EMIT_READY:
      return take_ready(in);
    case EMIT_REPLY: {
      const std::uint64_t call = CORDON_TRY(in.u64());
      events_.on_reply(call, CORDON_TRY(read_outcome(in, limits_.values)));
      return {};
    }
    case EMIT_LOOSE_ENDS:
    case EMIT_OPEN_TIMER:
    case EMIT_LATE_ERROR:
      return take_rest(kind, in);
    default:
      return fail(ErrorCode::protocol_violation, "unknown emission");
  }
}

// Each comes once at most, so what the host keeps of them is bounded.
Result<> Guest::take_rest(std::uint32_t kind, Reader& in) {
  const auto bit = static_cast<std::uint8_t>(1u << (kind - EMIT_LOOSE_ENDS));
  if (!finished_ || (told_rest_ & bit) != 0)
    return fail(ErrorCode::protocol_violation, "told out of turn");
  told_rest_ |= bit;
  if (kind == EMIT_LOOSE_ENDS) {
    events_.on_loose_ends(CORDON_TRY(read_loose_ends(in)));
  } else if (kind == EMIT_LATE_ERROR) {
    events_.on_late_error(CORDON_TRY(read_thrown(in)));
  } else {
    CORDON_TRY(in.end());
    events_.on_open_timer();
  }
  return {};
}

Result<Result<Value>> Guest::take_input(Reader& in, std::uint32_t tool) {
  Result<Value> input =
      read_value(in, is_rich(tool) ? of_all_kinds(limits_.values) : limits_.values);
  if (input) {
    CORDON_TRY(in.end());
  } else if (input.error().code != ErrorCode::memory_limit) {
    return fail(input.error());
  }
  return input;
}

Result<> Guest::take_call(Reader& in) {
  const std::uint64_t call = CORDON_TRY(in.u64());
  const std::uint32_t tool = CORDON_TRY(in.u32());
  const std::size_t bytes = in.left();
  Result<Value> input = CORDON_TRY(take_input(in, tool));
  if (tool >= PORT_FIRST) return take_port_call(call, tool, CORDON_TRY(std::move(input)));
  events_.on_call(call, tool, std::move(input), bytes);
  return {};
}

Result<> Guest::take_named_call(Reader& in) {
  const std::uint64_t call = CORDON_TRY(in.u64());
  const std::uint32_t tool = CORDON_TRY(in.u32());
  const std::size_t bytes = in.left();
  std::string name = CORDON_TRY(read_open_name(in));
  Result<Value> input = CORDON_TRY(take_input(in, tool));
  if (!events_.on_named_call(call, tool, std::move(name), std::move(input), bytes)) {
    return fail(ErrorCode::protocol_violation, "a name of no open namespace");
  }
  return {};
}

Result<> Guest::take_port_call(std::uint64_t call, std::uint32_t port, Value value) {
  using Kind = PortCall::Kind;
  constexpr Kind kinds[] = {Kind::read, Kind::close, Kind::stream, Kind::write, Kind::fail};
  const std::uint32_t index = port - PORT_FIRST;
  if (index >= std::size(kinds)) return fail(ErrorCode::protocol_violation, "unknown port");
  PortCall made{kinds[index], call, std::move(value)};
  if (made.kind == Kind::write) {
    if (!emitted_bytes_) return fail(ErrorCode::protocol_violation, "a write of nothing");
    made.bytes = *std::exchange(emitted_bytes_, std::nullopt);
  }
  if (!events_.on_port(std::move(made))) return fail(ErrorCode::protocol_violation, "not a task");
  return {};
}

Result<> Guest::take_ready(Reader& in) {
  if (in.left() > limits_.message_bytes)
    return fail(ErrorCode::too_large, "names larger than a message may be");
  const std::uint32_t count = CORDON_TRY(in.u32());
  if (count > max_functions)
    return fail(ErrorCode::too_large, "more functions than a module may have");
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t size = CORDON_TRY(in.u32());
    names.push_back(to_wtf8_lossy(CORDON_TRY(in.text(size))));
  }
  CORDON_TRY(in.end());
  events_.on_ready(std::move(names));
  return {};
}

}  // namespace cordon::js
