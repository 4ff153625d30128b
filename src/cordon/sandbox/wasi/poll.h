#pragma once

// poll_oneoff: waits for a stream or for a point in time, whichever comes first.

#include "cordon/sandbox/module.h"
#include "cordon/sandbox/wasi/errno.h"
#include "cordon/sandbox/wasi/memory.h"

namespace cordon::sandbox::wasi {

struct Guest;

// (subscriptions, events, how many, where their number goes)
Errno poll_oneoff(Guest& guest, Memory memory, const Slot* arguments);

}  // namespace cordon::sandbox::wasi
