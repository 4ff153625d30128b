// Everything that the guest can ask of the host. A test compares the module's imports with this
// list.
#pragma once

#include <stdint.h>

#define CORDON_IMPORT(name) __attribute__((import_module("cordon"), import_name(name)))

// Hands a message (enum Emission) to the host, which copies what it needs before it returns.
CORDON_IMPORT("emit") void host_emit(uint32_t kind, const void* data, uint32_t size);

// Grows the memory by 64 KiB pages and returns the old size. The host does not return from a
// growth that it refuses: the execution ends there as memory_limit, caught or not.
CORDON_IMPORT("grow") int32_t host_grow(uint32_t pages);
// How many pages `grow` would still give.
CORDON_IMPORT("room") uint32_t host_room(void);

enum { CLOCK_OF_DAY = 0, CLOCK_STEADY = 1 };
// Nanoseconds since 1970, or since some fixed moment.
CORDON_IMPORT("clock") int64_t host_clock(uint32_t which);

// Asks for what only the host has (enum StageKind in abi.h). Returns the size of what host_unstage
// will copy. For an error it returns -1 - size, and what is copied is u32 line and u32 column in a
// text that cannot be JavaScript, or zeros, and a message.
CORDON_IMPORT("stage")
int32_t host_stage(uint32_t what, const char* base, uint32_t base_size, const char* specifier,
                   uint32_t specifier_size);
CORDON_IMPORT("unstage") void host_unstage(void* to);
