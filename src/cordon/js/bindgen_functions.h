#pragma once

// What the module that strips types asks of its host: wasm-bindgen's functions, as far as a plain
// call needs them. The names have hashes in them; tools/typescript pins the package.

#include <span>

#include "cordon/sandbox/module.h"

namespace cordon::js {

struct BindgenFunctions {
  static std::span<const sandbox::HostFunction> all();

  // The host functions themselves; StripJob is their owner.
  using Slots = std::span<sandbox::Slot>;
  using Self = sandbox::Instance&;
  static sandbox::Proceed is_falsy(Self, Slots);
  static sandbox::Proceed is_object(Self, Slots);
  static sandbox::Proceed is_string(Self, Slots);
  static sandbox::Proceed is_undefined(Self, Slots);
  static sandbox::Proceed is_like_none(Self, Slots);
  static sandbox::Proceed boolean_get(Self, Slots);
  static sandbox::Proceed string_get(Self, Slots);
  static sandbox::Proceed string_new(Self, Slots);
  static sandbox::Proceed number_new(Self, Slots);
  static sandbox::Proceed object_new(Self, Slots);
  static sandbox::Proceed object_get(Self, Slots);
  static sandbox::Proceed object_set(Self, Slots);
  static sandbox::Proceed has_member(Self, Slots);
  static sandbox::Proceed clone_reference(Self, Slots);
  static sandbox::Proceed drop_reference(Self, Slots);
};

}  // namespace cordon::js
