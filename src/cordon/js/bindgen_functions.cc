#include "cordon/js/bindgen_functions.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "cordon/js/typescript.h"

namespace cordon::js {
namespace {

using sandbox::Instance;
using sandbox::Proceed;
using sandbox::RawValue;

StripJob& job_of(Instance& instance) { return *static_cast<StripJob*>(instance.owner()); }

std::uint32_t u32(const RawValue& slot) { return static_cast<std::uint32_t>(slot.i32); }

Proceed answer(std::span<RawValue> values, bool value) {
  values[0].i32 = value ? 1 : 0;
  return Proceed::on;
}

bool is_falsy_value(const BindgenValue& value) {
  if (value.is_undefined() || value.is_null()) return true;
  if (const bool* flag = std::get_if<bool>(&value.content)) return !*flag;
  if (const double* number = std::get_if<double>(&value.content)) return !(*number != 0);
  const std::string* text = value.as_string();
  return text != nullptr && text->empty();
}

Proceed add(BindgenHeap& heap, std::span<RawValue> values, BindgenValue value) {
  const Result<std::uint32_t> index = heap.add(std::move(value));
  if (!index) return Proceed::stop;
  values[0].i32 = static_cast<std::int32_t>(*index);
  return Proceed::on;
}

}  // namespace

std::span<const sandbox::HostFunction> BindgenFunctions::all() {
  static constexpr sandbox::HostFunction functions[] = {
      {"__wbindgen_is_falsy", "i:i", is_falsy},
      {"__wbindgen_is_object", "i:i", is_object},
      {"__wbindgen_is_string", "i:i", is_string},
      {"__wbindgen_is_undefined", "i:i", is_undefined},
      {"__wbindgen_jsval_loose_eq", "ii:i", is_like_none},
      {"__wbindgen_boolean_get", "i:i", boolean_get},
      {"__wbindgen_number_get", "ii:", number_get},
      {"__wbindgen_string_get", "ii:", string_get},
      {"__wbindgen_string_new", "ii:i", string_new},
      {"__wbindgen_number_new", "d:i", number_new},
      {"__wbg_new_405e22f390576ce2", ":i", object_new},
      {"__wbg_getwithrefkey_1dc361bd10053bfe", "ii:i", object_get},
      {"__wbg_set_3f1d0b984ed272ed", "iii:", object_set},
      {"__wbg_entries_3265d4158b33e5dc", "i:i", object_entries},
      {"__wbindgen_in", "ii:i", has_member},
      {"__wbg_length_e2d2a49132c1b256", "i:i", list_length},
      {"__wbg_get_b9b93047fe3cf45b", "ii:i", list_get},
      // It asks whether an object is iterable, by its member Symbol.iterator, or a bigint.
      {"__wbg_iterator_9a24c88df860dc65", ":i", undefined},
      {"__wbg_get_67b2ba62fc30de12", "ii:i", undefined},
      {"__wbindgen_is_function", "i:i", never},
      {"__wbindgen_is_bigint", "i:i", never},
      {"__wbindgen_object_clone_ref", "i:i", clone_reference},
      {"__wbindgen_object_drop_ref", "i:", drop_reference},
  };
  return functions;
}

Proceed BindgenFunctions::is_falsy(Self self, RawValues values) {
  return answer(values, is_falsy_value(job_of(self).heap_.at(u32(values[0]))));
}

Proceed BindgenFunctions::is_object(Self self, RawValues values) {
  return answer(values, job_of(self).heap_.at(u32(values[0])).as_object() != nullptr);
}

Proceed BindgenFunctions::is_string(Self self, RawValues values) {
  return answer(values, job_of(self).heap_.at(u32(values[0])).as_string() != nullptr);
}

Proceed BindgenFunctions::is_undefined(Self self, RawValues values) {
  return answer(values, job_of(self).heap_.at(u32(values[0])).is_undefined());
}

// `a == b`: the module compares only with null, to find out whether there is a value.
Proceed BindgenFunctions::is_like_none(Self self, RawValues values) {
  const BindgenHeap& heap = job_of(self).heap_;
  const auto is_none = [&](const RawValue& slot) {
    const BindgenValue& value = heap.at(u32(slot));
    return value.is_undefined() || value.is_null();
  };
  return answer(values, is_none(values[0]) && is_none(values[1]));
}

Proceed BindgenFunctions::boolean_get(Self self, RawValues values) {
  const auto* flag = std::get_if<bool>(&job_of(self).heap_.at(u32(values[0])).content);
  values[0].i32 = flag == nullptr ? 2 : *flag ? 1 : 0;
  return Proceed::on;
}

Proceed BindgenFunctions::number_get(Self self, RawValues values) {
  const auto* number = std::get_if<double>(&job_of(self).heap_.at(u32(values[1])).content);
  const auto out = self.memory_at(u32(values[0]), 16);
  if (out.size() != 16) return Proceed::stop;
  const std::uint32_t is_number = number == nullptr ? 0 : 1;
  const double given = number == nullptr ? 0 : *number;
  std::memcpy(out.data(), &is_number, sizeof is_number);
  std::memcpy(out.data() + 8, &given, sizeof given);
  return Proceed::on;
}

// The address and the size of the text. It was put into the module's memory before the call and now
// belongs to the module, so each text is given once.
Proceed BindgenFunctions::string_get(Self self, RawValues values) {
  StripJob& job = job_of(self);
  const auto out = self.memory_at(u32(values[0]), 8);
  if (out.size() != 8) return Proceed::stop;
  std::uint32_t words[2] = {0, 0};
  if (const std::string* text = job.heap_.at(u32(values[1])).as_string()) {
    const auto input = std::ranges::find_if(job.inputs_, [text](const StripJob::Input& there) {
      return there.address != 0 && *there.text == *text;
    });
    if (input == job.inputs_.end()) return Proceed::stop;
    words[0] = std::exchange(input->address, 0);
    words[1] = static_cast<std::uint32_t>(text->size());
  }
  std::memcpy(out.data(), words, sizeof words);
  return Proceed::on;
}

Proceed BindgenFunctions::string_new(Self self, RawValues values) {
  StripJob& job = job_of(self);
  const auto bytes = self.memory_at(u32(values[0]), u32(values[1]));
  if (bytes.size() != u32(values[1])) return Proceed::stop;
  return add(job.heap_, values, bindgen_string(std::string(bytes.begin(), bytes.end())));
}

Proceed BindgenFunctions::number_new(Self self, RawValues values) {
  StripJob& job = job_of(self);
  return add(job.heap_, values, {values[0].f64});
}

Proceed BindgenFunctions::object_new(Self self, RawValues values) {
  StripJob& job = job_of(self);
  return add(job.heap_, values, bindgen_object({}));
}

Proceed BindgenFunctions::object_get(Self self, RawValues values) {
  StripJob& job = job_of(self);
  const std::string* name = job.heap_.at(u32(values[1])).as_string();
  if (name == nullptr) return Proceed::stop;
  return add(job.heap_, values, job.heap_.at(u32(values[0])).member(*name));
}

Proceed BindgenFunctions::object_set(Self self, RawValues values) {
  StripJob& job = job_of(self);
  BindgenObject* object = job.heap_.at(u32(values[0])).as_object();
  const BindgenValue name = job.heap_.take(u32(values[1]));
  BindgenValue value = job.heap_.take(u32(values[2]));
  // An object inside itself would never be freed, and the module needs no objects inside objects.
  if (object == nullptr || name.as_string() == nullptr || value.as_object() != nullptr)
    return Proceed::stop;
  (*object)[*name.as_string()] = std::move(value);
  return Proceed::on;
}

// Pairs of a name and a value.
Proceed BindgenFunctions::object_entries(Self self, RawValues values) {
  StripJob& job = job_of(self);
  const BindgenObject* object = job.heap_.at(u32(values[0])).as_object();
  if (object == nullptr) return Proceed::stop;
  BindgenList entries;
  for (const auto& [name, value] : *object)
    entries.push_back(bindgen_list({bindgen_string(name), value}));
  return add(job.heap_, values, bindgen_list(std::move(entries)));
}

Proceed BindgenFunctions::list_length(Self self, RawValues values) {
  const BindgenList* list = job_of(self).heap_.at(u32(values[0])).as_list();
  if (list == nullptr) return Proceed::stop;
  values[0].i32 = static_cast<std::int32_t>(list->size());
  return Proceed::on;
}

Proceed BindgenFunctions::list_get(Self self, RawValues values) {
  StripJob& job = job_of(self);
  const BindgenList* list = job.heap_.at(u32(values[0])).as_list();
  if (list == nullptr || u32(values[1]) >= list->size()) return Proceed::stop;
  return add(job.heap_, values, (*list)[u32(values[1])]);
}

Proceed BindgenFunctions::never(Self, RawValues values) { return answer(values, false); }

Proceed BindgenFunctions::undefined(Self self, RawValues values) {
  return add(job_of(self).heap_, values, {});
}

Proceed BindgenFunctions::has_member(Self self, RawValues values) {
  const BindgenHeap& heap = job_of(self).heap_;
  const std::string* name = heap.at(u32(values[0])).as_string();
  const BindgenObject* object = heap.at(u32(values[1])).as_object();
  return answer(values, name != nullptr && object != nullptr && object->contains(*name));
}

Proceed BindgenFunctions::clone_reference(Self self, RawValues values) {
  StripJob& job = job_of(self);
  return add(job.heap_, values, job.heap_.at(u32(values[0])));
}

Proceed BindgenFunctions::drop_reference(Self self, RawValues values) {
  job_of(self).heap_.take(u32(values[0]));
  return Proceed::on;
}

}  // namespace cordon::js
