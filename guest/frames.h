#pragma once

// Taken from the stack of C, which is that much smaller: a program that calls its own functions
// needs no more memory than one that does not. With whole pages the data stay where they were.
enum { FIRST_FRAMES = 64 * 1024 };
extern unsigned char cordon_first_frames[FIRST_FRAMES];
