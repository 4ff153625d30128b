#pragma once

// All of the library.

#include "cordon/builder.h"
#include "cordon/byte_source.h"
#include "cordon/convert.h"
#include "cordon/engine.h"
#include "cordon/execution.h"
#include "cordon/image.h"
#include "cordon/json.h"
#include "cordon/limits.h"
#include "cordon/msgpack.h"
#include "cordon/plugin.h"
#include "cordon/provider.h"
#include "cordon/result.h"
#include "cordon/serializer.h"
#include "cordon/server.h"
#include "cordon/task.h"
#include "cordon/task_call.h"
#include "cordon/value.h"
#include "cordon/version.h"
