// A saved guest resumes, here or in another process, or becomes the beginning of an execution.
// Random seeds are set anew, because they must differ in all executions that start from one image.
// Times are moved to the clock of this host.

#include "guest.h"

void program_resume(JSContext* ctx, Cursor* message) {
  // The seed of hash tables stays, because the tables in the image are laid out by it.
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
