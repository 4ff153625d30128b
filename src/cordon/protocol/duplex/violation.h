#pragma once

// Why a guest process was ended: the failure list of the specification, each with a name of its
// own.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace cordon::duplex {

enum class Reason : std::uint8_t {
  bad_frame,    // bytes that cannot be decoded
  bad_version,  // a frame of another version, or no frame at all: a print to stdout
  bad_message,  // MessagePack that is no message of the protocol
  unauthorized_callback,
  unknown_id,
  timeout,
  exited,     // the process ended, or closed its output
  too_large,  // past a limit of ours
};

// The enumerator's own name: "bad_frame".
std::string_view name_of(Reason reason);

struct Violation {
  Reason reason = Reason::bad_frame;
  std::string detail;

  friend bool operator==(const Violation&, const Violation&) = default;
};

template <class T>
using Judged = std::expected<T, Violation>;

[[nodiscard]] inline std::unexpected<Violation> violated(Reason reason, std::string detail) {
  return std::unexpected<Violation>(Violation{reason, std::move(detail)});
}

}  // namespace cordon::duplex
