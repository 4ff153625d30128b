#pragma once

// TCP sockets for messages that are written at once and answered at once.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace cordon::transport {

// Takes the descriptor. What is written does not wait for more, and little of it waits in the
// kernel, so that a slow reader is seen to make progress.
boost::asio::ip::tcp::socket tcp_socket(boost::asio::io_context& io, int descriptor);

// After each read. A peer whose own socket waits for more (Nagle) sends a second small message when
// the first is acknowledged, which the kernel would put off for 40 ms where we have nothing to say.
void acknowledge_at_once(boost::asio::ip::tcp::socket& socket);

}  // namespace cordon::transport
