#include "cordon/js/written_runs.h"

#include "cordon/base/reader.h"

namespace cordon::js {

void put_run(Writer& out, const WrittenRun& run) {
  out.u32(run.line);
  out.u32(run.column);
  out.u32(run.written_line);
  out.u32(run.written_column);
  out.u32(run.length);
}

Result<std::vector<WrittenRun>> read_runs(BytesView runs) {
  std::vector<WrittenRun> read;
  read.reserve(runs.size() / written_run_bytes);
  for (Reader in(runs); !in.at_end();) {
    WrittenRun run;
    for (std::uint32_t* field :
         {&run.line, &run.column, &run.written_line, &run.written_column, &run.length})
      *field = CORDON_TRY(in.u32());
    read.push_back(run);
  }
  return read;
}

}  // namespace cordon::js
