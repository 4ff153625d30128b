#pragma once

// poll_oneoff: waits for a stream or for a point in time, whichever comes first.

#include "cordon/sandbox/module.h"
#include "cordon/sandbox/wasi/errno.h"
#include "cordon/sandbox/wasi/memory.h"

namespace cordon::sandbox::wasi {

struct Context;

// (subscriptions, events, how many, where their number goes)
Errno poll_oneoff(Context& context, Memory memory, const RawValue* arguments);

}  // namespace cordon::sandbox::wasi
