#include "cordon/js/host_functions.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "guest/abi.h"

#include "cordon/base/reader.h"
#include "cordon/base/writer.h"
#include "cordon/js/encodings.h"
#include "cordon/js/guest.h"

namespace cordon::js {
namespace {

using sandbox::Instance;
using sandbox::Proceed;
using sandbox::RawValue;

Guest& guest_of(Instance& instance) { return *static_cast<Guest*>(instance.owner()); }

std::uint32_t u32(const RawValue& slot) { return static_cast<std::uint32_t>(slot.i32); }

std::optional<BytesView> bytes_at(const Instance& instance, const RawValue& address,
                                  const RawValue& size) {
  const auto bytes = instance.memory_at(u32(address), u32(size));
  if (bytes.size() != u32(size)) return std::nullopt;
  return bytes;
}

std::string_view text_of(BytesView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Clock>
std::int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

// The reason why there is no text, in the form of guest/host.h.
std::string failure_of(const Result<Stripped>& answer) {
  const auto* refusal = answer ? std::get_if<StripRefusal>(&*answer) : nullptr;
  std::string bytes;
  TextWriter out(bytes);
  out.u32(refusal == nullptr ? 0 : refusal->line);
  out.u32(refusal == nullptr ? 0 : refusal->column);
  out.text(refusal == nullptr ? answer.error().message : refusal->message);
  return bytes;
}

// A module's text, in the form of guest/abi.h. Its runs follow.
std::string module_answer(std::string text) {
  std::string size;
  TextWriter(size).u32(static_cast<std::uint32_t>(text.size()));
  text.push_back('\0');
  text.insert(0, size);
  return text;
}

// What a TextDecoder asks for, by enum StageKind.
std::optional<Result<std::string>> encoding_answer(std::uint32_t what, std::string_view asked) {
  std::optional<std::string> answer;
  if (what == STAGE_ENCODING) {
    answer = encoding_of(asked);
  } else if (what == STAGE_TABLE) {
    if (asked.size() == 1) answer = encoding_table(static_cast<std::uint8_t>(asked[0]));
  } else {
    return std::nullopt;
  }
  if (!answer) return fail(ErrorCode::invalid_argument, "no such encoding");
  return *std::move(answer);
}

std::string names_answer(const NameList& names) {
  std::string bytes;
  TextWriter out(bytes);
  for (const std::string& name : names) {
    out.u32(static_cast<std::uint32_t>(name.size()));
    out.text(name);
    out.u8(0);
  }
  return bytes;
}

bool is_resolving(std::uint32_t what) {
  return what == STAGE_RESOLVE || what == STAGE_RESOLVE_TEXT || what == STAGE_RESOLVE_BYTES;
}

ImportKind kind_of(std::uint32_t what) {
  if (what == STAGE_RESOLVE_TEXT || what == STAGE_LOAD_TEXT) return ImportKind::text;
  if (what == STAGE_RESOLVE_BYTES || what == STAGE_LOAD_BYTES) return ImportKind::bytes;
  return ImportKind::module;
}

}  // namespace

std::span<const sandbox::HostFunction> HostFunctions::all() {
  static constexpr sandbox::HostFunction functions[] = {
      {"emit", "iii:", emit},
      {"grow", "i:i", grow},
      {"room", ":i", room},
      {"clock", "i:I", clock},
      {"stage", "iiiii:i", stage, true},
      {"unstage", "i:", unstage},
  };
  return functions;
}

Proceed HostFunctions::emit(Instance& instance, std::span<RawValue> values) {
  Guest& guest = guest_of(instance);
  const auto message = bytes_at(instance, values[1], values[2]);
  if (!message) return guest.violate("message outside of the guest's memory");
  return guest.on_emission(u32(values[0]), *message);
}

// A growth that is refused ends the guest here. No code of its own runs that could catch or hide
// it.
Proceed HostFunctions::grow(Instance& instance, std::span<RawValue> values) {
  const Result<std::uint32_t> pages = instance.grow_memory(u32(values[0]));
  if (!pages) {
    guest_of(instance).end_ = GuestEnd::memory_limit;
    return Proceed::stop;
  }
  values[0].i32 = static_cast<std::int32_t>(*pages);
  return Proceed::on;
}

Proceed HostFunctions::room(Instance& instance, std::span<RawValue> values) {
  values[0].i32 = static_cast<std::int32_t>(instance.room_pages());
  return Proceed::on;
}

// The steady clock moves in steps of a tenth of a millisecond: fine enough to measure with, too
// coarse to observe the processor's caches.
Proceed HostFunctions::clock(Instance&, std::span<RawValue> values) {
  constexpr std::int64_t step = 100'000;
  values[0].i64 = u32(values[0]) == 0 ? nanoseconds<std::chrono::system_clock>()
                                      : nanoseconds<std::chrono::steady_clock>() / step * step;
  return Proceed::on;
}

// If it returns nothing, the guest waits where it is, and asks again when it runs again.
std::optional<Result<Stripped>> HostFunctions::load(Guest& guest, std::string_view name,
                                                    ImportKind kind) {
  std::optional<Result<Stripped>> answer = guest.wants_module_
                                               ? std::exchange(guest.module_answer_, std::nullopt)
                                               : guest.events_.load(name, kind);
  guest.wants_module_ = !answer;
  return answer;
}

Proceed HostFunctions::stage(Instance& instance, std::span<RawValue> values) {
  Guest& guest = guest_of(instance);
  // A name of any length: programs may ask for what they like.
  if (u32(values[0]) == STAGE_FIND_TOOL) {
    const auto name = bytes_at(instance, values[1], values[2]);
    const auto space = bytes_at(instance, values[3], values[4]);
    if (!name || !space) return guest.violate("a tool's name outside of the guest's memory");
    return find_tool(guest, values, *name, *space);
  }
  if (std::max(u32(values[2]), u32(values[4])) > max_module_name_bytes) {
    return answer_stage(
        guest, values,
        fail(ErrorCode::too_large, "The name of a module has more than " +
                                       std::to_string(max_module_name_bytes) + " bytes"));
  }
  const auto first = bytes_at(instance, values[1], values[2]);
  const auto second = bytes_at(instance, values[3], values[4]);
  if (!first || !second) return guest.violate("module name outside of the guest's memory");
  const std::uint32_t what = u32(values[0]);
  if (std::optional<Result<std::string>> encoding = encoding_answer(what, text_of(*first)))
    return answer_stage(guest, values, *std::move(encoding));
  if (what == STAGE_TOOL_NAMES) return stage_names(guest, values, *first);
  if (is_resolving(what)) {
    return answer_stage(guest, values,
                        guest.events_.resolve(text_of(*first), text_of(*second), kind_of(what)));
  }
  std::optional<Result<Stripped>> loaded = load(guest, text_of(*first), kind_of(what));
  if (!loaded) return Proceed::wait;
  auto* const module = *loaded ? std::get_if<JavaScript>(&**loaded) : nullptr;
  if (module == nullptr) return refuse_stage(guest, values, *loaded);
  return answer_stage(guest, values, module_answer(std::move(module->text)),
                      std::move(module->runs));
}

Proceed HostFunctions::stage_names(Guest& guest, std::span<RawValue> values, BytesView asked) {
  Reader in(asked);
  const Result<std::uint32_t> space = in.u32();
  const NameList* const names = space ? guest.events_.functions_of(*space) : nullptr;
  if (names == nullptr) return guest.violate("the names of no namespace");
  return answer_stage(guest, values, names_answer(*names));
}

Proceed HostFunctions::find_tool(Guest& guest, std::span<RawValue> values, BytesView name,
                                 BytesView space) {
  Reader in(space);
  const Result<std::uint32_t> place = in.u32();
  const NameList* const names = place ? guest.events_.functions_of(*place) : nullptr;
  if (names == nullptr) return guest.violate("a name of no namespace");
  const std::optional<std::uint32_t> position = names->find(text_of(name));
  values[0].i32 = position ? static_cast<std::int32_t>(*position) : -1;
  return Proceed::on;
}

Proceed HostFunctions::answer_stage(Guest& guest, std::span<RawValue> values,
                                    Result<std::string> answer, Bytes rest) {
  if (!answer) return refuse_stage(guest, values, fail(answer.error()));
  guest.staged_ = {*std::move(answer), std::move(rest)};
  values[0].i32 = static_cast<std::int32_t>(guest.staged_.size());
  return Proceed::on;
}

Proceed HostFunctions::refuse_stage(Guest& guest, std::span<RawValue> values,
                                    const Result<Stripped>& answer) {
  guest.staged_ = {failure_of(answer), {}};
  values[0].i32 = -static_cast<std::int32_t>(guest.staged_.size()) - 1;
  return Proceed::on;
}

Proceed HostFunctions::unstage(Instance& instance, std::span<RawValue> values) {
  Guest& guest = guest_of(instance);
  const Guest::Staged staged = std::exchange(guest.staged_, {});
  const auto room = instance.memory_at(u32(values[0]), static_cast<std::uint32_t>(staged.size()));
  if (room.size() != staged.size())
    return guest.violate("module text outside of the guest's memory");
  std::ranges::copy(staged.text, room.begin());
  std::ranges::copy(staged.rest, room.begin() + static_cast<std::ptrdiff_t>(staged.text.size()));
  return Proceed::on;
}

}  // namespace cordon::js
