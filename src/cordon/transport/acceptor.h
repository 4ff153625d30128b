#pragma once

// Accepts connections for the services of all threads, by one of these threads.
//
//   Acceptor acceptor(io, *socket.duplicate(), gate, {.own = mine, .all = {&mine, &yours}});

#include <cstddef>
#include <memory>
#include <sys/socket.h>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "cordon/base/descriptor.h"
#include "cordon/transport/connection_gate.h"

namespace cordon::transport {

// A connection that was let in. Its socket does not wait, and sends small messages at once.
struct Arrival {
  Descriptor descriptor;
  ConnectionGate::Pass pass;
  sockaddr_storage peer{};
};

// The service of one thread, which takes connections.
class Adopter {
 public:
  // Any thread: how many it has, those on their way here included.
  virtual std::size_t load() const = 0;
  // Any thread: hands the connection to the service's own thread.
  virtual void adopt(Arrival arrival) = 0;
  // Called by the thread that accepts if the gate refused the connection. Tells the peer why.
  virtual void turn_away(Descriptor descriptor) = 0;

 protected:
  ~Adopter() = default;
};

// Who gets what is accepted.
struct Balance {
  Adopter& own;  // of the thread that accepts
  // Those of all threads, with `own`.
  std::vector<Adopter*> all;
  // A thread keeps what it accepts unless another one has more than this many fewer: it costs
  // something to hand a connection over.
  std::size_t slack = 0;
};

// Belongs to one thread, that of `io`. Each thread has an acceptor with a duplicate of the
// listening socket (ListeningSocket::duplicate), and gives a new connection to the service that has
// fewest. The kernel chooses which thread accepts, so the queue is emptied whichever of them is
// busy. SO_REUSEPORT would bind a connection to a thread before anybody knows how many it has, and
// sixteen connections on two threads are then often eleven and five.
class Acceptor {
 public:
  // `gate` and the adopters outlive the acceptor.
  Acceptor(boost::asio::io_context& io, Descriptor listener, ConnectionGate& gate, Balance balance);
  // No more are accepted.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace cordon::transport
