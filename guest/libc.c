// The few things that a C library asks of a system, provided without WASI: this module imports
// nothing but `cordon`. The linker takes these definitions before those of wasi-libc.

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "guest.h"
#include "host.h"
#include <wasi/api.h>

enum { PAGE = 65536 };

extern char __heap_base;
static uintptr_t heap_end;

// The allocator's only source of memory. It never fails: the host does not return from a growth
// that it refuses, and while the snapshot is made, where there is no host, it traps.
void* sbrk(intptr_t increment) {
  if (heap_end == 0) heap_end = (uintptr_t)&__heap_base;
  uintptr_t old_end = heap_end;
  uint64_t new_end = (uint64_t)old_end + (uint64_t)increment;
  uint64_t size = (uint64_t)__builtin_wasm_memory_size(0) * PAGE;
  // The end of the last page is 2^32, which no pointer can hold. So ask for more than there can be,
  // which is refused.
  if (new_end > UINT32_MAX) new_end = (uint64_t)1 << 33;
  if (new_end > size) {
    uint64_t pages = (new_end - size + PAGE - 1) / PAGE;
    if (guest_is_live) {
      host_grow(pages > UINT32_MAX ? UINT32_MAX : (uint32_t)pages);
    } else if (__builtin_wasm_memory_grow(0, (size_t)pages) == SIZE_MAX) {
      __builtin_trap();
    }
  }
  heap_end = (uintptr_t)new_end;
  return (void*)old_end;
}

int clock_gettime(clockid_t id, struct timespec* time) {
  int64_t now = guest_is_live ? host_clock(id == CLOCK_REALTIME ? CLOCK_OF_DAY : CLOCK_STEADY) : 0;
  time->tv_sec = now / 1000000000;
  time->tv_nsec = (long)(now % 1000000000);
  return 0;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

// The guest's time zone is UTC.
struct tm* localtime_r(const time_t* restrict time, struct tm* restrict out) {
  return gmtime_r(time, out);
}

_Noreturn void abort(void) { __builtin_trap(); }

_Noreturn void _Exit(int status) {
  (void)status;
  __builtin_trap();
}

// Nothing here prints, and what the C library would print is dropped.
__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t* parts, size_t count,
                               __wasi_size_t* written) {
  (void)fd, (void)parts, (void)count;
  *written = 0;
  return __WASI_ERRNO_BADF;
}
__wasi_errno_t __wasi_fd_seek(__wasi_fd_t fd, __wasi_filedelta_t offset, __wasi_whence_t whence,
                              __wasi_filesize_t* position) {
  (void)fd, (void)offset, (void)whence, (void)position;
  return __WASI_ERRNO_BADF;
}
__wasi_errno_t __wasi_fd_close(__wasi_fd_t fd) {
  (void)fd;
  return __WASI_ERRNO_BADF;
}
__wasi_errno_t __wasi_fd_fdstat_get(__wasi_fd_t fd, __wasi_fdstat_t* status) {
  (void)fd, (void)status;
  return __WASI_ERRNO_BADF;
}
