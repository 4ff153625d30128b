#pragma once

// What the author of a program should know although the program came to its end: Report::warnings.

#include <vector>

#include "cordon/execution.h"
#include "cordon/host/call_ledger.h"
#include "cordon/host/guest_notes.h"
#include "cordon/host/tool_table.h"

namespace cordon::host {

// Whether a limit of time ended what the program did after its result was decided.
enum class Rest { done, cut_short };

// The notes name only tools that the table has. An execution that ended as an image has no
// warnings: its program goes on elsewhere.
std::vector<Warning> warnings_of(ReportKind ended_as, const GuestNotes& notes, Rest rest,
                                 const ToolTable& tools, const CallLedger& calls);

// The same as lines of a log, for those who read no report.
std::vector<LogLine> lines_of_warnings(const Report& report);

}  // namespace cordon::host
