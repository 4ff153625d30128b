#include "cordon/transport/listening_socket.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <netdb.h>

namespace cordon::transport {
namespace {

constexpr int backlog = 4096;

std::unexpected<Error> cannot(const ListenAddress& address, const std::string& why) {
  return fail(ErrorCode::io, "cannot listen on " + address.text(false) + ": " + why);
}
std::string reason() { return std::generic_category().message(errno); }

sockaddr_un unix_name(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());
  return name;
}

// A file that a server left when it died.
bool is_abandoned(const std::string& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  const Descriptor probe{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (probe.number() < 0) return false;
  const sockaddr_un name = unix_name(path);
  return connect(probe.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 &&
         errno == ECONNREFUSED;
}

Result<Descriptor> open_unix(const ListenAddress& address) {
  Descriptor made{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (made.number() < 0) return cannot(address, reason());
  if (is_abandoned(address.path)) unlink(address.path.c_str());
  const sockaddr_un name = unix_name(address.path);
  // The file has its mode from the beginning, so that no other user connects in between.
  const mode_t mask = umask(0177);
  const int bound = bind(made.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name);
  umask(mask);
  if (bound != 0 || listen(made.number(), backlog) != 0) return cannot(address, reason());
  return made;
}

Result<Descriptor> open_tcp(ListenAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int looked_up =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (looked_up != 0) return cannot(address, gai_strerror(looked_up));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);

  Descriptor made{socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (made.number() < 0) return cannot(address, reason());
  const int on = 1;
  setsockopt(made.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(made.number(), found->ai_addr, found->ai_addrlen) != 0 ||
      listen(made.number(), backlog) != 0) {
    return cannot(address, reason());
  }
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  getsockname(made.number(), reinterpret_cast<sockaddr*>(&name), &size);
  address.port =
      ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(name).sin6_port
                                       : reinterpret_cast<const sockaddr_in&>(name).sin_port);
  return made;
}

}  // namespace

ListeningSocket::ListeningSocket(Descriptor descriptor, ListenAddress address)
    : descriptor_(std::move(descriptor)), address_(std::move(address)) {}

ListeningSocket::~ListeningSocket() { close(); }

void ListeningSocket::close() {
  if (!descriptor_) return;
  if (address_.kind == ListenAddress::Kind::unix_socket) unlink(address_.path.c_str());
  descriptor_.close();
}

Result<ListeningSocket> ListeningSocket::open(const ListenAddress& address) {
  ListenAddress actual = address;
  const bool is_unix = address.kind == ListenAddress::Kind::unix_socket;
  Descriptor made = CORDON_TRY(is_unix ? open_unix(actual) : open_tcp(actual));
  return ListeningSocket(std::move(made), std::move(actual));
}

Result<Descriptor> ListeningSocket::duplicate() const {
  Descriptor copy(fcntl(descriptor_.number(), F_DUPFD_CLOEXEC, 0));
  if (!copy) return cannot(address_, reason());
  return copy;
}

void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace cordon::transport
