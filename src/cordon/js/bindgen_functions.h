#pragma once

// The imports of the module that strips types: the functions of wasm-bindgen that a plain call
// needs. Their names contain hashes, so tools/typescript pins the package.

#include <span>

#include "cordon/sandbox/module.h"

namespace cordon::js {

struct BindgenFunctions {
  static std::span<const sandbox::HostFunction> all();

  // The host functions. StripJob is their owner.
  using RawValues = std::span<sandbox::RawValue>;
  using Self = sandbox::Instance&;
  static sandbox::Proceed is_falsy(Self, RawValues);
  static sandbox::Proceed is_object(Self, RawValues);
  static sandbox::Proceed is_string(Self, RawValues);
  static sandbox::Proceed is_undefined(Self, RawValues);
  static sandbox::Proceed is_like_none(Self, RawValues);
  static sandbox::Proceed boolean_get(Self, RawValues);
  static sandbox::Proceed number_get(Self, RawValues);
  static sandbox::Proceed string_get(Self, RawValues);
  static sandbox::Proceed string_new(Self, RawValues);
  static sandbox::Proceed number_new(Self, RawValues);
  static sandbox::Proceed object_new(Self, RawValues);
  static sandbox::Proceed object_get(Self, RawValues);
  static sandbox::Proceed object_set(Self, RawValues);
  static sandbox::Proceed object_entries(Self, RawValues);
  static sandbox::Proceed has_member(Self, RawValues);
  static sandbox::Proceed list_length(Self, RawValues);
  static sandbox::Proceed list_get(Self, RawValues);
  static sandbox::Proceed never(Self, RawValues);
  static sandbox::Proceed undefined(Self, RawValues);
  static sandbox::Proceed clone_reference(Self, RawValues);
  static sandbox::Proceed drop_reference(Self, RawValues);
};

}  // namespace cordon::js
