#include "cordon/transport/output_descriptor.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace cordon::transport {

OutputDescriptor::OutputDescriptor(int descriptor) : number_(descriptor) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0) return;
  if (S_ISSOCK(status.st_mode)) kind_ = Kind::socket;
  if (S_ISREG(status.st_mode)) kind_ = Kind::file;
  if (!S_ISFIFO(status.st_mode)) return;
  // The same pipe opened once more does not share its flags with others, so it may refuse to wait.
  const std::string name = "/proc/self/fd/" + std::to_string(descriptor);
  const int own = open(name.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (own < 0) return;
  number_ = own;
  kind_ = Kind::own_pipe;
}

OutputDescriptor::~OutputDescriptor() {
  if (kind_ == Kind::own_pipe) close(number_);
}

Result<std::size_t> OutputDescriptor::write_some(std::string_view text) const {
  ssize_t wrote = -1;
  switch (kind_) {
    case Kind::socket:
      wrote = send(number_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      break;
    case Kind::own_pipe:
    case Kind::file:
      wrote = ::write(number_, text.data(), text.size());
      break;
    case Kind::other:
      // What has room has it for this much.
      wrote = ::write(number_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
      break;
  }
  if (wrote >= 0) return static_cast<std::size_t>(wrote);
  if (errno == EINTR || errno == EAGAIN) return 0;
  if (errno == EPIPE) {
    return fail(ErrorCode::closed, "cannot write to standard output: its reader is gone");
  }
  return fail(ErrorCode::closed,
              "cannot write to standard output: " + std::generic_category().message(errno));
}

}  // namespace cordon::transport
