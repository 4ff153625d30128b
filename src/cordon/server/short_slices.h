#pragma once

// How the kernel shares a processor between a thread that answers requests and others.

namespace cordon::server {

// Short slices for the thread that has made it, until it goes. The thread gets as much of a
// processor as before, but sooner: when it wakes up for a request it runs at once, where it would
// have waited for the end of somebody else's slice, which can be some milliseconds. Linux 6.12 and
// later; elsewhere nothing changes.
class ShortSlices {
 public:
  ShortSlices();
  ~ShortSlices();
  ShortSlices(const ShortSlices&) = delete;
  ShortSlices& operator=(const ShortSlices&) = delete;
};

}  // namespace cordon::server
