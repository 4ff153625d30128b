#pragma once

// Runs as the guest reads them: see WrittenRun in guest/abi.h.

#include <cstddef>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/base/writer.h"
#include "cordon/js/stripped.h"
#include "cordon/result.h"

namespace cordon::js {

inline constexpr std::size_t written_run_bytes = 20;

void put_run(Writer& out, const WrittenRun& run);
Result<std::vector<WrittenRun>> read_runs(BytesView runs);

}  // namespace cordon::js
