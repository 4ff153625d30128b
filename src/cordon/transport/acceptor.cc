#include "cordon/transport/acceptor.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/transport/tcp_socket.h"

namespace cordon::transport {
namespace {

// Taken at once, so that connections that are there get their turn.
constexpr int max_accepted = 32;
// After a failure that does not go away by trying again at once.
constexpr std::chrono::milliseconds pause{50};

// What there is to do after accept() has failed.
enum class Next { wait_for_more, try_again, wait_for_room };

Next next_after(int error) {
  switch (error) {
    case EAGAIN:
      return Next::wait_for_more;
    case EINTR:
    // These are errors of the one connection, which went before it was accepted: see accept(2).
    case ECONNABORTED:
    case EPROTO:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENOPROTOOPT:
    case ENONET:
    case EOPNOTSUPP:
      return Next::try_again;
    default:
      // Where the process has no room for one more (EMFILE and its kin), the connection stays
      // ready to be accepted, and the kernel would report it over and over.
      return Next::wait_for_room;
  }
}

}  // namespace

class Acceptor::State : public std::enable_shared_from_this<State> {
 public:
  State(boost::asio::io_context& io, Descriptor listener, ConnectionGate& gate, Balance balance)
      : socket_(io, listener.release()), timer_(io), gate_(gate), balance_(std::move(balance)) {}

  void wait() {
    socket_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                         if (!error && self->socket_.is_open()) self->accept();
                       });
  }

  void close() {
    boost::system::error_code ignored;
    (void)socket_.close(ignored);
    timer_.cancel();
  }

 private:
  void accept() {
    for (int i = 0; i < max_accepted; ++i) {
      Arrival arrival;
      socklen_t size = sizeof arrival.peer;
      arrival.descriptor =
          Descriptor(accept4(socket_.native_handle(), reinterpret_cast<sockaddr*>(&arrival.peer),
                             &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (arrival.descriptor) {
        dispatch(std::move(arrival));
        continue;
      }
      const Next next = next_after(errno);
      if (next == Next::wait_for_room) return wait_a_little();
      if (next == Next::wait_for_more) break;
    }
    wait();
  }

  void dispatch(Arrival arrival) {
    std::optional<ConnectionGate::Pass> pass = gate_.admit(arrival.peer);
    if (!pass) return balance_.own.turn_away(std::move(arrival.descriptor));
    arrival.pass = *std::move(pass);
    if (arrival.peer.ss_family != AF_UNIX) send_at_once(arrival.descriptor.number());
    keeper().adopt(std::move(arrival));
  }

  Adopter& keeper() const {
    Adopter* const least = *std::ranges::min_element(balance_.all, {}, &Adopter::load);
    return least->load() + balance_.slack < balance_.own.load() ? *least : balance_.own;
  }

  void wait_a_little() {
    timer_.expires_after(pause);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error && self->socket_.is_open()) self->accept();
    });
  }

  boost::asio::posix::stream_descriptor socket_;
  boost::asio::steady_timer timer_;
  ConnectionGate& gate_;
  const Balance balance_;
};

Acceptor::Acceptor(boost::asio::io_context& io, Descriptor listener, ConnectionGate& gate,
                   Balance balance)
    : state_(std::make_shared<State>(io, std::move(listener), gate, std::move(balance))) {
  state_->wait();
}

Acceptor::~Acceptor() { state_->close(); }

}  // namespace cordon::transport
