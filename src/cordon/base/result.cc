#include "cordon/result.h"

#include <ostream>

namespace cordon {

std::string_view name_of(Errc code) {
  switch (code) {
    case Errc::invalid_argument:
      return "invalid_argument";
    case Errc::not_found:
      return "not_found";
    case Errc::already_exists:
      return "already_exists";
    case Errc::type_mismatch:
      return "type_mismatch";
    case Errc::unsupported:
      return "unsupported";
    case Errc::syntax:
      return "syntax";
    case Errc::truncated:
      return "truncated";
    case Errc::invalid_utf8:
      return "invalid_utf8";
    case Errc::too_large:
      return "too_large";
    case Errc::too_deep:
      return "too_deep";
    case Errc::cyclic:
      return "cyclic";
    case Errc::not_serializable:
      return "not_serializable";
    case Errc::unexpected_message:
      return "unexpected_message";
    case Errc::protocol_violation:
      return "protocol_violation";
    case Errc::guest_error:
      return "guest_error";
    case Errc::tool_error:
      return "tool_error";
    case Errc::timeout:
      return "timeout";
    case Errc::memory_limit:
      return "memory_limit";
    case Errc::stack_overflow:
      return "stack_overflow";
    case Errc::cancelled:
      return "cancelled";
    case Errc::overloaded:
      return "overloaded";
    case Errc::unavailable:
      return "unavailable";
    case Errc::permission_denied:
      return "permission_denied";
    case Errc::io:
      return "io";
    case Errc::closed:
      return "closed";
    case Errc::internal:
      return "internal";
  }
  return "unknown";
}

std::string to_string(const Error& error) {
  std::string text(name_of(error.code));
  if (!error.detail.empty()) text.append(": ").append(error.detail);
  return text;
}

std::ostream& operator<<(std::ostream& out, const Error& error) { return out << to_string(error); }

}  // namespace cordon
