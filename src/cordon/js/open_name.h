#pragma once

// The name under which a guest calls a function of an open namespace. It goes into records, logs
// and terminals. So even a guest whose code is not ours any more must not choose arbitrary bytes.

#include <string>

#include "cordon/base/reader.h"
#include "cordon/result.h"

namespace cordon::js {

// u32 size and text: UTF-8 without control characters, as guest/open_names.c lets them through.
// Fails with ErrorCode::protocol_violation for anything else.
Result<std::string> read_open_name(Reader& in);

}  // namespace cordon::js
