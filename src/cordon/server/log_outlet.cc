#include "cordon/server/log_outlet.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace cordon::server {

std::uint64_t LogOutlet::put(std::string line) {
  line += '\n';
  const MutexLock lock(mutex_);
  if (is_torn_) line.insert(0, 1, '\n');
  // A pipe that reports room takes this many bytes without waiting, and no more.
  for (std::string_view left = line; !left.empty();) {
    if (!has_room()) {
      is_torn_ = is_torn_ || left.size() < line.size();
      ++lost_;
      return 0;
    }
    const ssize_t put =
        write(descriptor_, left.data(), std::min<std::size_t>(left.size(), PIPE_BUF));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) break;  // there is nobody to report to
    left.remove_prefix(static_cast<std::size_t>(put));
  }
  is_torn_ = false;
  return std::exchange(lost_, 0);
}

bool LogOutlet::has_room() {
  pollfd room{.fd = descriptor_, .events = POLLOUT, .revents = 0};
  const int wait = is_full_ ? 0 : static_cast<int>(patience_.count());
  is_full_ = poll(&room, 1, wait) == 0;
  return !is_full_;
}

}  // namespace cordon::server
