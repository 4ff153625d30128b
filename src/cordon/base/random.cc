#include "cordon/base/random.h"

#include <cerrno>
#include <sys/random.h>

namespace cordon {

Result<> fill_with_randomness(std::span<std::uint8_t> bytes) {
  // A request for more than 256 bytes may be cut short by a signal.
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(ErrorCode::internal_error, "no randomness");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace cordon
