#include "cordon/transport/tcp_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace cordon::transport {
namespace {

void set(int descriptor, int option, int value) {
  setsockopt(descriptor, IPPROTO_TCP, option, &value, sizeof value);
}

}  // namespace

void send_at_once(int descriptor) { set(descriptor, TCP_NODELAY, 1); }

void keep_little_unsent(int descriptor) {
  // A full queue takes more when a third of it is gone, which can be a megabyte and more.
  constexpr int max_unsent_bytes = 256 << 10;
  set(descriptor, TCP_NOTSENT_LOWAT, max_unsent_bytes);
}

void acknowledge_at_once(int descriptor) { set(descriptor, TCP_QUICKACK, 1); }

}  // namespace cordon::transport
