// The first frames of calls between functions in JavaScript (engine.c). They must not lie among
// what every program reads and writes, so they come first of all, next to the stack
// (tools/guest.sh).

#include "frames.h"

__attribute__((section(".rodata.frames"))) _Alignas(
    16) unsigned char cordon_first_frames[FIRST_FRAMES];
