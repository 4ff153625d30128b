#include "cordon/transport/tcp_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace cordon::transport {

namespace asio = boost::asio;

asio::ip::tcp::socket tcp_socket(asio::io_context& io, int descriptor) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&name), &size);
  asio::ip::tcp::socket socket(
      io, name.ss_family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), descriptor);
  boost::system::error_code ignored;
  (void)socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  return socket;
}

void acknowledge_at_once(asio::ip::tcp::socket& socket) {
  const int on = 1;
  setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

}  // namespace cordon::transport
