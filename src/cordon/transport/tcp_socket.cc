#include "cordon/transport/tcp_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace cordon::transport {

namespace asio = boost::asio;

namespace {

void set(int descriptor, int option, int value) {
  setsockopt(descriptor, IPPROTO_TCP, option, &value, sizeof value);
}

}  // namespace

asio::ip::tcp::socket tcp_socket(asio::io_context& io, int descriptor) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&name), &size);
  asio::ip::tcp::socket socket(
      io, name.ss_family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), descriptor);
  set(descriptor, TCP_NODELAY, 1);
  // A full queue takes more when a third of it is gone, which can be a megabyte and more.
  constexpr int max_unsent_bytes = 256 << 10;
  set(descriptor, TCP_NOTSENT_LOWAT, max_unsent_bytes);
  return socket;
}

void acknowledge_at_once(asio::ip::tcp::socket& socket) {
  set(socket.native_handle(), TCP_QUICKACK, 1);
}

}  // namespace cordon::transport
