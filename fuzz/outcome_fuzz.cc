// Any bytes as a guest's account of how it ended: read or refused, and all text in it is well
// formed.

#include <cstddef>
#include <cstdint>
#include <string>

#include "bounded.h"
#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/base/reader.h"
#include "cordon/base/utf8.h"
#include "cordon/js/outcome.h"

namespace {

using namespace cordon;

using cordon::fuzz::bounded;
using cordon::fuzz::require;

void check_error(const js::ErrorText& error) {
  require(is_wtf8(error.name) && is_wtf8(error.message) && is_wtf8(error.stack),
          "the text of an error is well formed");
}

void check_location(std::string_view stack) {
  const auto location = js::location_of(stack);
  if (!location) return;
  // Numbers may have zeros before them, so only the name is looked for.
  require(stack.find(location->file) != std::string_view::npos, "a location comes from the stack");
  require(location->file.size() + 4 <= stack.size(), "and has a line and a column");
}

void check_outcome(BytesView bytes) {
  Reader in(bytes);
  const auto outcome = bounded(
      bytes.size(), [&] { return js::read_outcome(in, {.depth = 100, .elements = 100'000}); });
  if (!outcome) {
    require(!outcome.error().message.empty(), "a refusal says why");
    return;
  }
  require(in.at_end(), "an outcome is a whole message");
  if (const auto* thrown = std::get_if<js::Thrown>(&*outcome)) {
    check_error(thrown->error);
    for (const js::ErrorText& cause : thrown->causes) check_error(cause);
    require(thrown->causes.size() <= 16, "causes are few");
    check_location(thrown->error.stack);
  } else if (const auto* refused = std::get_if<js::Unserializable>(&*outcome)) {
    require(!refused->reason.empty(), "a refused value has a reason");
    require(is_wtf8(refused->reason) && is_wtf8(refused->place), "in well-formed text");
  }
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_outcome({data, size});
  check_location(as_text({data, size}));
  return 0;
}
