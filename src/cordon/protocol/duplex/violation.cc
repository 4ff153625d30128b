#include "cordon/protocol/duplex/violation.h"

namespace cordon::duplex {

std::string_view name_of(Reason reason) {
  switch (reason) {
    case Reason::bad_frame:
      return "bad_frame";
    case Reason::bad_version:
      return "bad_version";
    case Reason::bad_message:
      return "bad_message";
    case Reason::unauthorized_callback:
      return "unauthorized_callback";
    case Reason::unknown_id:
      return "unknown_id";
    case Reason::timeout:
      return "timeout";
    case Reason::exited:
      return "exited";
    case Reason::too_large:
      return "too_large";
  }
  return "bad_frame";
}

}  // namespace cordon::duplex
