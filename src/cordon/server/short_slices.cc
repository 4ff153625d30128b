#include "cordon/server/short_slices.h"

#include <cstdint>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cordon::server {
namespace {

// `struct sched_attr` of the kernel in its first size. Its header and the C library's cannot both
// be included.
struct SchedulingAttributes {
  std::uint32_t size = 48;
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  // nanoseconds; of ordinary threads, what they want as a slice
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

constexpr std::uint64_t slice_nanoseconds = 100'000;  // the shortest that there is
constexpr std::uint64_t ordinary_slice = 0;

void set_slice(std::uint64_t nanoseconds) {
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  // Somebody who gave the process another policy knows what they want.
  if (attributes.policy != SCHED_OTHER) return;
  attributes.flags = 0;
  attributes.runtime = nanoseconds;
  (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace

ShortSlices::ShortSlices() { set_slice(slice_nanoseconds); }
ShortSlices::~ShortSlices() { set_slice(ordinary_slice); }

}  // namespace cordon::server
