#pragma once

// A socket that listens. It may be watched by several threads, each with a descriptor of its own.

#include <string>

#include "cordon/base/descriptor.h"
#include "cordon/result.h"
#include "cordon/transport/listen_address.h"

namespace cordon::transport {

class ListeningSocket {
 public:
  // A Unix socket without a listener is replaced. Only its owner may use its file, which is removed
  // with the ListeningSocket.
  static Result<ListeningSocket> open(const ListenAddress& address);
  ~ListeningSocket();
  ListeningSocket(ListeningSocket&& other) noexcept = default;
  ListeningSocket& operator=(ListeningSocket&&) = delete;

  // With the port that was chosen.
  const ListenAddress& address() const { return address_; }
  // No more connections come, once the duplicates are closed as well.
  void close();
  // Once more, for another thread. It does not wait.
  Result<Descriptor> duplicate() const;

 private:
  ListeningSocket(Descriptor descriptor, ListenAddress address);

  Descriptor descriptor_;
  ListenAddress address_;
};

// As many open files as the system allows this process.
void raise_file_limit();

}  // namespace cordon::transport
