// Any bytes as what the host keeps beside an image: refused, or a table that is written again as it
// was read.

#include <cstddef>
#include <cstdint>

#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/host/image_start.h"

using namespace cordon;

using cordon::fuzz::require;

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto table = host::read_table({data, size});
  if (!table) return 0;
  require(host::pending_calls(*table).size() == table->calls.size(), "every call has its tool");
  const auto written = host::write_table(*table);
  require(written.has_value(), "what was read can be written");
  const auto again = host::read_table(*written);
  require(again.has_value() && again->sources->modules == table->sources->modules &&
              again->sources->text == table->sources->text,
          "and read again with its texts");
  require(host::write_table(*again) == written, "as it was");
  return 0;
}
