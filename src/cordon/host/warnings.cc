#include <utility>

#include "cordon/execution.h"

namespace cordon {

std::string_view name_of(WarningCode code) {
  switch (code) {
    case WarningCode::unawaited_call:
      return "unawaited_call";
    case WarningCode::open_call:
      return "open_call";
    case WarningCode::open_timer:
      return "open_timer";
    case WarningCode::no_result:
      return "no_result";
    case WarningCode::ignored_argument:
      return "ignored_argument";
  }
  std::unreachable();
}

}  // namespace cordon
