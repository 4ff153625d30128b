#pragma once

// What a socket still has to send, to tell a client that reads slowly from one that does not.

#include <limits>
#include <linux/sockios.h>
#include <sys/ioctl.h>

namespace cordon::transport::http {

class SendQueue {
 public:
  // The next look is a first one.
  void forget() { bytes_ = std::numeric_limits<int>::max(); }

  // Whether there is less in it than at the last look.
  bool has_shrunk(int descriptor) {
    int bytes = 0;
    if (ioctl(descriptor, SIOCOUTQ, &bytes) != 0 || bytes >= bytes_) return false;
    bytes_ = bytes;
    return true;
  }

 private:
  int bytes_ = 0;
};

}  // namespace cordon::transport::http
