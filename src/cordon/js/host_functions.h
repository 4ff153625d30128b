#pragma once

// The functions that the guest may import from `cordon`: the host half of guest/host.h.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cordon/base/bytes.h"
#include "cordon/js/import_kind.h"
#include "cordon/js/stripped.h"
#include "cordon/result.h"
#include "cordon/sandbox/module.h"

namespace cordon::js {

class Guest;

struct HostFunctions {
  static std::span<const sandbox::HostFunction> all();

 private:
  static sandbox::Proceed emit(sandbox::Instance& instance, std::span<sandbox::RawValue> values);
  static sandbox::Proceed grow(sandbox::Instance& instance, std::span<sandbox::RawValue> values);
  static sandbox::Proceed room(sandbox::Instance& instance, std::span<sandbox::RawValue> values);
  static sandbox::Proceed clock(sandbox::Instance& instance, std::span<sandbox::RawValue> values);
  static sandbox::Proceed stage(sandbox::Instance& instance, std::span<sandbox::RawValue> values);
  static sandbox::Proceed unstage(sandbox::Instance& instance, std::span<sandbox::RawValue> values);
  static sandbox::Proceed find_tool(Guest& guest, std::span<sandbox::RawValue> values,
                                    BytesView name, BytesView space);
  static sandbox::Proceed stage_names(Guest& guest, std::span<sandbox::RawValue> values,
                                      BytesView asked);
  static std::optional<Result<Stripped>> load(Guest& guest, std::string_view name, ImportKind kind);
  static sandbox::Proceed answer_stage(Guest& guest, std::span<sandbox::RawValue> values,
                                       Result<std::string> answer, Bytes rest = {});
  static sandbox::Proceed refuse_stage(Guest& guest, std::span<sandbox::RawValue> values,
                                       const Result<Stripped>& answer);
};

}  // namespace cordon::js
