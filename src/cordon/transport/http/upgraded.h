#pragma once

// What was an HTTP connection until its client and the server agreed upon another protocol.

#include <string>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "cordon/transport/connection_gate.h"
#include "cordon/transport/stream.h"

namespace cordon::transport::http {

struct Upgraded {
  boost::asio::posix::stream_descriptor descriptor;
  Stream stream;
  ConnectionGate::Pass pass;
  std::string unread;  // what has come behind the request's head
};

}  // namespace cordon::transport::http
