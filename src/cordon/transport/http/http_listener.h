#pragma once

// Accepts connections for the servers of all threads, by one of these threads.

#include <memory>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace cordon::transport::http {

class HttpServer;

// A thread's own: each has a duplicate of the listening socket (ListeningSocket::duplicate), and
// gives a new connection to the server that has fewest. Which thread accepts is the kernel's
// choice, so the queue is emptied whichever of them is busy; SO_REUSEPORT would bind a connection
// to a thread before anybody knows how many it has, and sixteen connections on two threads are then
// often eleven and five.
class HttpListener {
 public:
  // Takes the descriptor. `own` is this thread's; `all`, with it, outlive the listener.
  HttpListener(boost::asio::io_context& io, int descriptor, HttpServer& own,
               std::vector<HttpServer*> all);
  // No more are accepted.
  ~HttpListener();
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;

 private:
  class State;
  std::shared_ptr<State> impl_;
};

}  // namespace cordon::transport::http
