// A guest that was saved goes on, here or in another process, or is the beginning of an execution:
// what must not be the same in all that start from one image is set anew, and times are moved to
// the clock of this host.

#include "guest.h"

void program_resume(JSContext* ctx, Cursor* message) {
  // The seed of hash tables stays: those of the image lie by it.
  engine_seed_random(ctx, take_u64(message));
  random_seed(message);
  double moved = (double)(int64_t)take_u64(message) / 1e6;
  timers_move(moved);
  if (take_u8(message) == RESUME_START) {
    engine_start_clock(ctx);
    program_become_run();
  } else {
    engine_move_clock(ctx, moved);
  }
}
