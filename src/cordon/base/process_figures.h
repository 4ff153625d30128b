#pragma once

// What this process takes of its machine.

#include <cstddef>
#include <cstdint>

namespace cordon {

struct ProcessFigures {
  std::size_t resident_bytes = 0;
  std::size_t virtual_bytes = 0;
  double cpu_seconds = 0;    // of all its threads, in the kernel too
  double start_seconds = 0;  // since 1970
  std::size_t open_files = 0;
  std::size_t max_files = 0;
  std::size_t threads = 0;
};

// A figure that the system does not tell is 0.
ProcessFigures process_figures();

// The same as in process_figures(), for those who ask often.
std::size_t resident_bytes();

// Gives unused memory of the heap back to the system. That takes milliseconds if there is much of
// it, and threads that allocate meanwhile may wait.
void give_heap_back();

}  // namespace cordon
